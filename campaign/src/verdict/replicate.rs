//! The replicates of one arm under one body: each value, their median and range. A run that does not count is shown with
//! its reason and never averaged.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::noise::Side;
use super::run::median;
use super::{Capacity, RunJudgement, Verdict};
use crate::table::{Row, number};

/// A run as the verdicts on a campaign need it.
#[derive(Debug, Clone, Copy)]
pub struct RunResult<'a> {
    /// The run's name.
    pub run: &'a str,
    /// The arm's.
    pub arm: &'a str,
    /// The body's.
    pub body: &'a str,
    /// What must be equal for two runs to be compared: names and values.
    pub fingerprint: &'a BTreeMap<String, String>,
    /// Its rows, judged.
    pub rows: &'a [Row],
    /// What it means.
    pub judgement: &'a RunJudgement,
    /// Why it does not count: void, withdrawn, not finished; absent where it counts.
    pub void: Option<&'a str>,
}

/// One replicate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Replicate {
    /// The run.
    pub run: String,
    /// Its capacity; absent where it has no number that counts.
    pub capacity: Option<Capacity>,
    /// Why it has none.
    pub reason: Option<String>,
}

/// All replicates of one arm under one body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArmJudgement {
    /// The arm.
    pub arm: String,
    /// The body.
    pub body: String,
    /// Each, in the order of the runs.
    pub replicates: Vec<Replicate>,
    /// The median of those that count; a floor where one of them is.
    pub capacity: Option<Capacity>,
    /// The lowest of those that count.
    #[serde(serialize_with = "number::option")]
    pub low: Option<f64>,
    /// The highest.
    #[serde(serialize_with = "number::option")]
    pub high: Option<f64>,
}

/// The runs of one arm under one body, those that do not count included.
pub(super) fn judge(arm: &str, body: &str, runs: &[RunResult<'_>]) -> ArmJudgement {
    let own: Vec<_> = runs.iter().filter(|run| run.arm == arm && run.body == body).collect();
    let counting: Vec<Capacity> = own.iter().filter_map(|run| capacity(run)).collect();
    let values: Vec<f64> = counting.iter().map(|capacity| capacity.per_second).collect();
    ArmJudgement {
        arm: arm.to_owned(),
        body: body.to_owned(),
        replicates: own.iter().map(|run| replicate(run)).collect(),
        capacity: middle(&counting),
        low: values.iter().copied().min_by(f64::total_cmp),
        high: values.iter().copied().max_by(f64::total_cmp),
    }
}

/// The median of capacities; a floor where one of them is.
pub(super) fn middle(capacities: &[Capacity]) -> Option<Capacity> {
    let values: Vec<f64> = capacities.iter().map(|capacity| capacity.per_second).collect();
    let at_least = capacities.iter().any(|capacity| capacity.at_least);
    median(&values).map(|per_second| Capacity { per_second, at_least })
}

fn replicate(run: &RunResult<'_>) -> Replicate {
    let capacity = capacity(run);
    let unjudged = || capacity.is_none().then(|| "no step can be judged".to_owned());
    Replicate { run: run.run.to_owned(), capacity, reason: run.void.map(str::to_owned).or_else(unjudged) }
}

/// The capacity of a run that counts.
pub(super) fn capacity(run: &RunResult<'_>) -> Option<Capacity> {
    run.judgement.capacity.filter(|capacity| run.void.is_none() && capacity.per_second > 0.0)
}

/// The capacities of an arm's runs as one side of a ratio.
pub(super) fn capacities(runs: &[&RunResult<'_>]) -> Side {
    let counting: Vec<Capacity> = runs.iter().filter_map(|run| capacity(run)).collect();
    Side {
        logs: counting.iter().map(|capacity| capacity.per_second.ln()).collect(),
        at_least: counting.iter().any(|capacity| capacity.at_least),
    }
}

/// The row at a rate, where it keeps the knee's bounds and was not taken back.
pub(super) fn kept_at<'a>(run: &RunResult<'a>, rate: f64) -> Option<&'a Row> {
    run.rows.iter().find(|row| is_kept(row) && same_rate(row.rate(), rate))
}

/// Whether a row keeps the knee's bounds.
pub(super) fn is_kept(row: &Row) -> bool {
    row.withdrawn.is_none() && matches!(row.verdict, Some(Verdict::Clean | Verdict::AtKnee))
}

/// Rates as planned are equal or differ by one at least.
pub(super) fn same_rate(one: f64, two: f64) -> bool {
    (one - two).abs() < 0.5
}

#[cfg(test)]
mod tests {
    use super::same_rate;

    #[test]
    fn rates_are_the_same_within_less_than_half_a_call() {
        let check = |one, two, expected| assert_eq!(same_rate(one, two), expected, "{one} {two}");
        check(100.0, 100.0, true);
        check(100.4, 100.0, true);
        check(100.0, 100.4, true);
        check(100.0, 100.5, false);
        check(101.0, 100.0, false);
    }
}
