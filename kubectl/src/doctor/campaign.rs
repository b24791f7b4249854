//! How far a campaign is, and what its pods wait for in the scheduler's and kubelet's own words. Pure.

use k8s_openapi::api::core::v1::Pod;
use kube_client::ResourceExt as _;
use soak_campaign::step::ProcessState;
use soak_crds::{SoakCampaign, status::ConditionState};

use super::{Check, State};
use crate::line;

/// How far it is.
pub fn state(campaign: &SoakCampaign) -> Check {
    let unlooked = campaign.status.is_none();
    let refused = line::is_refused(campaign);
    let state = if unlooked || refused { State::Failed } else { State::Ok };
    let way_out = match (unlooked, refused) {
        (true, _) => ": is an operator there that looks at this namespace?",
        (_, true) => ": change the spec, `soak lint --target cluster` names every place",
        _ => "",
    };
    Check::new("campaign", state, format!("{}{way_out}", line::progress(campaign)))
}

/// Its pods.
pub fn pods(campaign: &SoakCampaign, pods: &[Pod]) -> Vec<Check> {
    if pods.is_empty() {
        let words = match () {
            () if line::is_over(campaign) => "none: the campaign is over",
            () if campaign.spec.suspend => "none: the campaign is suspended",
            () if line::is(campaign, "Reconciling", ConditionState::True) => "none now",
            () => "none",
        };
        return vec![Check::new("pods", State::Note, words)];
    }
    pods.iter().map(pod).collect()
}

fn pod(pod: &Pod) -> Check {
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
    let place = node.map_or_else(|| "no node yet".to_owned(), |node| format!("on node {node}"));
    let (state, words) = match soak_operator::pod_state(Some(pod)) {
        ProcessState::Ready { .. } => (State::Ok, "ready".to_owned()),
        ProcessState::Starting { words: Some(words) } => (State::Failed, format!("waits: {words}")),
        ProcessState::Starting { words: None } => (State::Note, "is starting".to_owned()),
        ProcessState::Exited { words } | ProcessState::Unknown { words, .. } => (State::Failed, words),
        ProcessState::Absent => (State::Failed, "is gone".to_owned()),
    };
    Check::new("pod", state, format!("{} {place}: {words}", pod.name_any()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(status: &Value, state: State, words: &str) {
        let found: Pod = serde_json::from_value(json!({
            "metadata": {"name": "p", "uid": "u"}, "spec": {"containers": []}, "status": status,
        }))
        .unwrap();
        let check = pod(&found);
        assert_eq!(check.state, state, "{check:?}");
        assert!(check.words.contains(words), "{check:?}");
    }

    #[test]
    fn a_pod_that_waits_says_so_in_the_schedulers_and_kubelets_words() {
        let unscheduled = json!({"type": "PodScheduled", "status": "False", "message": "0/2 nodes: Insufficient cpu"});
        check(&json!({"phase": "Pending", "conditions": [unscheduled]}), State::Failed, "Insufficient cpu");
        let waiting = json!({"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}});
        let container =
            json!({"name": "arm", "state": waiting, "image": "", "imageID": "", "ready": false, "restartCount": 0});
        check(&json!({"phase": "Pending", "containerStatuses": [container]}), State::Failed, "no such image");
        check(&json!({"phase": "Pending"}), State::Note, "no node yet: is starting");
        let running = json!({"name": "arm", "image": "", "imageID": "", "ready": true, "restartCount": 0});
        let ready = json!({"phase": "Running", "podIP": "192.0.2.1", "containerStatuses": [running]});
        check(&ready, State::Ok, "ready");
    }
}
