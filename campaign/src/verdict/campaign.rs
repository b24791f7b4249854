//! What a campaign means: replicates, noise floors, comparisons, levers, predictions, thresholds. In: the plan and its
//! runs, judged; each body is judged by itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use soak_sample::Machine;

use super::compare::{Comparison, Question, capacity_floor, compare};
use super::lever::{LeverWorth, worth};
use super::noise::Floor;
use super::question::{Answered, prediction, threshold};
use super::replicate::{ArmJudgement, RunResult, judge};
use crate::plan::{Plan, PlannedRun, sha256};

/// What a campaign means.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CampaignJudgement {
    /// Each arm × body.
    pub arms: Vec<ArmJudgement>,
    /// The noise floor of capacities, by body; absent where too few replicates count.
    pub floors: BTreeMap<String, Floor>,
    /// Comparisons, by body.
    pub comparisons: Vec<Comparison>,
    /// What levers were worth, by body.
    pub levers: Vec<LeverWorth>,
    /// Predictions, by body.
    pub predictions: Vec<Answered>,
    /// Thresholds, by body.
    pub thresholds: Vec<Answered>,
}

/// Judges a campaign from its runs.
pub fn judge_campaign(plan: &Plan, runs: &[RunResult<'_>]) -> CampaignJudgement {
    let mut found = CampaignJudgement::default();
    for body in plan.bodies.iter().map(|body| body.name.as_str()) {
        found.arms.extend(plan.arms.iter().map(|arm| judge(&arm.name, body, runs)));
        found.floors.extend(capacity_floor(body, runs).map(|floor| (body.to_owned(), floor)));
        let questions =
            plan.compare.iter().map(|compare| Question { compare, body, declared: &[], asked: plan.compare.len() });
        found.comparisons.extend(questions.map(|question| compare(&question, runs)));
        found.levers.extend(worth(&plan.arms, body, runs));
        let CampaignJudgement { arms, comparisons, .. } = &found;
        let predictions: Vec<_> =
            plan.predictions.iter().map(|asked| prediction(asked, body, comparisons, arms)).collect();
        let asked = plan.thresholds.iter().filter(|asked| asked.body.as_deref().is_none_or(|wanted| wanted == body));
        let thresholds: Vec<_> = asked.map(|asked| threshold(asked, body, arms, runs)).collect();
        found.predictions.extend(predictions);
        found.thresholds.extend(thresholds);
    }
    found
}

/// sha256 over a fingerprint, hexadecimal: a short form for each row.
pub fn fingerprint_hash(fingerprint: &BTreeMap<String, String>) -> String {
    let lines: String = fingerprint.iter().flat_map(|(name, value)| [name, ": ", value, "\n"]).collect();
    sha256(lines.as_bytes())
}

/// What must be equal for two runs to be compared: what the plan says of the run, and the machine.
pub fn fingerprint(run: &PlannedRun, planned_by: &str, machine: &Machine) -> BTreeMap<String, String> {
    let planned = run.fingerprint.split_whitespace().filter_map(|part| part.split_once(':'));
    let word = |value: Option<bool>| value.map_or("unknown", |value| if value { "yes" } else { "no" }).to_owned();
    let known = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
    let machine = [
        ("kernel", machine.kernel.clone()),
        ("architecture", machine.architecture.clone()),
        ("CPU model", known(&machine.cpu_model)),
        ("governor", known(&machine.governor)),
        ("SMT", word(machine.smt)),
        ("interrupt accounting", word(machine.irq_time_accounting)),
        ("cgroups", machine.cgroups.map_or("unknown".to_owned(), |version| format!("{version:?}").to_lowercase())),
        ("measured by", planned_by.to_owned()),
    ];
    planned
        .chain(machine.iter().map(|(name, value)| (*name, value.as_str())))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}
