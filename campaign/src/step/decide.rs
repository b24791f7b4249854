//! The next decision: which attempt is at hand, and what ends a campaign. What happens inside an attempt is decided in
//! `attempt`.

use super::{
    Action, AttemptEnd, AttemptKey, AttemptRecord, Decision, End, EndReason, Ledger, Observed, Storage, Wait,
    WaitReason, Wish, attempt,
};
use crate::plan::{Plan, PlannedRun};

/// How often a run is attempted at most.
pub const MAX_ATTEMPTS: u32 = 2;

/// What to do next, from what is planned, durable and seen. Times are nanoseconds since the Unix epoch.
pub fn decide(plan: &Plan, ledger: &Ledger, observed: &Observed, now_unix_nanos: i64) -> Decision {
    let at_hand = at_hand(plan, ledger);
    match &observed.storage {
        Storage::Lost { words } => {
            return stop_then(observed, None, End::StorageLost { words: words.clone() });
        }
        Storage::Refused { words } if observed.wish < Wish::Interrupt => {
            let reason = WaitReason::StorageRefused { words: words.clone() };
            return Decision::Wait(Wait { reason, until_unix_nanos: None });
        }
        Storage::Works | Storage::Refused { .. } => {}
    }
    match (observed.wish, at_hand) {
        (Wish::Cancel, at_hand) => {
            let open = at_hand.filter(|at_hand| at_hand.record.is_some());
            stop_then(observed, open.map(|at_hand| cancelled(at_hand.key)), End::Cancelled)
        }
        (_, None) => stop_then(observed, None, End::Completed),
        (Wish::Interrupt, Some(_)) => stop_then(observed, None, End::Interrupted),
        (Wish::GoOn | Wish::Suspend, Some(at_hand)) => match leftover(observed, &at_hand.key) {
            Some(stop) => Decision::Act(vec![stop]),
            None => attempt::decide(plan, &at_hand, observed, now_unix_nanos),
        },
    }
}

/// The attempt at hand.
#[derive(Debug, Clone)]
pub(super) struct AtHand<'a> {
    /// Its name.
    pub key: AttemptKey,
    /// The run.
    pub run: &'a PlannedRun,
    /// What is durable of it; absent: it has not begun.
    pub record: Option<&'a AttemptRecord>,
    /// When the attempt before it ended.
    pub after_unix_nanos: Option<i64>,
}

/// The first run that is not settled, and the attempt at it that counts.
pub(super) fn at_hand<'a>(plan: &'a Plan, ledger: &'a Ledger) -> Option<AtHand<'a>> {
    plan.runs.iter().find_map(|run| {
        let attempts = ledger.run(&run.id).map_or(&[][..], |record| &record.attempts[..]);
        let made = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
        let key = |attempt| AttemptKey { run: run.id.clone(), attempt };
        let Some(last) = attempts.last() else {
            return Some(AtHand { key: key(1), run, record: None, after_unix_nanos: None });
        };
        match &last.end {
            None => Some(AtHand { key: key(made), run, record: Some(last), after_unix_nanos: None }),
            Some(_) if is_settled(last, attempts.len()) => None,
            Some((at, _)) => Some(AtHand { key: key(made + 1), run, record: None, after_unix_nanos: Some(*at) }),
        }
    })
}

/// Whether a run is over with this attempt, its last of so many.
pub(crate) fn is_settled(last: &AttemptRecord, attempts: usize) -> bool {
    let again = |reason: EndReason| reason.worth_another_attempt() && attempts < MAX_ATTEMPTS as usize;
    last.end.as_ref().is_some_and(|(_, end)| !again(end.reason))
}

/// Whatever is left of the processes goes, then what else is to be done, then the end.
fn stop_then(observed: &Observed, then: Option<Action>, end: End) -> Decision {
    let stop = observed.part.as_ref().map(|part| Action::StopProcesses { part: part.key.clone() });
    let actions: Vec<Action> = stop.into_iter().chain(then).collect();
    if actions.is_empty() { Decision::Finished(end) } else { Decision::Act(actions) }
}

fn cancelled(attempt: AttemptKey) -> Action {
    Action::EndAttempt { attempt, end: AttemptEnd { reason: EndReason::Cancelled, words: None } }
}

/// Processes of another attempt than the one at hand.
fn leftover(observed: &Observed, at_hand: &AttemptKey) -> Option<Action> {
    let part = observed.part.as_ref().filter(|part| part.key.attempt != *at_hand)?;
    Some(Action::StopProcesses { part: part.key.clone() })
}
