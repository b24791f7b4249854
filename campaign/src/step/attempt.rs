//! One attempt: its parts begin, arm and driver get ready, levers are proven; then the steps follow, decided in `steps`.

use super::{
    Action, AttemptEnd, Decision, EndReason, Observed, ObservedPart, OrderState, PartCause, PartKey, PartRecord,
    ProcessState, Processes, ProofTime, StepKey, Wait, WaitReason, Wish,
    decide::AtHand,
    extension,
    steps::{self, InPart},
    timing,
};
use crate::plan::{Plan, PlannedArm};

/// How often the ramp of one attempt may be split.
const MAX_PARTS: u32 = 50;

/// What to do next in this attempt. Whatever is seen belongs to it.
pub(super) fn decide(plan: &Plan, at_hand: &AtHand<'_>, observed: &Observed, now: i64) -> Decision {
    if let Some(failure) = observed.start_failed.as_ref().filter(|failure| failure.attempt == at_hand.key) {
        return end(at_hand, EndReason::StartFailed, Some(failure.words.clone()));
    }
    let Some(arm) = plan.arms.iter().find(|arm| arm.name == at_hand.run.arm) else {
        return end(at_hand, EndReason::StartFailed, Some(format!("the plan has no arm {}", at_hand.run.arm)));
    };
    let parts = at_hand.record.map_or(&[][..], |record| &record.parts[..]);
    let number = u32::try_from(parts.len()).unwrap_or(u32::MAX);
    match (parts.last(), &observed.part) {
        (None, _) => begin(at_hand, observed, now),
        (Some(_), None) => lost(plan, at_hand, number, observed),
        (Some(_), Some(seen)) if seen.key.part != number => {
            Decision::Act(vec![Action::StopProcesses { part: seen.key.clone() }])
        }
        (Some(part), Some(seen)) => {
            let in_part = InPart { plan, arm, at_hand, part, number, seen, observed, now };
            within(&in_part)
        }
    }
}

/// The first part, unless something speaks against load now.
fn begin(at_hand: &AtHand<'_>, observed: &Observed, now: i64) -> Decision {
    if observed.wish == Wish::Suspend {
        return suspended();
    }
    let earliest = at_hand.after_unix_nanos.map(|ended| timing::next_attempt(&at_hand.key, ended));
    if let Some(until) = earliest.filter(|until| *until > now) {
        let reason = WaitReason::NextAttempt(at_hand.key.clone());
        return Decision::Wait(Wait { reason, until_unix_nanos: Some(until) });
    }
    let part = at_hand.key.part(1);
    Decision::Act(vec![Action::BeginPart { part, processes: Processes::Fresh, cause: PartCause::Start }])
}

/// The processes are gone, and nobody saw how: the ramp goes on where it was, split, on fresh ones.
fn lost(plan: &Plan, at_hand: &AtHand<'_>, number: u32, observed: &Observed) -> Decision {
    if steps::all_stored(at_hand) && extension::next(plan, at_hand).is_none() {
        return end(at_hand, EndReason::LeversUnproven, None);
    }
    if observed.wish == Wish::Suspend {
        return suspended();
    }
    next_part(at_hand, number, Processes::Fresh, PartCause::ProcessesLost)
}

/// Another part of the same attempt.
pub(super) fn next_part(at_hand: &AtHand<'_>, number: u32, processes: Processes, cause: PartCause) -> Decision {
    if number >= MAX_PARTS {
        return end(at_hand, EndReason::SplitTooOften, Some(format!("{MAX_PARTS} parts")));
    }
    let part = at_hand.key.part(number + 1);
    Decision::Act(vec![Action::BeginPart { part, processes, cause }])
}

/// No load begins while the user wants it to hold.
pub(super) fn suspended() -> Decision {
    Decision::Wait(Wait { reason: WaitReason::Suspended, until_unix_nanos: None })
}

/// A part that has begun and whose processes are there: first what is measured is made safe, then what failed is told.
fn within(part: &InPart<'_>) -> Decision {
    let safe = safeguard(part);
    if !safe.is_empty() {
        return Decision::Act(safe);
    }
    if let Some((reason, words)) = failure(part) {
        return end(part.at_hand, reason, words);
    }
    if let Some(wait) = not_ready(part) {
        return Decision::Wait(wait);
    }
    match &part.part.before_load {
        None => Decision::Act(vec![Action::ProveLevers { part: part.key(), when: ProofTime::BeforeLoad }]),
        Some(proofs) => match proofs.miss() {
            Some(words) => end(part.at_hand, EndReason::LeverNotHeld, Some(words)),
            None => steps::decide(part),
        },
    }
}

/// Finished orders are stored where they have no row, and acknowledged.
fn safeguard(part: &InPart<'_>) -> Vec<Action> {
    let finished = part.seen.orders.iter().filter(|order| order.state == OrderState::Finished);
    finished
        .flat_map(|order| {
            let new = StepKey::from_order_id(&order.id)
                .filter(|key| key.part == part.key() && !part.part.has(key.step) && steps::planned(part, key.step));
            let store = new.map(|key| Action::StoreStep { key });
            store.into_iter().chain([Action::Acknowledge { order: order.id.clone() }])
        })
        .collect()
}

