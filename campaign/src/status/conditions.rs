//! The conditions of a campaign, for tools: kstatus reads `Reconciling`, `Stalled` and `Ready`; `kubectl wait` the rest. In:
//! how far it is, the verdict, those before; out: all of them. Time is an argument and moves only with a status.

use soak_crds::status::{Condition, ConditionState, Outcome};

use super::short::cut;

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
    let states = states(phase, verdict);
    let told = states.map(|(type_, status, reason, words)| {
        let known = before.iter().find(|known| known.type_ == type_ && known.status == status);
        Condition {
            type_: type_.to_owned(),
            status,
            observed_generation: generation,
            last_transition_time: known.map_or_else(|| now.to_owned(), |known| known.last_transition_time.clone()),
            reason: reason.to_owned(),
            message: cut(words, MOST_MESSAGE),
        }
    });
    told.to_vec()
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

    /// What `kstatus` makes of conditions of the generation at hand.
    fn kstatus(conditions: &[Condition]) -> &'static str {
        let is =
            |type_: &str| conditions.iter().any(|known| known.type_ == type_ && known.status == ConditionState::True);
        match (is("Reconciling"), is("Stalled"), is("Ready")) {
            (true, false, false) => "InProgress",
            (false, true, false) => "Failed",
            (false, false, true) => "Current",
            _ => "contradiction",
        }
    }

    fn told(phase: &Phase, verdict: Option<Outcome>) -> Vec<Condition> {
        conditions(&[], phase, verdict, (Some(3), "now"))
    }

    #[test]
    fn tools_see_progress_failure_and_success_and_never_a_contradiction() {
        let check =
            |phase: Phase, verdict, expected| assert_eq!(kstatus(&told(&phase, verdict)), expected, "{phase:?}");
        let ended = |complete| Phase::Ended { complete, words: String::new() };
        check(Phase::Refused { words: "x".to_owned() }, None, "Failed");
        check(Phase::UnderWay { reason: "Running", words: String::new() }, None, "InProgress");
        check(ended(true), Some(Outcome::Pass), "Current");
        check(ended(true), Some(Outcome::Fail), "Failed");
        check(ended(true), Some(Outcome::Inconclusive), "Failed");
        check(ended(false), Some(Outcome::Invalid), "Failed");
        check(ended(false), None, "Failed");
    }

    #[test]
    fn time_moves_only_with_a_status() {
        let running = |words: &str| Phase::UnderWay { reason: "Running", words: words.to_owned() };
        let first = conditions(&[], &running("step 1"), None, (Some(1), "one"));
        let second = conditions(&first, &running("step 2"), None, (Some(1), "two"));
        assert!(second.iter().all(|condition| condition.last_transition_time == "one"));
        let ended = Phase::Ended { complete: true, words: String::new() };
        let third = conditions(&second, &ended, Some(Outcome::Pass), (Some(1), "three"));
        let moved: Vec<&str> = third
            .iter()
            .filter(|condition| condition.last_transition_time == "three")
            .map(|condition| condition.type_.as_str())
            .collect();
        assert_eq!(moved, ["Reconciling", "Ready", "Succeeded", "Finished", "ResultsComplete"]);
    }

    #[test]
    fn a_message_is_within_its_bound_and_speaks_of_the_generation() {
        let refused = told(&Phase::Refused { words: "é".repeat(5_000) }, None);
        assert!(refused.iter().all(|condition| condition.message.chars().count() <= MOST_MESSAGE));
        assert!(refused.iter().all(|condition| condition.observed_generation == Some(3)));
    }
}
