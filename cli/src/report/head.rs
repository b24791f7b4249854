//! The head of the page: the campaign's name, how it came out in one sentence, and the facts under which it was measured.
//! Pure.

use maud::{Markup, html};
use soak_campaign::plan::{Plan, StepKind};
use soak_crds::{
    SoakCampaignStatus,
    status::{ArmStatus, Outcome, PredictionOutcome},
};

use super::words;
use crate::tables::{Told, facts};

/// Names that a sentence tells; the others are counted.
const MOST_NAMES: usize = 6;

/// The head.
pub fn head(told: &Told<'_>) -> Markup {
    let (class, outcome) = match told.status.verdict {
        Some(Outcome::Pass) => ("pass", "Pass"),
        Some(Outcome::Inconclusive) => ("inconclusive", "Inconclusive"),
        Some(Outcome::Fail) => ("fail", "Fail"),
        Some(Outcome::Invalid) => ("invalid", "Invalid"),
        None => ("open", "Not judged"),
    };
    html! {
        header {
            p.kind { "Soak report" }
            h1 { (told.campaign.plan.name) }
            p.outcome.(class) { strong { (outcome) } ": " (sentence(&told.campaign.plan, told.status)) }
            (words::list(&facts(told)))
        }
    }
}

/// How the campaign came out, and what it was that decided.
fn sentence(plan: &Plan, status: &SoakCampaignStatus) -> String {
    let ended = status.summary.as_deref().unwrap_or("not finished");
    let Some(verdict) = status.verdict else { return format!("{ended}.") };
    let mut reasons = arms(plan, status, verdict);
    reasons.extend(asked(status, verdict));
    if reasons.is_empty() {
        reasons.push(match verdict {
            Outcome::Pass => "every arm has its number, and nothing that was asked failed".to_owned(),
            Outcome::Inconclusive | Outcome::Fail | Outcome::Invalid => "there is no number".to_owned(),
        });
    }
    let ended = if ended == "finished" { String::new() } else { format!(" Campaign: {ended}.") };
    format!("{}.{ended}", reasons.join("; "))
}

/// What the arms of this outcome have in common, holds and ramps apart.
fn arms(plan: &Plan, status: &SoakCampaignStatus, verdict: Outcome) -> Vec<String> {
    let several = plan.bodies.len() > 1;
    let name = |arm: &&ArmStatus| if several { format!("{}/{}", arm.name, arm.body) } else { arm.name.clone() };
    let of = |hold: bool| {
        let arms = status.arms.iter().filter(|arm| arm.verdict == Some(verdict) && is_hold(plan, arm) == hold);
        Some(arms.map(|arm| name(&arm)).collect::<Vec<_>>()).filter(|names| !names.is_empty())
    };
    let words = |hold: bool, names: &[String]| match (verdict, hold) {
        (Outcome::Pass, _) => None,
        (Outcome::Inconclusive, false) => Some(format!("no capacity was found, only a floor, of {}", few(names))),
        (Outcome::Inconclusive, true) => Some(format!("whether it drifted cannot be told of {}", few(names))),
        (Outcome::Fail, _) => Some(format!("drift, of {}", few(names))),
        (Outcome::Invalid, _) => Some(format!("no valid number of {}", few(names))),
    };
    [false, true].into_iter().filter_map(|hold| words(hold, &of(hold)?)).collect()
}

fn is_hold(plan: &Plan, arm: &ArmStatus) -> bool {
    let runs = plan.runs.iter().filter(|run| run.arm == arm.name && run.body == arm.body);
    runs.flat_map(|run| &run.steps).any(|step| step.kind == StepKind::Hold)
}

/// The questions of this outcome.
fn asked(status: &SoakCampaignStatus, verdict: Outcome) -> Vec<String> {
    let prediction = match verdict {
        Outcome::Fail => PredictionOutcome::Failed,
        Outcome::Inconclusive => PredictionOutcome::Undecidable,
        Outcome::Pass | Outcome::Invalid => return Vec::new(),
    };
    let words = if verdict == Outcome::Fail { "failed" } else { "undecided" };
    let thresholds = status.thresholds.iter().filter(|threshold| threshold.outcome == Some(verdict));
    let predictions = status.predictions.iter().filter(|known| known.outcome == Some(prediction));
    let kinds = [
        ("threshold", thresholds.map(|threshold| threshold.name.clone()).collect::<Vec<_>>()),
        ("prediction", predictions.map(|known| known.name.clone()).collect()),
    ];
    let told = kinds.iter().filter(|(_, names)| !names.is_empty());
    told.map(|(kind, names)| format!("{kind} {words}: {}", few(names))).collect()
}

fn few(names: &[String]) -> String {
    let shown = names[..names.len().min(MOST_NAMES)].join(", ");
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// What was executed, and as which arms.
fn executed(status: &SoakCampaignStatus) -> Vec<String> {
    let mut digests: Vec<(&str, Vec<String>)> = Vec::new();
    for arm in &status.arms {
        let Some(digest) = arm.digest.as_deref() else { continue };
        match digests.iter_mut().find(|(known, _)| *known == digest) {
            Some((_, arms)) if arms.contains(&arm.name) => {}
            Some((_, arms)) => arms.push(arm.name.clone()),
            None => digests.push((digest, vec![arm.name.clone()])),
        }
    }
    digests.iter().map(|(digest, arms)| format!("{} as {}", facts::executed(digest), few(arms))).collect()
}

fn facts(told: &Told<'_>) -> Vec<String> {
    let mut lines = facts::campaign(told.campaign);
    lines.extend(executed(told.status));
    lines.extend(told.status.finished.as_ref().map(|finished| format!("finished {finished}")));
    lines.extend(
        told.status
            .predictions_hash
            .as_ref()
            .map(|hash| format!("predictions sha256 {hash}, as they were before the first load")),
    );
    lines
}