/// What ends the attempt.
fn failure(part: &InPart<'_>) -> Option<(EndReason, Option<String>)> {
    let ObservedPart { arm, driver, orders, .. } = part.seen;
    arm_failure(part, arm).or_else(|| driver_failure(part, driver)).or_else(|| {
        orders.iter().find_map(|order| match &order.state {
            OrderState::Failed { words } => Some((EndReason::DriverFailed, Some(words.clone()))),
            OrderState::Armed if part.now >= timing::stuck(order.start_unix_nanos) => {
                Some((EndReason::DriverStuck, Some(format!("order {} did not start", order.id))))
            }
            OrderState::Running if part.now >= timing::stuck(order.end_unix_nanos + part.drain()) => {
                Some((EndReason::DriverStuck, Some(format!("order {} did not end", order.id))))
            }
            OrderState::Armed | OrderState::Running | OrderState::Finished => None,
        })
    })
}

fn arm_failure(part: &InPart<'_>, arm: &ProcessState) -> Option<(EndReason, Option<String>)> {
    let was_ready = part.part.before_load.is_some();
    match arm {
        ProcessState::Exited { words } if was_ready => Some((EndReason::ArmDied, Some(words.clone()))),
        ProcessState::Exited { words } => Some((EndReason::ArmExitedEarly, Some(words.clone()))),
        ProcessState::Absent => Some((EndReason::ArmDied, Some("it is gone".to_owned()))),
        ProcessState::Ready { identity } if *identity != part.part.arm => {
            Some((EndReason::ArmReplaced, Some(format!("{} became {}", part.part.arm.0, identity.0))))
        }
        ProcessState::Starting { words } if part.now >= part.ready_by() => {
            Some((EndReason::ArmNeverReady, words.clone()))
        }
        ProcessState::Unknown { words, since_unix_nanos } => unseen(part, words, *since_unix_nanos),
        ProcessState::Ready { .. } | ProcessState::Starting { .. } => None,
    }
}

fn driver_failure(part: &InPart<'_>, driver: &ProcessState) -> Option<(EndReason, Option<String>)> {
    match driver {
        ProcessState::Exited { words } => Some((EndReason::DriverDied, Some(words.clone()))),
        ProcessState::Absent => Some((EndReason::DriverDied, Some("it is gone".to_owned()))),
        ProcessState::Ready { identity } if *identity != part.part.driver => {
            Some((EndReason::DriverReplaced, Some(format!("{} became {}", part.part.driver.0, identity.0))))
        }
        ProcessState::Starting { words } if part.now >= timing::driver_ready(part.part.began_unix_nanos) => {
            Some((EndReason::DriverStuck, words.clone().or_else(|| Some("it did not get ready".to_owned()))))
        }
        ProcessState::Unknown { words, since_unix_nanos } => unseen(part, words, *since_unix_nanos),
        ProcessState::Ready { .. } | ProcessState::Starting { .. } => None,
    }
}

fn unseen(part: &InPart<'_>, words: &str, since: i64) -> Option<(EndReason, Option<String>)> {
    (part.now >= part.unseen_until(since)).then(|| (EndReason::Unseen, Some(words.to_owned())))
}

/// What is waited for before anything can be asked of arm and driver.
fn not_ready(part: &InPart<'_>) -> Option<Wait> {
    let wait = |reason, until| Some(Wait { reason, until_unix_nanos: Some(until) });
    for (state, is_arm) in [(&part.seen.arm, true), (&part.seen.driver, false)] {
        match state {
            ProcessState::Unknown { words, since_unix_nanos } => {
                return wait(WaitReason::Unseen { words: words.clone() }, part.unseen_until(*since_unix_nanos));
            }
            ProcessState::Starting { words } if is_arm => {
                return wait(WaitReason::ArmStarting { words: words.clone() }, part.ready_by());
            }
            ProcessState::Starting { words } => {
                let until = timing::driver_ready(part.part.began_unix_nanos);
                return wait(WaitReason::DriverStarting { words: words.clone() }, until);
            }
            ProcessState::Absent | ProcessState::Ready { .. } | ProcessState::Exited { .. } => {}
        }
    }
    None
}

/// Ends the attempt; what is left of its processes is stopped at once.
pub(super) fn end(at_hand: &AtHand<'_>, reason: EndReason, words: Option<String>) -> Decision {
    Decision::Act(vec![Action::EndAttempt { attempt: at_hand.key.clone(), end: AttemptEnd { reason, words } }])
}

impl InPart<'_> {
    /// The part's name.
    pub(super) fn key(&self) -> PartKey {
        self.at_hand.key.part(self.number)
    }

    /// The drain after each step.
    pub(super) fn drain(&self) -> i64 {
        self.arm.client.drain_nanos
    }

    /// When something out of sight is given up. What was begun later cannot have been seen before.
    fn unseen_until(&self, since: i64) -> i64 {
        timing::unseen(since.max(self.part.began_unix_nanos))
    }

    fn ready_by(&self) -> i64 {
        let PlannedArm { server, .. } = self.arm;
        self.part.began_unix_nanos.saturating_add(server.ready_timeout_millis.saturating_mul(1_000_000))
    }
}

impl PartRecord {
    /// Whether the step has a row in this part.
    pub(super) fn has(&self, step: u32) -> bool {
        self.steps.iter().any(|stored| stored.step.index == step)
    }
}
