//! The conditions of a campaign, for tools: kstatus reads `Reconciling`, `Stalled` and `Ready`; `kubectl wait` the rest. In:
//! how far it is, the verdict, those before; out: all of them. Time is an argument and moves only with a status.

use soak_crds::status::{Condition, ConditionState, Outcome};

use super::{Withdrawals, short::cut};

/// The most letters of a message.
const MOST_MESSAGE: usize = 500;

/// How far a campaign is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// The user must change it.
    Refused {
        /// What.
        words: String,
    },
    /// Under way.
    UnderWay {
        /// In one word, such as `Running`.
        reason: &'static str,
        /// For a reader; the same for as long as only time passes.
        words: String,
    },
    /// Over.
    Ended {
        /// Whether every planned row is there or has a reason, and all of it can be read.
        complete: bool,
        /// How.
        words: String,
    },
}

/// The conditions of this generation of the spec.
pub fn conditions(
    before: &[Condition],
    phase: &Phase,
    verdict: Option<Outcome>,
    (generation, now): (Option<i64>, &str),
) -> Vec<Condition> {
    states(phase, verdict).map(|state| told(before, state, (generation, now))).to_vec()
}

/// What became of the spec's withdrawals; absent where it has none.
pub fn withdrawals_condition(
    before: &[Condition],
    withdrawals: &Withdrawals,
    asked: usize,
    (generation, now): (Option<i64>, &str),
) -> Option<Condition> {
    let Withdrawals { due, early, wrong } = withdrawals;
    let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    let words = [wrong.as_slice(), early].concat().join("; ");
    let (state, reason) = match (wrong.is_empty(), early.is_empty() && due.is_empty()) {
        (false, _) => (ConditionState::False, "NothingToTakeBack"),
        (true, false) => (ConditionState::False, "NotYet"),
        (true, true) => (ConditionState::True, "Recorded"),
    };
    (asked > 0).then(|| told(before, ("WithdrawalsRecorded", state, reason, &words), (generation, now)))
}

fn told(
    before: &[Condition],
    (type_, status, reason, words): State<'_>,
    (generation, now): (Option<i64>, &str),
) -> Condition {
    let known = before.iter().find(|known| known.type_ == type_ && known.status == status);
    Condition {
        type_: type_.to_owned(),
        status,
        observed_generation: generation,
        last_transition_time: known.map_or_else(|| now.to_owned(), |known| known.last_transition_time.clone()),
        reason: reason.to_owned(),
        message: cut(words, MOST_MESSAGE),
    }
}

type State<'a> = (&'static str, ConditionState, &'static str, &'a str);

