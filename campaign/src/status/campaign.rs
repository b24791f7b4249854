//! The campaign's own verdicts — comparisons, levers, predictions, thresholds — as the judge gives them, and as the status
//! tells them.

use std::collections::BTreeMap;

use soak_crds::status::{
    CapacityStatus, ComparisonStatus, LeverStatus, Outcome, PredictionOutcome, PredictionStatus, ThresholdStatus,
    WithdrawnStatus,
};
use soak_sample::Machine;

use super::{
    JudgedRun,
    instant::rfc3339,
    short::{rounded, short},
};
use crate::{
    plan::Plan,
    verdict::{
        Answer, Answered, CampaignJudgement, Comparison, Evidence, LeverWorth, Ratio, RunResult, fingerprint,
        judge_campaign,
    },
};

/// The most reasons of a refusal that the status tells; the results tell all.
const MOST_REASONS: usize = 16;

/// What the campaign means, from its runs, all made on this machine.
pub fn campaign_judgement(plan: &Plan, runs: &[JudgedRun], machine: &Machine) -> CampaignJudgement {
    let begun = || runs.iter().zip(&plan.runs).filter(|(run, _)| run.attempt.is_some());
    let known: Vec<(BTreeMap<String, String>, Option<String>)> = begun()
        .map(|(run, planned)| (fingerprint(planned, &plan.planned_by, machine), run.why_not_counted()))
        .collect();
    let results = begun().zip(&known).map(|((run, _), (fingerprint, void))| RunResult {
        run: &run.run.0,
        arm: &run.arm,
        body: &run.body,
        fingerprint,
        rows: &run.rows,
        judgement: &run.judgement,
        void: void.as_deref(),
    });
    judge_campaign(plan, &results.collect::<Vec<_>>())
}

/// A comparison in the status.
pub(super) fn comparison(comparison: &Comparison) -> ComparisonStatus {
    let permille = |ratio: Option<f64>| ratio.map(|ratio| rounded(ratio * 1_000.0));
    let capacity = &comparison.capacity;
    ComparisonStatus {
        name: comparison.name.clone(),
        body: Some(comparison.body.clone()),
        capacity_ratio_permille: permille(capacity.value),
        low: permille(capacity.low),
        high: permille(capacity.high),
        nil: capacity.nil,
        asked: i64::try_from(comparison.asked).ok(),
        claimed_from: permille(capacity.claimed_from),
        refused: comparison.refused.iter().take(MOST_REASONS).map(|reason| short(reason)).collect(),
    }
}

/// A lever in the status.
pub(super) fn lever(worth: &LeverWorth) -> LeverStatus {
    let permille = |ratio: &Ratio| ratio.value.map(|ratio| rounded(ratio * 1_000.0));
    let measures = [("capacity", &worth.capacity), ("cpu", &worth.cpu), ("p50", &worth.p50), ("memory", &worth.memory)];
    let nil = measures.iter().filter(|(_, ratio)| ratio.nil == Some(true)).map(|(measure, _)| (*measure).to_owned());
    LeverStatus {
        arm: worth.arm.clone(),
        body: worth.body.clone(),
        lever: short(&worth.levers.join(" + ")),
        already_on: worth.already_on,
        capacity_ratio_permille: permille(&worth.capacity),
        cpu_ratio_permille: permille(&worth.cpu),
        p50_ratio_permille: permille(&worth.p50),
        memory_ratio_permille: permille(&worth.memory),
        nil: nil.collect(),
    }
}

/// What of a run was taken back, in the status.
pub(super) fn withdrawn(run: &JudgedRun) -> Vec<WithdrawnStatus> {
    let told = run.withdrawn.iter().map(|taken| WithdrawnStatus {
        run: run.run.0.clone(),
        step: taken.step,
        at: rfc3339(taken.at_unix_nanos),
        was: taken.was.map(|was| CapacityStatus { per_second: rounded(was.per_second), at_least: was.at_least }),
        reason: short(&taken.words.reason),
        superseded_by: taken.words.superseded_by.as_deref().map(short),
    });
    told.collect()
}

/// Predictions in the status: one a name, the worst of its bodies.
pub(super) fn predictions(answered: &[Answered]) -> Vec<PredictionStatus> {
    let worst = worst_of_each(answered);
    let told = worst.into_iter().map(|(name, answer, evidence)| PredictionStatus {
        name,
        outcome: Some(match answer {
            Answer::Held => PredictionOutcome::Held,
            Answer::Undecidable => PredictionOutcome::Undecidable,
            Answer::Failed => PredictionOutcome::Failed,
        }),
        evidence: Some(evidence),
    });
    told.collect()
}

/// Thresholds in the status.
pub(super) fn thresholds(answered: &[Answered]) -> Vec<ThresholdStatus> {
    let worst = worst_of_each(answered);
    let told = worst.into_iter().map(|(name, answer, evidence)| ThresholdStatus {
        name,
        outcome: Some(match answer {
            Answer::Held => Outcome::Pass,
            Answer::Undecidable => Outcome::Inconclusive,
            Answer::Failed => Outcome::Fail,
        }),
        evidence: Some(evidence),
    });
    told.collect()
}

/// Each name once, in the order of the plan, with its worst answer and the numbers beside their limits.
fn worst_of_each(answered: &[Answered]) -> Vec<(String, Answer, String)> {
    let mut worst: Vec<&Answered> = Vec::new();
    for one in answered {
        match worst.iter_mut().find(|known| known.name == one.name) {
            Some(known) if known.answer < one.answer => *known = one,
            Some(_) => {}
            None => worst.push(one),
        }
    }
    let several = answered.len() > worst.len();
    worst.into_iter().map(|one| (one.name.clone(), one.answer, evidence(one, several))).collect()
}

fn evidence(answered: &Answered, several: bool) -> String {
    let words = |evidence: &Evidence| match &evidence.bound {
        Some(bound) => format!("{} {} against {bound}", evidence.measure, evidence.value),
        None => format!("{} {}", evidence.measure, evidence.value),
    };
    let all = answered.evidence.iter().map(words).collect::<Vec<_>>().join("; ");
    let body = answered.body.as_ref().filter(|_| several);
    short(&body.map(|body| format!("{body}: {all}")).unwrap_or(all))
}
