//! One run's section: what it was, its rows, what they mean, and the evidence for every verdict that limits one. Pure.

use soak_campaign::{
    status::{JudgedRun, LeverEntry, MissingRow},
    step::EndReason,
    table::{Row, markdown},
    verdict::{Evidence, RunJudgement, Verdict},
};
use soak_local::ledger::{CampaignFile, PartPlace, RunResult};
use soak_sample::Machine;

use super::{
    facts::{self, count, listed},
    number::{self, rate},
    settings, withdrawn,
};

/// The section of a run.
pub fn section(campaign: &CampaignFile, result: &RunResult) -> String {
    let mut text = format!("## {}\n\n{}\n", result.planned.id, listed(&head(campaign, result)));
    text += &markdown(&result.judged.rows);
    text += "\n";
    text += &listed(&findings(&result.judged, &result.levers));
    text
}

/// The settings under which a run was made.
pub fn head(campaign: &CampaignFile, result: &RunResult) -> Vec<String> {
    let RunResult { planned, places, .. } = result;
    let mut head = Vec::new();
    if let Some(arm) = campaign.plan.arms.iter().find(|arm| arm.name == planned.arm) {
        head.push(settings::arm(arm, places));
        head.push(settings::client(arm.protocol, &arm.client));
    }
    head.push(settings::body(planned));
    head.push(format!("machine: {}", facts::machine(machine(campaign, places))));
    head.extend(settings::places(places));
    head.push(format!("isolation: {}", facts::isolation(&campaign.facts.executor)));
    head
}

/// The machine of the arm: on a cluster its node.
fn machine<'a>(campaign: &'a CampaignFile, places: &'a [PartPlace]) -> &'a Machine {
    match places.last() {
        Some(PartPlace::Pods(pods)) => &pods.machine,
        Some(PartPlace::Processes(_)) | None => &campaign.facts.machine,
    }
}

/// What the rows mean, and what a reader must know of them.
pub fn findings(judged: &JudgedRun, levers: &[LeverEntry]) -> Vec<String> {
    let JudgedRun { rows, judgement, .. } = judged;
    let mut lines = vec![meaning(judgement)];
    lines.extend(judgement.collapse.map(|at| format!("collapse at {}/s", rate(at))));
    lines.extend(judgement.outliers.iter().map(|at| format!("outlier at {}/s: shown, not a knee", rate(*at))));
    lines.extend(judgement.split.iter().map(|at| format!("the ramp is split before {}/s", rate(*at))));
    lines.extend(judgement.remarks.iter().cloned());
    lines.extend(rows.iter().filter_map(limited));
    lines.push(lever_words(levers));
    lines.extend(missing(&judged.missing));
    match &judged.end {
        Some(end) if end.reason != EndReason::Completed && judged.missing.is_empty() => {
            lines.push(format!("ended: {end}"));
        }
        Some(_) => {}
        None => lines.push("not finished".to_owned()),
    }
    lines.extend(judged.withdrawn.iter().map(withdrawn::sentence));
    if let Some(attempt) = judged.attempt.filter(|attempt| *attempt > 1) {
        lines.push(format!("attempt {attempt}; the rows of earlier ones are kept in windows.jsonl"));
    }
    lines
}

/// Rows that are missing, those with the same reason together.
fn missing(rows: &[MissingRow]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for MissingRow { step, reason } in rows {
        let at = format!("{}/s", number::whole(step.rate));
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, rates)) => rates.push(at),
            None => reasons.push((reason, vec![at])),
        }
    }
    reasons.iter().map(|(reason, rates)| format!("no row at {}: {reason}", rates.join(", "))).collect()
}

/// Knee and capacity in one sentence.
pub fn meaning(judgement: &RunJudgement) -> String {
    let knee = match judgement.knee {
        Some(knee) => format!("knee {}/s, first broken {}/s", rate(knee.last), rate(knee.first_broken)),
        None => "knee unknown: no step keeps the bounds below one that breaks them".to_owned(),
    };
    let capacity = match (judgement.plateau, judgement.capacity) {
        (Some(plateau), _) => format!(
            "capacity {}/s, the median of a plateau of {} to {}/s",
            rate(plateau.median),
            rate(plateau.low),
            rate(plateau.high)
        ),
        (None, Some(capacity)) if capacity.at_least => format!("capacity at least {}/s", rate(capacity.per_second)),
        (None, Some(capacity)) => format!("capacity {}/s", rate(capacity.per_second)),
        (None, None) => "capacity unknown".to_owned(),
    };
    let extend = if judgement.extend { "; extend the ramp" } else { "" };
    format!("{knee}; {capacity}{extend}")
}

/// Why a step's number is limited; nothing where it is not.
fn limited(row: &Row) -> Option<String> {
    let verdict = row.verdict?;
    let named = match verdict {
        Verdict::Void
        | Verdict::Contaminated
        | Verdict::ClientLimited
        | Verdict::HostLimited
        | Verdict::ShapeLimited
        | Verdict::Outlier => verdict,
        Verdict::FirstStep | Verdict::Clean | Verdict::AtKnee | Verdict::PastKnee => return None,
    };
    let evidence: Vec<String> = row.evidence.iter().map(evidence).collect();
    Some(format!("{}/s is {named}: {}", rate(row.rate()), evidence.join("; ")))
}

/// A fact with its bound.
pub fn evidence(evidence: &Evidence) -> String {
    let bound = evidence.bound.as_ref().map(|bound| format!(" (bound {bound})")).unwrap_or_default();
    format!("{} {}{bound}", evidence.measure, evidence.value)
}

fn lever_words(levers: &[LeverEntry]) -> String {
    let total = levers.len();
    let unheld = levers.iter().filter(|entry| entry.proof.held == Some(false));
    let unheld: Vec<String> = unheld.map(|entry| entry.proof.in_words()).collect();
    let open = levers.iter().filter(|entry| entry.proof.held.is_none()).count();
    match (total, unheld.is_empty(), open) {
        (0, _, _) => "levers not proven".to_owned(),
        (_, false, _) => format!("levers not held: {}", unheld.join("; ")),
        (total, true, 0) => format!("levers: {} held, before load and after", count(total, "proof")),
        (total, true, open) => {
            format!("levers: {} held, {open} not enforced on this machine", count(total - open, "proof"))
        }
    }
}