fn states(phase: &Phase, verdict: Option<Outcome>) -> [State<'_>; 7] {
    use ConditionState::{False, True, Unknown};
    match phase {
        Phase::Refused { words } => [
            ("Accepted", False, "InvalidSpec", words),
            ("Reconciling", False, "InvalidSpec", ""),
            ("Stalled", True, "InvalidSpec", words),
            ("Ready", False, "InvalidSpec", ""),
            ("Succeeded", False, "InvalidSpec", ""),
            ("Finished", False, "NotStarted", ""),
            ("ResultsComplete", False, "NotStarted", ""),
        ],
        Phase::UnderWay { reason, words } => [
            ("Accepted", True, "Planned", ""),
            ("Reconciling", True, reason, words),
            ("Stalled", False, reason, ""),
            ("Ready", False, reason, ""),
            ("Succeeded", Unknown, reason, ""),
            ("Finished", False, reason, ""),
            ("ResultsComplete", Unknown, reason, ""),
        ],
        Phase::Ended { complete, words } => {
            let reason = verdict.map_or("NoVerdict", word);
            let passed = verdict == Some(Outcome::Pass);
            let (ready, stalled) = if passed { (True, False) } else { (False, True) };
            let results = if *complete { (True, "Complete") } else { (False, "Incomplete") };
            [
                ("Accepted", True, "Planned", ""),
                ("Reconciling", False, "Finished", ""),
                ("Stalled", stalled, reason, words),
                ("Ready", ready, reason, words),
                ("Succeeded", ready, reason, words),
                ("Finished", True, reason, words),
                ("ResultsComplete", results.0, results.1, ""),
            ]
        }
    }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "Pass",
        Outcome::Inconclusive => "Inconclusive",
        Outcome::Fail => "Fail",
        Outcome::Invalid => "Invalid",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::WithdrawalError;

    /// What kstatus makes of an object: its rules (`checkGenericProperties`, then `checkReadyCondition`) in their order.
    /// Generations are those of the object and of its status.
    fn kstatus((generation, observed): (i64, Option<i64>), conditions: &[Condition]) -> &'static str {
        if observed.is_some_and(|observed| observed != generation) {
            return "InProgress";
        }
        for known in conditions.iter().filter(|known| known.status == ConditionState::True) {
            match known.type_.as_str() {
                "Reconciling" => return "InProgress",
                "Stalled" => return "Failed",
                _ => {}
            }
        }
        let ready = conditions.iter().find(|known| known.type_ == "Ready").map(|known| known.status);
        match ready {
            None | Some(ConditionState::True) => "Current",
            Some(ConditionState::False | ConditionState::Unknown) => "InProgress",
        }
    }

    fn all(phase: &Phase, verdict: Option<Outcome>) -> Vec<Condition> {
        conditions(&[], phase, verdict, (Some(3), "now"))
    }

    const ALL: [Option<Outcome>; 5] =
        [None, Some(Outcome::Pass), Some(Outcome::Fail), Some(Outcome::Inconclusive), Some(Outcome::Invalid)];

    fn ended(complete: bool) -> Phase {
        Phase::Ended { complete, words: String::new() }
    }

    #[test]
    fn kstatus_sees_progress_failure_and_success() {
        let check = |phase: Phase, verdict, expected| {
            assert_eq!(kstatus((3, Some(3)), &all(&phase, verdict)), expected, "{phase:?} {verdict:?}");
        };
        check(Phase::Refused { words: "x".to_owned() }, None, "Failed");
        check(Phase::UnderWay { reason: "Running", words: String::new() }, None, "InProgress");
        for verdict in ALL {
            let expected = if verdict == Some(Outcome::Pass) { "Current" } else { "Failed" };
            check(ended(true), verdict, expected);
            check(ended(false), verdict, expected);
        }
    }

    #[test]
    fn kstatus_waits_for_the_operator_to_see_an_edit() {
        for verdict in ALL {
            assert_eq!(kstatus((4, Some(3)), &all(&ended(true), verdict)), "InProgress");
        }
    }

    #[test]
    fn at_most_one_of_reconciling_stalled_and_ready_holds_and_always_one_does() {
        let phases = [
            Phase::Refused { words: "x".to_owned() },
            Phase::UnderWay { reason: "Running", words: String::new() },
            ended(true),
            ended(false),
        ];
        for (phase, verdict) in phases.iter().flat_map(|phase| ALL.map(|verdict| (phase, verdict))) {
            let told = all(phase, verdict);
            let holds = |known: &&Condition| {
                known.status == ConditionState::True && ["Reconciling", "Stalled", "Ready"].contains(&&*known.type_)
            };
            assert_eq!(told.iter().filter(holds).count(), 1, "{phase:?} {verdict:?}");
        }
    }

    #[test]
    fn time_moves_only_with_a_status() {
        let running = |words: &str| Phase::UnderWay { reason: "Running", words: words.to_owned() };
        let first = conditions(&[], &running("step 1"), None, (Some(1), "one"));
        let second = conditions(&first, &running("step 2"), None, (Some(1), "two"));
        assert!(second.iter().all(|condition| condition.last_transition_time == "one"));
        let third = conditions(&second, &ended(true), Some(Outcome::Pass), (Some(1), "three"));
        let moved: Vec<&str> = third
            .iter()
            .filter(|condition| condition.last_transition_time == "three")
            .map(|condition| condition.type_.as_str())
            .collect();
        assert_eq!(moved, ["Reconciling", "Ready", "Succeeded", "Finished", "ResultsComplete"]);
    }

    #[test]
    fn withdrawals_are_told_where_there_are_any() {
        let check = |withdrawals: Withdrawals, asked, expected: Option<(ConditionState, &str)>| {
            let found = withdrawals_condition(&[], &withdrawals, asked, (Some(1), "now"));
            assert_eq!(found.as_ref().map(|told| (told.status, told.reason.as_str())), expected);
        };
        let no_run = WithdrawalError::NoRow { run: "a".to_owned() };
        check(Withdrawals::default(), 0, None);
        check(Withdrawals::default(), 1, Some((ConditionState::True, "Recorded")));
        let early = Withdrawals { early: vec!["later".to_owned()], ..Withdrawals::default() };
        check(early.clone(), 1, Some((ConditionState::False, "NotYet")));
        check(Withdrawals { wrong: vec![no_run], ..early }, 2, Some((ConditionState::False, "NothingToTakeBack")));
    }

    #[test]
    fn a_message_is_within_its_bound_and_speaks_of_the_generation() {
        let refused = all(&Phase::Refused { words: "é".repeat(5_000) }, None);
        assert!(refused.iter().all(|condition| condition.message.chars().count() <= MOST_MESSAGE));
        assert!(refused.iter().all(|condition| condition.observed_generation == Some(3)));
    }
}
