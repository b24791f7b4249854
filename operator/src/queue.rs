//! Campaigns never share nodes, so they take turns, the oldest first: a Lease in the operator's own namespace names the
//! campaign whose turn it is. In: a campaign; out: whether it may begin, or whom it waits for. Whose campaign is over or
//! gone loses its turn.

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube_client::{
    ResourceExt as _,
    api::{Api, ListParams, ObjectMeta, PostParams},
};
use soak_crds::{SoakCampaign, status::ConditionState};

use crate::{context::Context, names::MANAGER, reconcile::campaigns, write_status::is_final};

/// The Lease.
const TURN: &str = "soak-turn";

/// Whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Turn {
    /// This campaign's.
    Ours,
    /// Another one's.
    Waits {
        /// For this campaign, `namespace/name`.
        other: String,
    },
}

/// Takes the turn where it is free.
pub(crate) async fn take(context: &Context, campaign: &SoakCampaign) -> Result<Turn, kube_client::Error> {
    let leases = leases(context);
    let own = holder(campaign);
    let known = leases.get_opt(TURN).await?;
    let held = known.as_ref().and_then(held_by).unwrap_or_default();
    if held == own {
        return Ok(Turn::Ours);
    }
    if is_at_work(context, &held).await? {
        return Ok(Turn::Waits { other: without_uid(&held) });
    }
    if let Some(other) = older(context, campaign).await? {
        return Ok(Turn::Waits { other });
    }
    match write(&leases, known, own).await {
        Ok(()) => Ok(Turn::Ours),
        // Somebody was quicker.
        Err(kube_client::Error::Api(status)) if status.code == 409 => {
            Ok(Turn::Waits { other: "another campaign".to_owned() })
        }
        Err(error) => Err(error),
    }
}

/// Gives the turn back.
pub(crate) async fn give_back(context: &Context, campaign: &SoakCampaign) -> Result<(), kube_client::Error> {
    let leases = leases(context);
    let known = leases.get_opt(TURN).await?;
    if known.as_ref().and_then(held_by).as_deref() != Some(&holder(campaign)) {
        return Ok(());
    }
    let given = write(&leases, known, String::new()).await;
    let overtaken = matches!(&given, Err(kube_client::Error::Api(status)) if status.code == 409);
    if overtaken { Ok(()) } else { given }
}

fn leases(context: &Context) -> Api<Lease> {
    Api::namespaced(context.client.clone(), &context.config.own_namespace)
}

async fn write(leases: &Api<Lease>, known: Option<Lease>, holder: String) -> Result<(), kube_client::Error> {
    let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
    let spec = Some(LeaseSpec { holder_identity: Some(holder), ..LeaseSpec::default() });
    if let Some(known) = known {
        return leases.replace(TURN, &params, &Lease { spec, ..known }).await.map(drop);
    }
    let metadata = ObjectMeta { name: Some(TURN.to_owned()), ..ObjectMeta::default() };
    leases.create(&params, &Lease { metadata, spec }).await.map(drop)
}

/// Whether the campaign of this name and uid is there and not over.
async fn is_at_work(context: &Context, held: &str) -> Result<bool, kube_client::Error> {
    let fields: Vec<&str> = held.splitn(3, '/').collect();
    let &[namespace, name, uid] = fields.as_slice() else { return Ok(false) };
    let found = campaigns(&context.client, Some(namespace)).get_opt(name).await;
    let found = seen(found)?.flatten();
    Ok(found.is_some_and(|found| found.metadata.uid.as_deref() == Some(uid) && may_begin(&found)))
}

/// What may not be read any more cannot be carried out either: the roles of a namespace go with it.
fn seen<T>(found: Result<T, kube_client::Error>) -> Result<Option<T>, kube_client::Error> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(kube_client::Error::Api(status)) if status.code == 403 => Ok(None),
        Err(error) => Err(error),
    }
}

/// The oldest campaign that waits longer than this one.
async fn older(context: &Context, campaign: &SoakCampaign) -> Result<Option<String>, kube_client::Error> {
    let mut waiting = Vec::new();
    for namespace in context.config.watched() {
        let found = campaigns(&context.client, namespace).list(&ListParams::default()).await;
        waiting.extend(seen(found)?.into_iter().flatten());
    }
    let first = waiting.iter().filter(|other| may_begin(other) && !other.spec.suspend).min_by_key(|other| age(other));
    Ok(first.filter(|first| age(first) < age(campaign)).map(|first| without_uid(&holder(first))))
}

/// What orders campaigns: the time of their making, then their names.
fn age(campaign: &SoakCampaign) -> (Option<k8s_openapi::jiff::Timestamp>, String) {
    (campaign.metadata.creation_timestamp.as_ref().map(|time| time.0), holder(campaign))
}

/// Whether a campaign has anything to do.
fn may_begin(campaign: &SoakCampaign) -> bool {
    let refused = campaign.status.iter().flat_map(|status| &status.conditions).any(|condition| {
        let current = condition.observed_generation == campaign.metadata.generation;
        condition.type_ == "Accepted" && condition.status == ConditionState::False && current
    });
    campaign.metadata.deletion_timestamp.is_none() && !is_final(campaign) && !refused
}

fn holder(campaign: &SoakCampaign) -> String {
    let namespace = campaign.namespace().unwrap_or_default();
    format!("{namespace}/{}/{}", campaign.name_any(), campaign.metadata.uid.as_deref().unwrap_or_default())
}

fn held_by(lease: &Lease) -> Option<String> {
    lease.spec.as_ref()?.holder_identity.clone()
}

fn without_uid(holder: &str) -> String {
    holder.rsplit_once('/').map_or(holder, |(name, _)| name).to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn campaign(status: &Value, metadata: &Value) -> SoakCampaign {
        let spec = json!({"arms": [{"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"}]});
        let mut all = json!({"namespace": "ns", "name": "c", "uid": "u", "generation": 2});
        all.as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
        serde_json::from_value(json!({
            "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": all, "spec": spec, "status": status,
        }))
        .unwrap()
    }

    fn condition(type_: &str, state: &str, generation: i64) -> Value {
        json!({"conditions": [{
            "type": type_, "status": state, "observedGeneration": generation,
            "lastTransitionTime": "", "reason": "", "message": "",
        }]})
    }

    #[test]
    fn a_campaign_that_is_over_refused_or_going_has_no_turn() {
        let check = |status, metadata, expected| assert_eq!(may_begin(&campaign(&status, &metadata)), expected);
        check(json!({}), json!({}), true);
        check(condition("Finished", "True", 2), json!({}), false);
        check(condition("Finished", "False", 2), json!({}), true);
        check(condition("Accepted", "False", 2), json!({}), false);
        check(condition("Accepted", "False", 1), json!({}), true);
        check(json!({}), json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}), false);
    }

    #[test]
    fn the_older_goes_first_and_names_break_a_tie() {
        let at = |time: &str, name: &str| campaign(&json!({}), &json!({"creationTimestamp": time, "name": name}));
        let (first, second) = (at("2026-01-01T00:00:00Z", "z"), at("2026-01-01T00:00:01Z", "a"));
        assert!(age(&first) < age(&second));
        assert!(age(&at("2026-01-01T00:00:00Z", "a")) < age(&first));
        assert_eq!(without_uid(&holder(&first)), "ns/z");
    }
}
