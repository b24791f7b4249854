//! Results taken back: the row stays, marked with reason and successor, and enters no verdict beyond its own.

use soak_crds::spec::Withdrawal;

use super::replicate::same_rate;
use crate::table::{Row, Withdrawn};

/// Marks the rows of a run that were withdrawn. Called before the run is judged.
pub fn withdraw(run: &str, rows: &mut [Row], withdrawals: &[Withdrawal]) {
    for withdrawal in withdrawals.iter().filter(|withdrawal| withdrawal.run == run) {
        for row in rows.iter_mut().filter(|row| concerns(withdrawal, row)) {
            row.withdrawn =
                Some(Withdrawn { reason: withdrawal.reason.clone(), superseded_by: withdrawal.superseded_by.clone() });
        }
    }
}

/// Why a whole run was withdrawn; absent where it was not.
pub fn withdrawn_run<'a>(run: &str, withdrawals: &'a [Withdrawal]) -> Option<&'a str> {
    let whole = |withdrawal: &&Withdrawal| withdrawal.run == run && withdrawal.step.is_none();
    withdrawals.iter().find(whole).map(|withdrawal| withdrawal.reason.as_str())
}

fn concerns(withdrawal: &Withdrawal, row: &Row) -> bool {
    withdrawal.step.is_none_or(|step| !row.warmup && same_rate(row.rate(), step as f64))
}

#[cfg(test)]
mod tests {
    use soak_crds::spec::Withdrawal;

    use super::{withdraw, withdrawn_run};
    use crate::table::Row;

    fn taken_back(run: &str, step: Option<i64>) -> Withdrawal {
        Withdrawal { run: run.to_owned(), step, reason: "wrong body".to_owned(), superseded_by: Some("b".to_owned()) }
    }

    fn rows() -> Vec<Row> {
        [(200, true), (200, false), (400, false)]
            .map(|(rate, warmup)| Row { offered: 1.0, planned: Some(rate), warmup, ..Row::default() })
            .into()
    }

    #[test]
    fn a_step_or_a_whole_run_is_marked_and_no_other() {
        let check = |withdrawal, expected: [bool; 3]| {
            let mut rows = rows();
            withdraw("a", &mut rows, &[withdrawal]);
            assert_eq!(rows.iter().map(|row| row.withdrawn.is_some()).collect::<Vec<_>>(), expected);
        };
        check(taken_back("a", Some(200)), [false, true, false]);
        check(taken_back("a", None), [true, true, true]);
        check(taken_back("a", Some(300)), [false; 3]);
        check(taken_back("other", None), [false; 3]);
    }

    #[test]
    fn the_mark_holds_reason_and_successor() {
        let mut rows = rows();
        withdraw("a", &mut rows, &[taken_back("a", None)]);
        let mark = rows[0].withdrawn.as_ref().unwrap();
        assert_eq!((mark.reason.as_str(), mark.superseded_by.as_deref()), ("wrong body", Some("b")));
        assert_eq!(withdrawn_run("a", &[taken_back("a", None)]), Some("wrong body"));
        assert_eq!(withdrawn_run("a", &[taken_back("a", Some(200))]), None);
    }
}
