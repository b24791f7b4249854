//! The last Events of a campaign and of its pods, in the words of whoever wrote them.

use k8s_openapi::{
    api::core::v1::{Event, Pod},
    jiff::Timestamp,
};
use kube_client::{ResourceExt as _, api::ListParams};
use soak_crds::SoakCampaign;

use super::{Check, State, seen};
use crate::{age::words, cluster::Cluster, fault::Fault};

/// Events that are told.
const MOST: usize = 12;

/// Lists them, the oldest first.
pub async fn check(cluster: &Cluster, campaign: &SoakCampaign, pods: &[Pod]) -> Result<Vec<Check>, Fault> {
    let events = cluster.api::<Event>().list(&ListParams::default()).await;
    Ok(match seen(cluster, events)? {
        Ok(list) => told(list.items, campaign, pods, Timestamp::now()),
        Err(words) => vec![Check::new("events", State::Unknown, words)],
    })
}

fn told(events: Vec<Event>, campaign: &SoakCampaign, pods: &[Pod], now: Timestamp) -> Vec<Check> {
    let of_campaign = |event: &Event| {
        event.involved_object.kind.as_deref() == Some("SoakCampaign")
            && event.involved_object.name.as_deref() == Some(campaign.name_any().as_str())
    };
    let of_pod = |event: &Event| {
        let uid = event.involved_object.uid.as_deref();
        uid.is_some() && pods.iter().any(|pod| pod.metadata.uid.as_deref() == uid)
    };
    let mut ours: Vec<Event> = events.into_iter().filter(|event| of_campaign(event) || of_pod(event)).collect();
    ours.sort_by_key(when);
    let skipped = ours.len().saturating_sub(MOST);
    ours.iter().skip(skipped).map(|event| line(event, now)).collect()
}

fn line(event: &Event, now: Timestamp) -> Check {
    let warning = event.type_.as_deref() == Some("Warning");
    let ago = when(event).map_or_else(String::new, |at| format!(" {} ago", words(now.as_second() - at.as_second())));
    let object = &event.involved_object;
    let text = format!(
        "{} {}{ago}: {}: {}",
        object.kind.as_deref().unwrap_or_default().to_lowercase(),
        object.name.as_deref().unwrap_or_default(),
        event.reason.as_deref().unwrap_or_default(),
        event.message.as_deref().unwrap_or_default()
    );
    Check::new(if warning { "warning" } else { "event" }, State::Note, text)
}

fn when(event: &Event) -> Option<Timestamp> {
    let last = event.series.as_ref().and_then(|series| series.last_observed_time.as_ref()).map(|time| time.0);
    let of_time = || event.last_timestamp.as_ref().map(|time| time.0);
    let made = || event.metadata.creation_timestamp.as_ref().map(|time| time.0);
    last.or_else(of_time).or_else(|| event.event_time.as_ref().map(|time| time.0)).or_else(made)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn events_of_the_campaign_and_its_pods_are_told_the_oldest_first() {
        let event = |kind: &str, name: &str, uid: &str, at: &str| -> Value {
            json!({
                "metadata": {"name": "e"}, "type": "Warning", "reason": "Failed", "message": "no image",
                "involvedObject": {"kind": kind, "name": name, "uid": uid}, "lastTimestamp": at,
            })
        };
        let events: Vec<Event> = serde_json::from_value(json!([
            event("Pod", "p", "1", "2026-01-01T00:01:00Z"),
            event("SoakCampaign", "c", "2", "2026-01-01T00:00:00Z"),
            event("SoakCampaign", "other", "3", "2026-01-01T00:00:00Z"),
            event("Pod", "p", "4", "2026-01-01T00:00:00Z"),
        ]))
        .unwrap();
        let campaign: SoakCampaign = serde_json::from_value(json!({
            "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": {"name": "c"},
            "spec": {"arms": [{"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"}]},
        }))
        .unwrap();
        let pod: Pod = serde_json::from_value(json!({"metadata": {"name": "p", "uid": "1"}})).unwrap();
        let told = told(events, &campaign, &[pod], "2026-01-01T00:01:30Z".parse().unwrap());
        let words: Vec<&str> = told.iter().map(|check| check.words.as_str()).collect();
        assert_eq!(words, ["soakcampaign c 90s ago: Failed: no image", "pod p 30s ago: Failed: no image"]);
        assert!(told.iter().all(|check| check.what == "warning"));
    }
}
