//! The status: a view of plan and ledger. Whole here; `fit` bounds it where it is kept beside the resource.

use std::collections::BTreeMap;

use soak_crds::{SoakCampaignStatus, status::ArmStatus};
use soak_sample::Machine;

use super::{JudgedRun, arms, campaign, campaign_judgement, instant::rfc3339, outcome, short::short};
use crate::{
    plan::Plan,
    step::{End, Ledger, Progress},
};

/// What only an executor knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// What was executed for each arm, by the arm's name.
    pub digests: BTreeMap<String, String>,
    /// The machine on which everything was measured.
    pub machine: Machine,
    /// How far the campaign has come.
    pub progress: Option<Progress>,
    /// How it ended, and when.
    pub end: Option<(i64, End)>,
}

/// The status of a campaign. `runs` are the plan's runs, judged.
pub fn status(plan: &Plan, ledger: &Ledger, runs: &[JudgedRun], facts: &Facts) -> SoakCampaignStatus {
    let judgement = campaign_judgement(plan, runs, &facts.machine);
    let arms = arms::arms(plan, runs, &judgement, &facts.digests);
    let at_hand = facts.progress.as_ref().and_then(|progress| progress.at_hand.as_ref());
    let mut status = SoakCampaignStatus {
        started: started(ledger).map(rfc3339),
        finished: facts.end.as_ref().filter(|(_, end)| *end != End::Interrupted).map(|(at, _)| rfc3339(*at)),
        plan_hash: Some(plan.hash.clone()),
        predictions_hash: plan.predictions_hash(),
        arm_names: Some(listed(plan.arms.iter().map(|arm| arm.name.clone()))),
        run: at_hand.map(|at_hand| at_hand.run.0.clone()),
        step: at_hand.map(|at_hand| format!("{}/{}", at_hand.step, at_hand.steps)),
        knee_summary: Some(listed(arms.iter().filter_map(knee_in_short))).filter(|text| !text.is_empty()),
        summary: Some(summary(facts)),
        arms,
        comparisons: judgement.comparisons.iter().map(campaign::comparison).collect(),
        levers: judgement.levers.iter().map(campaign::lever).collect(),
        withdrawn: runs.iter().flat_map(campaign::withdrawn).collect(),
        ..SoakCampaignStatus::default()
    };
    if matches!(facts.end, Some((_, End::Completed | End::Cancelled))) {
        status.predictions = campaign::predictions(&judgement.predictions);
        status.thresholds = campaign::thresholds(&judgement.thresholds);
        status.verdict = Some(outcome::outcome(&status));
    }
    status
}

/// When the first load was sent.
fn started(ledger: &Ledger) -> Option<i64> {
    let parts = ledger.runs.iter().flat_map(|run| &run.attempts).flat_map(|attempt| &attempt.parts);
    parts.flat_map(|part| &part.steps).map(|step| step.start_unix_nanos).min()
}

fn summary(facts: &Facts) -> String {
    match (&facts.end, &facts.progress) {
        (Some((_, End::Completed)), _) => "finished".to_owned(),
        (Some((_, End::Interrupted)), _) => "interrupted".to_owned(),
        (Some((_, End::Cancelled)), _) => "cancelled".to_owned(),
        (Some((_, End::StorageLost { words })), _) => short(&format!("results could not be stored: {words}")),
        (None, Some(progress)) => short(&progress.to_string()),
        (None, None) => "not started".to_owned(),
    }
}

fn knee_in_short(arm: &ArmStatus) -> Option<String> {
    arm.knee.as_ref().map(|knee| format!("{} {}–{}", arm.name, knee.last, knee.first_broken))
}

/// Texts with commas, within the bounds of the status.
fn listed(texts: impl Iterator<Item = String>) -> String {
    short(&texts.collect::<Vec<_>>().join(", "))
}
