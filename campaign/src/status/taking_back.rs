//! Which withdrawals can be recorded: against plan and ledger. In: what is asked to be taken back; out: what may be
//! recorded, what waits, and what names nothing, each with its reason.

use soak_crds::spec::Withdrawal;

use crate::{
    plan::{Plan, RunId},
    step::{Ledger, is_settled},
};

/// Why a withdrawal cannot be recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WithdrawalError {
    /// No run of the plan has this name.
    #[error("run {run}: no such run; there are: {}", known.join(", "))]
    NoSuchRun {
        /// As asked.
        run: String,
        /// The plan's runs.
        known: Vec<String>,
    },
    /// The run has no row at this rate.
    #[error("step {step}: {run} has no row at this rate; it has rows at: {}", known.join(", "))]
    NoSuchStep {
        /// As asked.
        step: i64,
        /// The run.
        run: String,
        /// The rates at which it has rows.
        known: Vec<String>,
    },
    /// The run has no row at all.
    #[error("run {run}: it has no row that could be taken back")]
    NoRow {
        /// The run.
        run: String,
    },
    /// It was taken back with other words.
    #[error("{what} was withdrawn before: {reason}; a withdrawal is never changed")]
    Already {
        /// The run or its step.
        what: String,
        /// The words on record.
        reason: String,
    },
}

/// The withdrawals of a spec, as far as they are not on record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Withdrawals {
    /// To be recorded now.
    pub due: Vec<Withdrawal>,
    /// Recorded once the run is over, in words.
    pub early: Vec<String>,
    /// Never recorded unless somebody changes them.
    pub wrong: Vec<WithdrawalError>,
}

/// Sorts what a spec takes back. What is on record word by word is done; of a campaign that is not over, a run that is not
/// either is waited for.
pub fn withdrawals(plan: &Plan, ledger: &Ledger, asked: &[Withdrawal], is_over: bool) -> Withdrawals {
    let mut sorted = Withdrawals::default();
    let mut known: Vec<&Withdrawal> = ledger.withdrawals.iter().map(|(_, known)| known).collect();
    for withdrawal in asked {
        if known.contains(&withdrawal) {
            continue;
        }
        if !is_over && is_under_way(plan, ledger, &withdrawal.run) {
            let what = withdrawn_in_words(&withdrawal.run, withdrawal.step);
            sorted.early.push(format!("{what} is taken back once its run is over"));
            continue;
        }
        match check(plan, ledger, &known, withdrawal) {
            Ok(()) => {
                known.push(withdrawal);
                sorted.due.push(withdrawal.clone());
            }
            Err(error) => sorted.wrong.push(error),
        }
    }
    sorted
}

/// Whether there is something to take back that was not taken back before.
pub fn check_withdrawal(plan: &Plan, ledger: &Ledger, asked: &Withdrawal) -> Result<(), WithdrawalError> {
    let known: Vec<&Withdrawal> = ledger.withdrawals.iter().map(|(_, known)| known).collect();
    check(plan, ledger, &known, asked)
}

fn check(plan: &Plan, ledger: &Ledger, known: &[&Withdrawal], asked: &Withdrawal) -> Result<(), WithdrawalError> {
    let run = asked.run.clone();
    if !plan.runs.iter().any(|planned| planned.id.0 == run) {
        let known = plan.runs.iter().map(|run| run.id.0.clone()).collect();
        return Err(WithdrawalError::NoSuchRun { run, known });
    }
    let rates = rates(ledger, &run);
    if rates.is_empty() {
        return Err(WithdrawalError::NoRow { run });
    }
    if let Some(step) = asked.step.filter(|step| !rates.contains(step)) {
        let known = rates.iter().map(i64::to_string).collect();
        return Err(WithdrawalError::NoSuchStep { step, run, known });
    }
    let covers = |known: &&&Withdrawal| known.run == asked.run && (known.step.is_none() || known.step == asked.step);
    match known.iter().find(covers) {
        Some(known) => Err(WithdrawalError::Already {
            what: withdrawn_in_words(&known.run, known.step),
            reason: known.reason.clone(),
        }),
        None => Ok(()),
    }
}

/// A run, or its step, in words.
pub fn withdrawn_in_words(run: &str, step: Option<i64>) -> String {
    match step {
        Some(step) => format!("the step of {step}/s of {run}"),
        None => run.to_owned(),
    }
}

/// The rates at which a run has judged rows.
fn rates(ledger: &Ledger, run: &str) -> Vec<i64> {
    let last = ledger.run(&RunId(run.to_owned())).and_then(|record| record.attempts.last());
    let rows = last.map(|attempt| attempt.rows().0).unwrap_or_default();
    rows.iter().filter(|row| !row.warmup).filter_map(|row| row.planned).collect()
}

