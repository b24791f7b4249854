//! Events of a campaign, as `kubectl describe` and `kubectl events` show them. In: what is told; out: objects of
//! events.k8s.io. What is told twice has one name and is there once. An Event that cannot be written is let go: all that
//! counts is in status and results.

mod told;

use std::time::Duration;

use k8s_openapi::{
    api::events::v1::Event,
    apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta},
    jiff::Timestamp,
};
use kube_client::{
    Resource as _, ResourceExt as _,
    api::{Api, PostParams},
};
use soak_crds::SoakCampaign;
use tokio::time::timeout;

pub(crate) use told::{Told, of_record, of_status};

use crate::{context::Context, names::MANAGER, reconcile::chain, token::sha256};

/// Who reports.
const CONTROLLER: &str = "soak.dev/operator";
/// The most bytes of a note.
const MOST_NOTE: usize = 1_000;
/// The most letters of a campaign's name in an Event's.
const MOST_OF_NAME: usize = 200;
/// How long an Event may take.
const WITHIN: Duration = Duration::from_secs(2);

/// Tells what has happened.
pub(crate) async fn tell(context: &Context, campaign: &SoakCampaign, all: impl IntoIterator<Item = Told>) {
    let namespace = campaign.namespace().unwrap_or_default();
    let events: Api<Event> = Api::namespaced(context.client.clone(), &namespace);
    for told in all {
        let event = event(campaign, &told, context.now());
        match timeout(WITHIN, events.create(&PostParams::default(), &event)).await {
            Ok(Ok(_)) => {}
            Ok(Err(kube_client::Error::Api(status))) if status.code == 409 => {}
            Ok(Err(error)) => tracing::debug!(reason = told.reason, error = %chain(&error), "an Event was let go"),
            Err(_) => tracing::debug!(reason = told.reason, "an Event was let go: no answer in time"),
        }
    }
}

fn event(campaign: &SoakCampaign, told: &Told, now: i64) -> Event {
    let Told { is_warning, reason, note } = told;
    let (name, namespace) = (campaign.name_any(), campaign.namespace());
    let (uid, generation) = (campaign.uid().unwrap_or_default(), campaign.metadata.generation.unwrap_or_default());
    let hash = sha256(format!("{uid}/{generation}/{reason}/{note}"));
    let short: String = name.chars().take(MOST_OF_NAME).collect();
    Event {
        metadata: ObjectMeta {
            name: Some(format!("{}.{}", short.trim_end_matches(['-', '.']), &hash[..16])),
            namespace,
            ..ObjectMeta::default()
        },
        type_: Some(if *is_warning { "Warning" } else { "Normal" }.to_owned()),
        reason: Some((*reason).to_owned()),
        action: Some((*reason).to_owned()),
        note: Some(cut(note)),
        event_time: Timestamp::from_nanosecond(i128::from(now)).ok().map(MicroTime),
        regarding: Some(campaign.object_ref(&())),
        reporting_controller: Some(CONTROLLER.to_owned()),
        reporting_instance: Some(MANAGER.to_owned()),
        ..Event::default()
    }
}

/// A note within its bound, which is of bytes.
fn cut(note: &str) -> String {
    let mut end = note.len().min(MOST_NOTE);
    while !note.is_char_boundary(end) {
        end -= 1;
    }
    note[..end].to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::json;

    use super::*;

    fn campaign(generation: i64) -> SoakCampaign {
        let spec = json!({"arms": [{"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"}]});
        serde_json::from_value(json!({
            "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "spec": spec,
            "metadata": {"namespace": "ns", "name": "x".repeat(253), "uid": "u", "generation": generation},
        }))
        .unwrap()
    }

    #[test]
    fn what_is_told_twice_of_one_generation_has_one_name_within_bounds() {
        let told = |note: &str| Told { is_warning: true, reason: "Refused", note: note.to_owned() };
        let name = |generation, note: &str, now| event(&campaign(generation), &told(note), now).metadata.name.unwrap();
        assert_eq!(name(1, "a", 1), name(1, "a", 2));
        assert_ne!(name(1, "a", 1), name(2, "a", 1));
        assert_ne!(name(1, "a", 1), name(1, "b", 1));
        assert!(name(1, "a", 1).len() <= 253);
        let long = event(&campaign(1), &told(&"é".repeat(900)), 1);
        assert!(long.note.unwrap().len() <= 1_024);
        assert_eq!(long.regarding.unwrap().uid.as_deref(), Some("u"));
        assert_eq!(long.type_.as_deref(), Some("Warning"));
    }
}
