//! The status of a campaign: a view of plan and ledger with the conditions for tools, written by merge patch with the
//! resource version that was read, and only when something but time has changed.

use std::collections::BTreeMap;

use kube_client::{
    ResourceExt as _,
    api::{Patch, PatchParams},
};
use serde_json::{Map, Value, json};
use soak_campaign::{
    plan::Refusal,
    status::{self, Facts, JudgedRun, Phase, conditions, judged_runs, rfc3339, withdrawals, withdrawals_condition},
    step::{End, Progress, Wait, WaitReason},
};
use soak_crds::{SoakCampaign, SoakCampaignStatus, status::ConditionState};

use crate::{context::Context, desk::Desk, events, names::MANAGER, reconcile::campaigns};

/// The most bytes of a status.
const MOST_BYTES: usize = 16_000;
/// The most refusals that a condition tells.
const MOST_REFUSALS: usize = 10;

/// Why a status was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StatusError {
    /// The API server refused, or cannot be reached.
    #[error("the status was not written: {0}")]
    Kube(#[from] kube_client::Error),
    /// The resource has changed since it was read.
    #[error("the status was not written: the resource has changed since it was read")]
    Stale,
    /// It is not JSON.
    #[error("the status cannot be written: {0}")]
    Document(#[from] serde_json::Error),
}

/// What is told besides what is durable.
#[derive(Debug)]
pub(crate) enum Told<'a> {
    /// It waits.
    Waits(&'a Wait),
    /// Another campaign has its turn, `namespace/name`.
    Queued(&'a str),
    /// It is over.
    Ended(&'a End),
}

/// Whether the campaign is over and its status says so of the spec at hand.
pub(crate) fn is_final(campaign: &SoakCampaign) -> bool {
    let Some(status) = &campaign.status else { return false };
    let finished = |condition: &soak_crds::status::Condition| {
        condition.type_ == "Finished" && condition.status == ConditionState::True
    };
    status.conditions.iter().any(finished)
}

/// Whether the status speaks of the spec at hand.
pub(crate) fn is_current(campaign: &SoakCampaign) -> bool {
    let observed = campaign.status.as_ref().and_then(|status| status.observed_generation);
    observed.is_some() && observed == campaign.metadata.generation
}

/// Whether the spec is frozen.
pub(crate) fn is_frozen(campaign: &SoakCampaign) -> bool {
    campaign.status.as_ref().is_some_and(|status| status.started.is_some())
}

/// Freezes the spec: from now on load may be sent.
pub(crate) async fn freeze(context: &Context, campaign: &SoakCampaign, desk: &Desk) -> Result<(), StatusError> {
    let phase = Phase::UnderWay { reason: "Starting", words: "the first pods are made".to_owned() };
    let status = SoakCampaignStatus {
        started: Some(rfc3339(context.now())),
        started_generation: campaign.metadata.generation,
        ..view(campaign, desk, None)
    };
    patch(context, campaign, with_conditions(context, campaign, Some(desk), status, &phase)).await
}

/// Makes the status speak of the spec at hand and leaves it else as it is.
pub(crate) async fn keep(context: &Context, campaign: &SoakCampaign) -> Result<(), StatusError> {
    let mut status = campaign.status.clone().unwrap_or_default();
    status.observed_generation = campaign.metadata.generation;
    for condition in &mut status.conditions {
        condition.observed_generation = campaign.metadata.generation;
    }
    patch(context, campaign, status).await
}

/// Says what the user must change.
pub(crate) async fn refuse(
    context: &Context,
    campaign: &SoakCampaign,
    refusals: &[Refusal],
) -> Result<(), StatusError> {
    let words: Vec<String> = refusals.iter().take(MOST_REFUSALS).map(refusal).collect();
    let phase = Phase::Refused { words: words.join("; ") };
    let summary = Some("not accepted: see the condition Accepted".to_owned());
    let status = SoakCampaignStatus { summary, ..SoakCampaignStatus::default() };
    patch(context, campaign, with_conditions(context, campaign, None, status, &phase)).await
}

/// Writes what has changed.
pub(crate) async fn write(
    context: &Context,
    campaign: &SoakCampaign,
    desk: &Desk,
    told: &Told<'_>,
) -> Result<(), StatusError> {
    let runs = judged_runs(&desk.plan, &desk.ledger);
    let (phase, end) = match told {
        Told::Waits(wait) => (under_way(wait, desk), None),
        Told::Queued(other) => (Phase::UnderWay { reason: "Queued", words: format!("waits for {other}") }, None),
        Told::Ended(end) => {
            (ended(end, &runs), Some((desk.ledger.last_end().unwrap_or_else(|| context.now()), (*end).clone())))
        }
    };
    let mut status = view(campaign, desk, end);
    if matches!(told, Told::Ended(_)) {
        status.results = Some(desk.base.index(desk.ledger.withdrawals.len()));
    }
    patch(context, campaign, with_conditions(context, campaign, Some(desk), status, &phase)).await
}

fn refusal(refusal: &Refusal) -> String {
    let Refusal { field, value, message } = refusal;
    value.as_ref().map_or_else(|| format!("{field} {message}"), |value| format!("{field} ({value}) {message}"))
}

fn view(campaign: &SoakCampaign, desk: &Desk, end: Option<(i64, End)>) -> SoakCampaignStatus {
    let before = campaign.status.clone().unwrap_or_default();
    let digest = |arm: &soak_campaign::plan::PlannedArm| {
        desk.pinned(&arm.name).map(|fact| (arm.name.clone(), fact.image_id.clone()))
    };
    let facts = Facts {
        digests: desk.plan.arms.iter().filter_map(digest).collect::<BTreeMap<_, _>>(),
        machine: desk.pods.first().map(|facts| facts.machine.clone()).unwrap_or_default(),
        progress: Some(Progress::of(&desk.plan, &desk.ledger)),
        end,
    };
    let runs = judged_runs(&desk.plan, &desk.ledger);
    let status = status::status(&desk.plan, &desk.ledger, &runs, &facts);
    SoakCampaignStatus {
        started: before.started.or_else(|| status.started.clone()),
        started_generation: before.started_generation,
        ..status
    }
}

fn under_way(wait: &Wait, desk: &Desk) -> Phase {
    let (reason, words) = match &wait.reason {
        // These come and go with time alone: the step at hand is told instead.
        WaitReason::StepArmed(_) | WaitReason::StepRunning(_) | WaitReason::StepDraining(_) => {
            ("Running", Progress::of(&desk.plan, &desk.ledger).to_string())
        }
        reason @ (WaitReason::ArmStarting { .. } | WaitReason::DriverStarting { .. } | WaitReason::NextAttempt(_)) => {
            ("Starting", reason.to_string())
        }
        reason @ WaitReason::Unseen { .. } => ("Unseen", reason.to_string()),
        reason @ WaitReason::StorageRefused { .. } => ("StorageRefused", reason.to_string()),
        reason @ WaitReason::Suspended => ("Suspended", reason.to_string()),
    };
    Phase::UnderWay { reason, words }
}

fn ended(end: &End, runs: &[JudgedRun]) -> Phase {
    let complete = runs.iter().all(|run| run.settled && run.missing.is_empty());
    let words = match end {
        End::Completed => "completed".to_owned(),
        End::Interrupted => "interrupted".to_owned(),
        End::Cancelled => "cancelled".to_owned(),
        End::StorageLost { words } => format!("results could not be stored: {words}"),
    };
    Phase::Ended { complete, words }
}

fn with_conditions(
    context: &Context,
    campaign: &SoakCampaign,
    desk: Option<&Desk>,
    status: SoakCampaignStatus,
    phase: &Phase,
) -> SoakCampaignStatus {
    let before = campaign.status.as_ref().map_or(&[][..], |status| &status.conditions[..]);
    let generation = campaign.metadata.generation;
    let (asked, now) = (&campaign.spec.withdrawn, rfc3339(context.now()));
    let is_over = matches!(phase, Phase::Ended { .. });
    let taken_back = desk.map(|desk| withdrawals(&desk.plan, &desk.ledger, asked, is_over));
    let withdrawals = taken_back.and_then(|all| withdrawals_condition(before, &all, asked.len(), (generation, &now)));
    let mut conditions = conditions(before, phase, status.verdict, (generation, &now));
    conditions.extend(withdrawals);
    status::fitted(SoakCampaignStatus { observed_generation: generation, conditions, ..status }, MOST_BYTES)
}

/// Writes a status where it is another one.
pub(crate) async fn patch(
    context: &Context,
    campaign: &SoakCampaign,
    status: SoakCampaignStatus,
) -> Result<(), StatusError> {
    let before = campaign.status.as_ref().map(serde_json::to_value).transpose()?.unwrap_or_default();
    let after = serde_json::to_value(&status)?;
    if before == after {
        return Ok(());
    }
    let change = json!({
        "metadata": {"resourceVersion": campaign.metadata.resource_version},
        "status": with_nulls(&before, after),
    });
    let namespace = campaign.namespace().unwrap_or_default();
    let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
    let name = campaign.name_any();
    match campaigns(&context.client, Some(&namespace)).patch_status(&name, &params, &Patch::Merge(&change)).await {
        Ok(_) => {}
        Err(kube_client::Error::Api(status)) if status.code == 409 => return Err(StatusError::Stale),
        Err(error) => return Err(error.into()),
    }
    context.metrics.status_writes.inc();
    let known = campaign.status.clone().unwrap_or_default();
    events::tell(context, campaign, events::of_status(&known, &status)).await;
    Ok(())
}

/// A merge patch leaves alone what it does not name: what is gone is named as null.
fn with_nulls(before: &Value, after: Value) -> Value {
    let (Value::Object(before), Value::Object(after)) = (before, &after) else { return after };
    let gone = before.keys().filter(|field| !after.contains_key(*field)).map(|field| (field.clone(), Value::Null));
    let all: Map<String, Value> =
        gone.chain(after.iter().map(|(field, value)| (field.clone(), value.clone()))).collect();
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::with_nulls;

    #[test]
    fn what_is_gone_is_named_as_null() {
        let found = with_nulls(&json!({"step": "1/2", "run": "a"}), json!({"run": "b"}));
        assert_eq!(found, json!({"step": null, "run": "b"}));
        assert_eq!(with_nulls(&json!(null), json!({"run": "b"})), json!({"run": "b"}));
    }
}