/// Whether a run of the plan will have further rows.
fn is_under_way(plan: &Plan, ledger: &Ledger, run: &str) -> bool {
    let attempts = ledger.run(&RunId(run.to_owned())).map_or(&[][..], |record| &record.attempts[..]);
    let is_over = attempts.last().is_some_and(|last| is_settled(last, attempts.len()));
    plan.runs.iter().any(|planned| planned.id.0 == run) && !is_over
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::json;
    use soak_crds::spec::SoakCampaignSpec;

    use super::*;
    use crate::{
        plan::{self, Means, PlannedStep},
        step::{AttemptEnd, AttemptKey, EndReason, Identity, PartCause, Record, StoredStep},
        table::{Row, Signals},
    };

    fn plan() -> Plan {
        let spec: SoakCampaignSpec = serde_json::from_value(json!({
            "arms": [{"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"}],
            "bodies": [{"preset": "Tiny"}],
            "ramp": {"steps": {"rates": [200, 400]}},
            "replicates": 2,
        }))
        .unwrap();
        plan::plan(&spec, "c", &Means::default()).unwrap()
    }

    /// The first run with a row at 200/s, and the second that has not begun.
    fn ledger(end: Option<EndReason>) -> Ledger {
        let attempt = AttemptKey { run: plan().runs[0].id.clone(), attempt: 1 };
        let id = || Identity("p".to_owned());
        let step = PlannedStep { index: 1, ..*plan().runs[0].steps.last().unwrap() };
        let row = Row { planned: Some(200), ..Row::default() };
        let stored = StoredStep { step, start_unix_nanos: 1, end_unix_nanos: 2, row, signals: Signals::default() };
        let part = attempt.part(1);
        let records = [
            Record::PartBegan {
                part: part.clone(),
                at_unix_nanos: 1,
                cause: PartCause::Start,
                arm: id(),
                driver: id(),
            },
            Record::StepStored { key: part.step(1), stored: Box::new(stored) },
        ];
        let ended = end.map(|reason| Record::AttemptEnded {
            attempt,
            at_unix_nanos: 3,
            end: AttemptEnd { reason, words: None },
        });
        Ledger::replay(records.into_iter().chain(ended)).unwrap()
    }

    fn asked(run: &str, step: Option<i64>, reason: &str) -> Withdrawal {
        Withdrawal { run: run.to_owned(), step, reason: reason.to_owned(), superseded_by: None }
    }

    #[test]
    fn what_has_rows_and_is_over_is_due_and_what_names_nothing_is_told() {
        let ledger = ledger(Some(EndReason::Completed));
        let spec = [
            asked("a-tiny-r1", Some(200), "x"),
            asked("a-tiny-r1", Some(200), "other words"),
            asked("a-tiny-r1", Some(300), "x"),
            asked("a-tiny-r9", None, "x"),
            asked("a-tiny-r2", None, "x"),
        ];
        let sorted = withdrawals(&plan(), &ledger, &spec, false);
        assert_eq!(sorted.due, [spec[0].clone()]);
        assert_eq!(sorted.early, ["a-tiny-r2 is taken back once its run is over"]);
        let words: Vec<String> = sorted.wrong.iter().map(ToString::to_string).collect();
        assert!(words[0].starts_with("the step of 200/s of a-tiny-r1 was withdrawn before: x"), "{words:?}");
        assert!(words[1].contains("no row at this rate; it has rows at: 200"), "{words:?}");
        assert!(words[2].contains("no such run; there are: a-tiny-r1, a-tiny-r2"), "{words:?}");
        assert_eq!(words.len(), 3);
    }

    #[test]
    fn a_run_that_goes_on_is_waited_for_unless_the_campaign_is_over() {
        let spec = [asked("a-tiny-r1", None, "x")];
        let check = |end, is_over, expected| {
            let sorted = withdrawals(&plan(), &ledger(end), &spec, is_over);
            assert_eq!((sorted.due.len(), sorted.early.len(), sorted.wrong.len()), expected, "{end:?} {is_over}");
        };
        check(None, false, (0, 1, 0));
        check(Some(EndReason::ArmDied), false, (0, 1, 0));
        check(Some(EndReason::Cancelled), false, (1, 0, 0));
        let none_begun = withdrawals(&plan(), &Ledger::default(), &spec, true);
        assert_eq!(none_begun.wrong, [WithdrawalError::NoRow { run: "a-tiny-r1".to_owned() }]);
    }

    #[test]
    fn what_is_on_record_is_done() {
        let mut ledger = ledger(Some(EndReason::Completed));
        let withdrawal = asked("a-tiny-r1", None, "x");
        ledger.apply(Record::Withdrawn { at_unix_nanos: 4, withdrawal: withdrawal.clone() }).unwrap();
        assert_eq!(withdrawals(&plan(), &ledger, &[withdrawal], true), Withdrawals::default());
    }
}
