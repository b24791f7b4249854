//! From pods to what the engine asks of them. Pure: in go pods as the API server tells them; out come parts, states,
//! identities.

use std::{collections::BTreeMap, net::IpAddr};

use k8s_openapi::api::core::v1::{ContainerState, ContainerStatus, Pod, PodStatus};
use soak_campaign::{
    plan::{PlannedServer, Program},
    step::{AttemptKey, Identity, PartKey, ProcessState},
};
use soak_sample::ArmPorts;

use crate::{
    desk::Desk,
    names::{ATTEMPT, PART, ROLE, RUN},
};

/// The port of a preset, and of its metrics and settings.
const PRESET_PORTS: (u16, u16) = (8080, 9901);
/// The most letters of the words on a pod.
const MOST_WORDS: usize = 400;

/// A run's place in the plan, the attempt, the part.
pub(crate) type Place = (usize, u32, u32);

/// The pods made for one part.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PartPods {
    /// Which part.
    pub place: Place,
    /// The arm's.
    pub arm: Option<Pod>,
    /// The driver's.
    pub driver: Option<Pod>,
}

/// Pods by part, in the order of the plan. What has no such labels is none of ours.
pub(crate) fn group(pods: Vec<Pod>) -> Vec<PartPods> {
    let mut parts: BTreeMap<Place, PartPods> = BTreeMap::new();
    for pod in pods {
        let Some((place, is_arm)) = place(&pod) else { continue };
        let part = parts.entry(place).or_insert_with(|| PartPods { place, ..PartPods::default() });
        if is_arm { part.arm = Some(pod) } else { part.driver = Some(pod) }
    }
    parts.into_values().collect()
}

fn place(pod: &Pod) -> Option<(Place, bool)> {
    let labels = pod.metadata.labels.as_ref()?;
    let number = |label: &str| labels.get(label)?.parse::<u32>().ok();
    let place = (usize::try_from(number(RUN)?).ok()?, number(ATTEMPT)?, number(PART)?);
    Some((place, labels.get(ROLE)? == "arm"))
}

/// The part that pods were made for, or last kept for: the last one of the ledger with the same arm.
pub(crate) fn last_kept(desk: &Desk, pods: &PartPods) -> Option<PartKey> {
    let (run, attempt, part) = pods.place;
    let attempt = AttemptKey { run: desk.plan.runs.get(run)?.id.clone(), attempt };
    let own = pods.arm.as_ref().map(identity);
    let parts = desk.ledger.attempt(&attempt).map_or(&[][..], |record| &record.parts[..]);
    let kept = parts.iter().zip(1..).filter(|(part, _)| Some(&part.arm) == own.as_ref()).last();
    Some(attempt.part(kept.map_or(part, |(_, number)| number)))
}

/// What tells a pod from any other, also from a later one of its name.
pub(crate) fn identity(pod: &Pod) -> Identity {
    Identity(pod.metadata.uid.clone().unwrap_or_default())
}

/// Where a pod is reached.
pub(crate) fn pod_ip(pod: &Pod) -> Option<IpAddr> {
    pod.status.as_ref()?.pod_ip.as_ref()?.parse().ok()
}

/// A pod's node.
pub(crate) fn node(pod: &Pod) -> Option<&str> {
    pod.spec.as_ref()?.node_name.as_deref()
}

/// The image of a pod's first container, as the kubelet reports what it runs.
pub(crate) fn image_id(pod: &Pod) -> Option<&str> {
    let first = &pod.spec.as_ref()?.containers.first()?.name;
    let statuses = pod.status.as_ref()?.container_statuses.as_ref()?;
    statuses.iter().find(|status| status.name == *first).map(|status| status.image_id.as_str())
}

/// The pod's quality of service, and whether it is the one asked for.
pub(crate) fn is_guaranteed(pod: &Pod) -> (&str, bool) {
    let class = pod.status.as_ref().and_then(|status| status.qos_class.as_deref()).unwrap_or("unknown");
    (class, class == "Guaranteed")
}

/// The ports of an arm; `None` where its server has none.
pub(crate) fn arm_ports(server: &PlannedServer) -> Option<ArmPorts> {
    match &server.program {
        Program::Preset(_) => {
            Some(ArmPorts { port: server.port.unwrap_or(PRESET_PORTS.0), admin: Some(PRESET_PORTS.1) })
        }
        Program::Image(_) => server.port.map(|port| ArmPorts { port, admin: None }),
        Program::Service(_) | Program::Command(_) => None,
    }
}

/// Whether a pod has neither ended nor is being deleted.
pub(crate) fn lives(pod: &Pod) -> bool {
    !matches!(state(Some(pod)), ProcessState::Exited { .. })
}

/// How far a pod is.
pub fn state(pod: Option<&Pod>) -> ProcessState {
    let Some(pod) = pod else { return ProcessState::Absent };
    if pod.metadata.deletion_timestamp.is_some() {
        return ProcessState::Exited { words: "its pod is being deleted".to_owned() };
    }
    let nothing = PodStatus::default();
    let status = pod.status.as_ref().unwrap_or(&nothing);
    if let Some(words) = ended(status) {
        return ProcessState::Exited { words };
    }
    if is_ready(status) {
        return ProcessState::Ready { identity: identity(pod) };
    }
    ProcessState::Starting { words: words(pod) }
}

