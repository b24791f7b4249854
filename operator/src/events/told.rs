//! What a user is told as it happens. In: a status before and after it was written, or a record; out: Events, few. The
//! step at hand is none: the status tells it at any time. Pure.

use soak_campaign::{
    plan::Plan,
    step::{EndReason, MAX_ATTEMPTS, PartCause, Record},
};
use soak_crds::{
    SoakCampaignStatus,
    status::{Condition, ConditionState, WithdrawnStatus},
};

/// One Event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// Whether somebody should look at it.
    pub is_warning: bool,
    /// In one word.
    pub reason: &'static str,
    /// In words.
    pub note: String,
}

fn normal(reason: &'static str, note: impl Into<String>) -> Told {
    Told { is_warning: false, reason, note: note.into() }
}

fn warning(reason: &'static str, note: impl Into<String>) -> Told {
    Told { is_warning: true, reason, note: note.into() }
}

/// What a record tells.
pub(crate) fn of_record(plan: &Plan, record: &Record) -> Option<Told> {
    match record {
        Record::PartBegan { part, cause: PartCause::Start, .. } => {
            let place = plan.runs.iter().position(|run| run.id == part.attempt.run)? + 1;
            let again = if part.attempt.attempt > 1 { ", again from the warm-up" } else { "" };
            Some(normal("RunBegan", format!("run {place} of {}: {}{again}", plan.runs.len(), part.attempt)))
        }
        Record::PartBegan { part, cause, .. } => {
            let why = match cause {
                PartCause::Start | PartCause::Gap => "the next step could not follow in time",
                PartCause::ProcessesLost => "arm and driver were gone",
            };
            Some(normal("RampSplit", format!("{part} begins with a warm-up: {why}; the ramp is marked as split")))
        }
        Record::AttemptEnded { attempt, end, .. } => match end.reason {
            EndReason::Completed => Some(normal("RunCompleted", attempt.to_string())),
            // The campaign's own end tells it.
            EndReason::Cancelled => None,
            reason => {
                let again = reason.worth_another_attempt() && attempt.attempt < MAX_ATTEMPTS;
                let next = if again { "it is attempted again from the warm-up" } else { "it is not attempted again" };
                Some(warning("AttemptFailed", format!("{attempt}: {end}; {next}")))
            }
        },
        Record::LeversProven { .. }
        | Record::StepAdded { .. }
        | Record::StepStored { .. }
        | Record::Withdrawn { .. } => None,
    }
}

/// What a status tells that was written over another.
pub(crate) fn of_status(before: &SoakCampaignStatus, after: &SoakCampaignStatus) -> Vec<Told> {
    let mut all: Vec<Told> = Vec::new();
    all.extend(accepted(before, after));
    all.extend(phase(before, after));
    let starts = before.started.is_none() && after.started.is_some();
    all.extend(starts.then(|| normal("Started", "the spec is frozen; the first pods are made")));
    all.extend(knees(before, after));
    all.extend(withdrawals(before, after));
    all.extend(over(before, after));
    all
}

fn accepted(before: &SoakCampaignStatus, after: &SoakCampaignStatus) -> Option<Told> {
    let now = turned(before, after, "Accepted")?;
    match now.status {
        ConditionState::True => {
            Some(normal("Accepted", format!("arms: {}", after.arm_names.as_deref().unwrap_or_default())))
        }
        ConditionState::False => Some(warning("Refused", &now.message)),
        ConditionState::Unknown => None,
    }
}

/// What holds it up, and that it goes on.
fn phase(before: &SoakCampaignStatus, after: &SoakCampaignStatus) -> Option<Told> {
    let was = condition(before, "Reconciling").map_or("", |condition| condition.reason.as_str());
    let now = condition(after, "Reconciling").filter(|condition| condition.reason != was)?;
    match (was, now.reason.as_str()) {
        (_, "Queued") => Some(normal("Queued", &now.message)),
        (_, "Suspended") => Some(normal("Suspended", "no step begins until spec.suspend is false")),
        (_, "Unseen") => Some(warning("Unseen", &now.message)),
        (_, "StorageRefused") => Some(warning("StorageRefused", &now.message)),
        ("Suspended", "Starting" | "Running") => Some(normal("Resumed", &now.message)),
        _ => None,
    }
}

fn knees<'a>(before: &'a SoakCampaignStatus, after: &'a SoakCampaignStatus) -> impl Iterator<Item = Told> + 'a {
    let known = |name: &str, body: &str| {
        before.arms.iter().any(|arm| arm.name == name && arm.body == body && arm.knee.is_some())
    };
    let found = after.arms.iter().filter(move |arm| !known(&arm.name, &arm.body));
    found.filter_map(|arm| {
        let knee = arm.knee.as_ref()?;
        let words = format!("{} × {}: between {} and {} calls/s", arm.name, arm.body, knee.last, knee.first_broken);
        Some(normal("KneeFound", words))
    })
}

fn withdrawals(before: &SoakCampaignStatus, after: &SoakCampaignStatus) -> Vec<Told> {
    let same = |one: &WithdrawnStatus, two: &WithdrawnStatus| one.run == two.run && one.step == two.step;
    let new = after.withdrawn.iter().filter(|one| !before.withdrawn.iter().any(|two| same(one, two)));
    let recorded = new.map(|one| {
        let what = soak_campaign::status::withdrawn_in_words(&one.run, one.step);
        normal("Withdrawn", format!("{what}: {}", one.reason))
    });
    let refused = turned(before, after, "WithdrawalsRecorded")
        .filter(|now| now.status == ConditionState::False && now.reason == "NothingToTakeBack");
    recorded.chain(refused.map(|now| warning("WithdrawalRefused", &now.message))).collect()
}

fn over(before: &SoakCampaignStatus, after: &SoakCampaignStatus) -> Vec<Told> {
    let finished = turned(before, after, "Finished").filter(|now| now.status == ConditionState::True);
    let succeeded = condition(after, "Succeeded").is_some_and(|now| now.status == ConditionState::True);
    let finished = finished.map(|now| {
        let knees = after.knee_summary.as_ref().map(|knees| format!("; knee: {knees}")).unwrap_or_default();
        let note = format!("{}; verdict {}{knees}", now.message, now.reason);
        if succeeded { normal("Finished", note) } else { warning("Finished", note) }
    });
    let removed = turned(before, after, "ResultsComplete").filter(|now| now.reason == "Removed");
    finished.into_iter().chain(removed.map(|now| normal("ResultsRemoved", &now.message))).collect()
}

/// A condition whose state, reason or message is not what it was.
fn turned<'a>(before: &SoakCampaignStatus, after: &'a SoakCampaignStatus, type_: &str) -> Option<&'a Condition> {
    let now = condition(after, type_)?;
    let was = condition(before, type_);
    let same = |was: &Condition| was.status == now.status && was.reason == now.reason && was.message == now.message;
    (!was.is_some_and(same)).then_some(now)
}

fn condition<'a>(status: &'a SoakCampaignStatus, type_: &str) -> Option<&'a Condition> {
    status.conditions.iter().find(|condition| condition.type_ == type_)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
