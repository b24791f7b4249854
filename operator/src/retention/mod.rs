//! How long results are kept: owners of a campaign's ConfigMaps, and the removal of what has expired. Level-based: in go
//! the spec and the ConfigMaps that are there, out come theirs owners and removals; whatever was missed is done at the
//! next look. Which results go is decided in `expiry`.

mod expiry;
mod sets;

use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube_client::{
    Resource as _, ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams},
};
use kube_runtime::controller;
use serde_json::json;
use soak_crds::{
    SoakCampaign,
    spec::{OnDelete, Retention},
    status::{Condition, ConditionState},
};

use crate::{
    accept::{base, store},
    apply::ApplyError,
    context::Context,
    ledger::{Store, StoreError},
    names::MANAGER,
    reconcile::ReconcileError,
    retention::{
        expiry::{Rule, expiry},
        sets::{Map, list, result_sets},
    },
    write_status,
};

/// The longest pause before what is kept is looked at again: a scheduler's queue is no place for years.
const LONGEST_PAUSE: Duration = Duration::from_secs(12 * 3600);

/// With whom a campaign's ConfigMaps go; `None`: they stay.
pub(crate) fn owner(campaign: &SoakCampaign) -> Option<OwnerReference> {
    let on_delete = campaign.spec.retention.as_ref().and_then(|retention| retention.on_delete);
    match on_delete {
        Some(OnDelete::Delete) => campaign.owner_ref(&()),
        Some(OnDelete::Keep) | None => None,
    }
}

/// Gives the campaign's ConfigMaps the owner that the spec asks for. Those that go with an earlier campaign of the same
/// name and spec are waited for: nothing may be built on them.
pub(crate) async fn own(context: &Context, campaign: &SoakCampaign) -> Result<(), ApplyError> {
    let store = store(context, campaign, &base(campaign));
    let own = campaign.uid().unwrap_or_default();
    let maps = list(&store).await?;
    let ours: Vec<&Map> = maps.iter().filter(|map| map.base == store.base.label()).collect();
    if ours.iter().any(|map| map.owner.as_ref().is_some_and(|uid| *uid != own)) {
        return Err(ApplyError::NotYet("results of a deleted campaign of this name and spec are being removed".into()));
    }
    let wanted: Vec<OwnerReference> = store.owner.iter().cloned().collect();
    let change = json!({"metadata": {"ownerReferences": wanted}});
    for map in ours.iter().filter(|map| map.owner.is_some() == wanted.is_empty()) {
        let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
        let patched = store.maps.patch_metadata(&map.name, &params, &Patch::Merge(&change)).await;
        if !matches!(&patched, Err(kube_client::Error::Api(status)) if status.code == 404) {
            patched?;
        }
    }
    Ok(())
}

/// Removes what has expired of the results of this name, once the campaign is over; then when to look again.
pub(crate) async fn apply(context: &Context, campaign: &SoakCampaign) -> Result<controller::Action, ReconcileError> {
    let Some(retention) = campaign.spec.retention.as_ref().filter(|retention| may_expire(retention)) else {
        return Ok(controller::Action::await_change());
    };
    let store = store(context, campaign, &base(campaign));
    let maps = list(&store).await.map_err(ApplyError::from)?;
    let now = context.now();
    let expiry = expiry(retention, &result_sets(&maps), now);
    let own = store.base.label();
    if let Some((_, rule)) = expiry.gone.iter().find(|(base, _)| base == own) {
        told_removed(context, campaign, rule).await?;
    }
    for (base, rule) in &expiry.gone {
        tracing::info!(campaign = campaign.name_any(), results = base, %rule, "removes results");
        remove(&store, maps.iter().filter(|map| map.base == *base)).await.map_err(ApplyError::from)?;
    }
    Ok(expiry.next_unix_nanos.map_or_else(controller::Action::await_change, |at| {
        let left = Duration::from_nanos(at.saturating_sub(now).max(1_000_000_000).unsigned_abs());
        controller::Action::requeue(left.min(LONGEST_PAUSE))
    }))
}

fn may_expire(retention: &Retention) -> bool {
    retention.keep_last.is_some() || retention.max_age.is_some() || retention.max_bytes.is_some()
}

/// Says in the status that the results are not there any more, before the first of them goes.
async fn told_removed(context: &Context, campaign: &SoakCampaign, rule: &Rule) -> Result<(), ReconcileError> {
    let mut status = campaign.status.clone().unwrap_or_default();
    status.results = None;
    for condition in status.conditions.iter_mut().filter(|condition| condition.type_ == "ResultsComplete") {
        let message = format!("removed by {rule}");
        let since = if condition.status == ConditionState::False {
            condition.last_transition_time.clone()
        } else {
            soak_campaign::status::rfc3339(context.now())
        };
        *condition = Condition {
            status: ConditionState::False,
            reason: "Removed".to_owned(),
            message,
            last_transition_time: since,
            ..condition.clone()
        };
    }
    Ok(write_status::patch(context, campaign, status).await?)
}

/// Removes ConfigMaps, the index and the plan first: from then on nobody takes the rest for whole.
async fn remove(store: &Store, maps: impl Iterator<Item = &Map>) -> Result<(), StoreError> {
    let mut maps: Vec<&Map> = maps.collect();
    let order = |map: &&Map| match map.role.as_str() {
        "index" => 0,
        "plan" => 1,
        _ => 2,
    };
    maps.sort_by_key(order);
    for map in maps {
        match store.maps.delete(&map.name, &DeleteParams::default()).await {
            Ok(_) => {}
            Err(kube_client::Error::Api(status)) if status.code == 404 => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