/// What a pod waits for, in the scheduler's or kubelet's own words.
fn words(pod: &Pod) -> Option<String> {
    let status = pod.status.as_ref()?;
    let waiting = containers(status).find_map(|container| {
        let waiting = container.state.as_ref()?.waiting.as_ref()?;
        let reason = waiting.reason.as_deref().filter(|reason| *reason != "ContainerCreating")?;
        Some(joined(&container.name, reason, waiting.message.as_deref()))
    });
    let unscheduled = || {
        let conditions = status.conditions.as_ref()?;
        let scheduled = conditions.iter().find(|condition| condition.type_ == "PodScheduled")?;
        scheduled.message.clone().filter(|_| scheduled.status == "False")
    };
    let words = waiting.or_else(unscheduled)?;
    Some(words.chars().take(MOST_WORDS).collect())
}

/// How it ended, where it or one of its containers has.
fn ended(status: &PodStatus) -> Option<String> {
    let container = containers(status).find_map(|container| {
        let ContainerState { terminated, .. } = container.state.as_ref()?;
        let terminated = terminated.as_ref()?;
        let reason = terminated.reason.as_deref().unwrap_or("ended");
        let words = joined(&container.name, reason, terminated.message.as_deref());
        Some(format!("{words} (exit code {})", terminated.exit_code))
    });
    let phase = status.phase.as_deref().filter(|phase| matches!(*phase, "Failed" | "Succeeded"));
    let own = phase.map(|phase| joined("pod", status.reason.as_deref().unwrap_or(phase), status.message.as_deref()));
    // An evicted pod's own words say more than its containers'.
    if status.reason.is_some() { own.or(container) } else { container.or(own) }
}

fn joined(who: &str, reason: &str, message: Option<&str>) -> String {
    match message {
        Some(message) => format!("{who}: {reason}: {message}"),
        None => format!("{who}: {reason}"),
    }
}

fn containers(status: &PodStatus) -> impl Iterator<Item = &ContainerStatus> {
    status.container_statuses.iter().flatten()
}

fn is_ready(status: &PodStatus) -> bool {
    let mut all = containers(status).peekable();
    status.pod_ip.is_some() && all.peek().is_some() && all.all(|container| container.ready)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn pod(status: &Value) -> Pod {
        serde_json::from_value(json!({"metadata": {"uid": "u1"}, "status": status})).unwrap()
    }

    fn container(name: &str, state: &Value, ready: bool) -> Value {
        json!({"name": name, "state": state, "ready": ready, "image": "i", "imageID": "", "restartCount": 0})
    }

    #[test]
    fn a_pods_state_is_told_in_the_words_of_scheduler_and_kubelet() {
        let check = |status: Value, expected: ProcessState| assert_eq!(state(Some(&pod(&status))), expected);
        let running = json!({"running": {}});
        let unscheduled = json!([{"type": "PodScheduled", "status": "False", "message": "0/2 nodes are available"}]);
        check(
            json!({"phase": "Pending", "conditions": unscheduled}),
            ProcessState::Starting { words: Some("0/2 nodes are available".to_owned()) },
        );
        let pull = json!({"waiting": {"reason": "ErrImagePull", "message": "no such tag"}});
        check(
            json!({"phase": "Pending", "containerStatuses": [container("arm", &pull, false)]}),
            ProcessState::Starting { words: Some("arm: ErrImagePull: no such tag".to_owned()) },
        );
        check(
            json!({"phase": "Running", "podIP": "10.0.0.1", "containerStatuses": [
                container("arm", &running, true), container("witness", &running, false)]}),
            ProcessState::Starting { words: None },
        );
        check(
            json!({"phase": "Running", "podIP": "10.0.0.1", "containerStatuses": [
                container("arm", &running, true), container("witness", &running, true)]}),
            ProcessState::Ready { identity: Identity("u1".to_owned()) },
        );
        let killed = json!({"terminated": {"reason": "OOMKilled", "exitCode": 137}});
        check(
            json!({"phase": "Running", "podIP": "10.0.0.1", "containerStatuses": [container("arm", &killed, false)]}),
            ProcessState::Exited { words: "arm: OOMKilled (exit code 137)".to_owned() },
        );
        check(
            json!({"phase": "Failed", "reason": "Evicted", "message": "low on memory"}),
            ProcessState::Exited { words: "pod: Evicted: low on memory".to_owned() },
        );
        check(json!({}), ProcessState::Starting { words: None });
        assert_eq!(state(None), ProcessState::Absent);
    }

    #[test]
    fn pods_are_grouped_by_part_in_the_order_of_the_plan() {
        let pod = |run: &str, part: &str, role: &str| -> Pod {
            let labels = json!({RUN: run, ATTEMPT: "1", PART: part, ROLE: role});
            serde_json::from_value(json!({"metadata": {"labels": labels}})).unwrap()
        };
        let stranger = Pod::default();
        let pods = vec![pod("10", "1", "arm"), stranger, pod("2", "1", "driver"), pod("2", "1", "arm")];
        let found: Vec<_> =
            group(pods).iter().map(|part| (part.place, part.arm.is_some(), part.driver.is_some())).collect();
        assert_eq!(found, [((2, 1, 1), true, true), ((10, 1, 1), true, false)]);
    }
}
