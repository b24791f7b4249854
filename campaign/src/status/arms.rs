//! The results of each arm × body: the median over its replicates, and each of them.

use std::collections::BTreeMap;

use soak_crds::status::{ArmStatus, CapacityStatus, KneeStatus, Outcome, ReplicateStatus};
use soak_sample::Protocol;

use super::{JudgedRun, matched};
use crate::{
    plan::{Plan, PlannedArm},
    verdict::{Capacity, Knee},
};

/// The results of each arm × body that has any run under way or over, in the order of the plan.
pub(super) fn arms(
    plan: &Plan,
    runs: &[JudgedRun],
    digests: &BTreeMap<String, String>,
    matched: &BTreeMap<String, i64>,
) -> Vec<ArmStatus> {
    let pairs = plan.arms.iter().flat_map(|arm| plan.bodies.iter().map(move |body| (arm, &body.name)));
    let status = pairs.filter_map(|(arm, body)| {
        let own: Vec<&JudgedRun> = runs.iter().filter(|run| run.arm == arm.name && run.body == *body).collect();
        let begun = own.iter().any(|run| run.attempt.is_some());
        begun.then(|| one(arm, body, &own, digests.get(&arm.name), matched.get(body).copied()))
    });
    status.collect()
}

fn one(arm: &PlannedArm, body: &str, runs: &[&JudgedRun], digest: Option<&String>, matched: Option<i64>) -> ArmStatus {
    let counting: Vec<&JudgedRun> = runs.iter().copied().filter(|run| run.has_number()).collect();
    let capacities: Vec<Capacity> = counting.iter().filter_map(|run| run.judgement.capacity).collect();
    let costs =
        matched.map(|rate| counting.iter().filter_map(move |run| matched::row_at(run, rate)?.cpu_nanos_per_request));
    let slo: Vec<f64> = counting.iter().filter_map(|run| run.judgement.slo_capacity).map(|c| c.per_second).collect();
    let over = runs.iter().all(|run| run.settled);
    ArmStatus {
        name: arm.name.clone(),
        protocol: protocol(arm.protocol).to_owned(),
        body: body.to_owned(),
        digest: digest.cloned(),
        knee: knee(&counting),
        capacity: median_capacity(&capacities),
        slo_capacity: median(slo).map(rounded),
        collapse: counting.iter().filter_map(|run| run.judgement.collapse).min_by(f64::total_cmp).map(rounded),
        extend: (!counting.is_empty()).then(|| counting.iter().any(|run| run.judgement.extend)),
        replicates: runs.iter().filter(|run| run.attempt.is_some()).map(|run| replicate(run)).collect(),
        spread_permille: spread(&capacities),
        cpu_nanos_per_request: costs.and_then(|costs| median(costs.collect())).map(rounded),
        verdict: over.then(|| verdict(&counting)),
    }
}

/// What the numbers of an arm are worth once all its runs are over.
fn verdict(counting: &[&JudgedRun]) -> Outcome {
    if counting.is_empty() {
        return Outcome::Invalid;
    }
    let found = counting.iter().all(|run| run.judgement.capacity.is_some_and(|capacity| !capacity.at_least));
    if found { Outcome::Pass } else { Outcome::Inconclusive }
}

/// The knee of the replicate in the middle; of an even number the lower one, so that both ends belong to one run.
fn knee(runs: &[&JudgedRun]) -> Option<KneeStatus> {
    let mut knees: Vec<Knee> = runs.iter().filter_map(|run| run.judgement.knee).collect();
    knees.sort_by(|left, right| left.last.total_cmp(&right.last));
    let middle = knees.get(knees.len().checked_sub(1)? / 2)?;
    Some(KneeStatus { last: rounded(middle.last), first_broken: rounded(middle.first_broken) })
}

/// A median is a floor as soon as one of its numbers is.
fn median_capacity(capacities: &[Capacity]) -> Option<CapacityStatus> {
    let per_second = median(capacities.iter().map(|capacity| capacity.per_second).collect())?;
    let at_least = capacities.iter().any(|capacity| capacity.at_least);
    Some(CapacityStatus { per_second: rounded(per_second), at_least })
}

fn spread(capacities: &[Capacity]) -> Option<i64> {
    let values = || capacities.iter().map(|capacity| capacity.per_second);
    let (low, high) = (values().min_by(f64::total_cmp)?, values().max_by(f64::total_cmp)?);
    (capacities.len() > 1 && low > 0.0).then(|| rounded((high / low - 1.0) * 1_000.0))
}

fn replicate(run: &JudgedRun) -> ReplicateStatus {
    let capacity = run.judgement.capacity.filter(|_| run.has_number());
    let capacity = capacity
        .map(|capacity| CapacityStatus { per_second: rounded(capacity.per_second), at_least: capacity.at_least });
    ReplicateStatus { run: run.run.0.clone(), capacity, reason: run.without_number().map(short) }
}

/// Words within the bounds of the status.
pub(super) fn short(words: String) -> String {
    const MOST: usize = 256;
    if words.chars().count() <= MOST {
        return words;
    }
    words.chars().take(MOST - 1).chain(['…']).collect()
}

/// The median; of an even number, the mean of the middle two.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

#[allow(clippy::cast_possible_truncation, reason = "rates, nanoseconds and thousandths lie far within i64")]
fn rounded(value: f64) -> i64 {
    value.round() as i64
}

/// A protocol as the resource spells it.
fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Http1 => "Http1",
        Protocol::Http2 => "Http2",
        Protocol::GrpcUnary => "GrpcUnary",
        Protocol::GrpcStream => "GrpcStream",
    }
}
