//! Every planned row accounted for: valid, a floor, invalid, withdrawn, or missing with its reason. In: a run, judged.

use serde::Serialize;

use super::JudgedRun;
use crate::{
    table::Row,
    verdict::{Verdict, Worth},
};

/// What became of one planned row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountedRow {
    /// The step's rate, calls per second.
    pub rate: i64,
    /// What became of it.
    pub state: RowState,
    /// The verdict; absent where there is no row.
    pub verdict: Option<Verdict>,
    /// Why it is no valid number; absent where it is one.
    pub reason: Option<String>,
}

/// What became of a planned row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RowState {
    /// It is there, and its number is used.
    Valid,
    /// It is there, and its number is a floor.
    Floor,
    /// It is there: the first step after a warm-up, which is shown and never used.
    Shown,
    /// It is there, and cannot be judged.
    Invalid,
    /// It is there, and was taken back.
    Withdrawn,
    /// It is not there.
    Missing,
}

/// Every planned row of a run, added steps included, in ascending order of their rates' places.
pub fn accounted(run: &JudgedRun) -> Vec<AccountedRow> {
    let there = run.rows.iter().filter(|row| !row.warmup).map(row);
    let missing = run.missing.iter().map(|missing| AccountedRow {
        rate: missing.step.rate,
        state: RowState::Missing,
        verdict: None,
        reason: Some(missing.reason.clone()),
    });
    there.chain(missing).collect()
}

fn row(row: &Row) -> AccountedRow {
    let (state, reason) = match (&row.withdrawn, row.verdict) {
        (Some(withdrawn), _) => (RowState::Withdrawn, Some(withdrawn.reason.clone())),
        (None, Some(Verdict::FirstStep)) => (RowState::Shown, None),
        (None, Some(verdict)) => match verdict.worth() {
            Worth::Judged => (RowState::Valid, None),
            Worth::Floor => (RowState::Floor, Some(evidence(row))),
            Worth::Nothing => (RowState::Invalid, Some(evidence(row))),
        },
        (None, None) => (RowState::Invalid, Some("not judged".to_owned())),
    };
    AccountedRow { rate: row.planned.unwrap_or_default(), state, verdict: row.verdict, reason }
}

fn evidence(row: &Row) -> String {
    let words = row.evidence.iter().map(|evidence| format!("{} {}", evidence.measure, evidence.value));
    words.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Withdrawn;

    fn state(verdict: Option<Verdict>, withdrawn: Option<Withdrawn>) -> RowState {
        row(&Row { planned: Some(200), verdict, withdrawn, ..Row::default() }).state
    }

    #[test]
    fn a_row_is_what_its_verdict_makes_of_it_unless_it_was_taken_back() {
        let check = |verdict, expected| assert_eq!(state(Some(verdict), None), expected, "{verdict}");
        check(Verdict::Clean, RowState::Valid);
        check(Verdict::PastKnee, RowState::Valid);
        check(Verdict::HostLimited, RowState::Floor);
        check(Verdict::Contaminated, RowState::Floor);
        check(Verdict::FirstStep, RowState::Shown);
        check(Verdict::Void, RowState::Invalid);
        assert_eq!(state(None, None), RowState::Invalid);
        assert_eq!(state(Some(Verdict::Clean), Some(Withdrawn::default())), RowState::Withdrawn);
    }
}
