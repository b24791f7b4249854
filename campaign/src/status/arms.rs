//! The results of each arm × body: the median over its replicates, and each of them.

use std::collections::BTreeMap;

use soak_crds::status::{ArmStatus, CapacityStatus, KneeStatus, Outcome, ReplicateStatus};
use soak_sample::Protocol;

use super::{
    JudgedRun, matched,
    short::{rounded, short},
};
use crate::{
    plan::{Plan, PlannedArm},
    verdict::{ArmJudgement, CampaignJudgement, Capacity, Knee, Replicate, median},
};

/// The results of each arm × body that has any run under way or over, in the order of the plan.
pub(super) fn arms(
    plan: &Plan,
    runs: &[JudgedRun],
    judgement: &CampaignJudgement,
    digests: &BTreeMap<String, String>,
) -> Vec<ArmStatus> {
    let matched = matched::matched_rates(runs);
    let pairs = plan.arms.iter().flat_map(|arm| plan.bodies.iter().map(move |body| (arm, &body.name)));
    let status = pairs.filter_map(|(arm, body)| {
        let judged = judgement.arms.iter().find(|judged| judged.arm == arm.name && judged.body == *body)?;
        let own = Own {
            arm,
            judged,
            runs: runs.iter().filter(|run| run.arm == arm.name && run.body == *body).collect(),
            matched: matched.get(body).copied(),
        };
        let begun = own.runs.iter().any(|run| run.attempt.is_some());
        begun.then(|| own.status(digests.get(&arm.name).cloned()))
    });
    status.collect()
}

/// One arm under one body.
struct Own<'a> {
    arm: &'a PlannedArm,
    judged: &'a ArmJudgement,
    runs: Vec<&'a JudgedRun>,
    matched: Option<i64>,
}

impl Own<'_> {
    fn status(&self, digest: Option<String>) -> ArmStatus {
        let counting: Vec<&JudgedRun> = self.runs.iter().copied().filter(|run| run.has_number()).collect();
        let slo = counting.iter().filter_map(|run| run.judgement.slo_capacity).map(|capacity| capacity.per_second);
        let collapse = counting.iter().filter_map(|run| run.judgement.collapse).min_by(f64::total_cmp);
        ArmStatus {
            name: self.arm.name.clone(),
            protocol: protocol(self.arm.protocol).to_owned(),
            body: self.judged.body.clone(),
            digest,
            knee: knee(&counting),
            capacity: self.judged.capacity.map(capacity),
            slo_capacity: median(&slo.collect::<Vec<_>>()).map(rounded),
            collapse: collapse.map(rounded),
            extend: (!counting.is_empty()).then(|| counting.iter().any(|run| run.judgement.extend)),
            replicates: self.judged.replicates.iter().map(replicate).collect(),
            spread_permille: spread(self.judged),
            cpu_nanos_per_request: self.cost(&counting).map(rounded),
            drift: drift(&counting),
            verdict: self.runs.iter().all(|run| run.settled).then(|| verdict(&counting)),
        }
    }

    /// CPU per request at the matched rate, the median of the runs that count.
    fn cost(&self, counting: &[&JudgedRun]) -> Option<f64> {
        let rate = self.matched?;
        let costs = counting.iter().filter_map(|run| matched::row_at(run, rate)?.cpu_nanos_per_request);
        median(&costs.collect::<Vec<_>>())
    }
}

/// What the numbers of an arm are worth once all its runs are over.
fn verdict(counting: &[&JudgedRun]) -> Outcome {
    counting.iter().map(|run| of_run(run)).max().unwrap_or(Outcome::Invalid)
}

/// A ramp passes when it found the capacity; a hold when it held, and fails when it drifted.
fn of_run(run: &JudgedRun) -> Outcome {
    let found = run.judgement.capacity.is_some_and(|capacity| !capacity.at_least);
    match &run.drift {
        Some(drift) if !drift.drifted.is_empty() => Outcome::Fail,
        Some(_) if run.held() == Some(true) => Outcome::Pass,
        None if found => Outcome::Pass,
        Some(_) | None => Outcome::Inconclusive,
    }
}

/// What drifted, of every run that counts, or why that cannot be told.
fn drift(counting: &[&JudgedRun]) -> Vec<String> {
    const MOST: usize = 8;
    let of_run = |run: &&JudgedRun| {
        let drift = run.drift.as_ref();
        let drifted = drift.into_iter().flat_map(|drift| &drift.drifted);
        let drifted = drifted.map(|evidence| format!("{}: {} {}", run.run, evidence.measure, evidence.value));
        let unknown = drift.and_then(|drift| drift.unknown.as_ref()).map(|why| format!("{}: unknown, {why}", run.run));
        drifted.chain(unknown).map(|words| short(&words)).collect::<Vec<_>>()
    };
    counting.iter().flat_map(of_run).take(MOST).collect()
}

/// The knee of the replicate in the middle; of an even number the lower one, so that both ends belong to one run.
fn knee(runs: &[&JudgedRun]) -> Option<KneeStatus> {
    let mut knees: Vec<Knee> = runs.iter().filter_map(|run| run.judgement.knee).collect();
    knees.sort_by(|left, right| left.last.total_cmp(&right.last));
    let middle = knees.get(knees.len().checked_sub(1)? / 2)?;
    Some(KneeStatus { last: rounded(middle.last), first_broken: rounded(middle.first_broken) })
}

fn capacity(capacity: Capacity) -> CapacityStatus {
    CapacityStatus { per_second: rounded(capacity.per_second), at_least: capacity.at_least }
}

/// Highest over lowest, less one, thousandths.
fn spread(judged: &ArmJudgement) -> Option<i64> {
    let (low, high) = (judged.low?, judged.high?);
    let several = judged.replicates.iter().filter(|replicate| replicate.capacity.is_some()).count() > 1;
    (several && low > 0.0).then(|| rounded((high / low - 1.0) * 1_000.0))
}

fn replicate(replicate: &Replicate) -> ReplicateStatus {
    ReplicateStatus {
        run: replicate.run.clone(),
        capacity: replicate.capacity.map(capacity),
        reason: replicate.reason.as_deref().map(short),
    }
}

/// A protocol as the resource spells it.
pub fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Http1 => "Http1",
        Protocol::Http2 => "Http2",
        Protocol::GrpcUnary => "GrpcUnary",
        Protocol::GrpcStream => "GrpcStream",
    }
}
