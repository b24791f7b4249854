//! What each lever was worth against the unchanged arm of the same campaign: alone, then stacked; nil where it is nil,
//! "already on" where the baseline held it.

use serde::{Deserialize, Serialize};
use soak_crds::spec::Compare;

use super::compare::{CLIENT, Comparison, Question, compare};
use super::noise::Ratio;
use super::replicate::RunResult;
use crate::plan::PlannedArm;

/// What levers were worth on one arm under one body: with them over without.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeverWorth {
    /// The unchanged arm.
    pub arm: String,
    /// The body.
    pub body: String,
    /// The lever; several where they are stacked.
    pub levers: Vec<String>,
    /// The unchanged arm had it: there is nothing to compare.
    pub already_on: bool,
    /// Variants with levers under this body: the more there are, the further beyond chance a difference must lie.
    pub asked: usize,
    /// Capacity.
    pub capacity: Ratio,
    /// CPU per request.
    pub cpu: Ratio,
    /// p50.
    pub p50: Ratio,
    /// Resident memory.
    pub memory: Ratio,
    /// Why there is nothing to compare, or what to mind.
    pub remarks: Vec<String>,
}

/// The worth of every lever variant among the arms.
pub(super) fn worth(arms: &[PlannedArm], body: &str, runs: &[RunResult<'_>]) -> Vec<LeverWorth> {
    let pairs: Vec<(&PlannedArm, &PlannedArm)> = arms
        .iter()
        .filter_map(|variant| {
            let base = arms.iter().find(|base| Some(&base.name) == variant.variant_of.as_ref())?;
            Some((base, variant))
        })
        .collect();
    pairs.iter().map(|pair| one(*pair, body, runs, pairs.len())).collect()
}

fn one((base, variant): (&PlannedArm, &PlannedArm), body: &str, runs: &[RunResult<'_>], asked: usize) -> LeverWorth {
    let already_on = base.server == variant.server && base.client == variant.client;
    let question = Compare {
        name: variant.name.clone(),
        control: base.name.clone(),
        treatment: variant.name.clone(),
        across_ramps: false,
    };
    let compared = compare(&Question { compare: &question, body, declared: &[CLIENT], asked }, runs);
    let Comparison { refused, capacity, cpu, p50, memory, mut remarks, .. } = compared;
    remarks.extend(refused);
    LeverWorth {
        arm: base.name.clone(),
        body: body.to_owned(),
        levers: variant.levers.clone(),
        already_on,
        asked,
        capacity,
        cpu,
        p50,
        memory,
        remarks,
    }
}
