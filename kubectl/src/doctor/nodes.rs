//! Whether two nodes have room for arm and driver: what each node offers less what its pods ask for. Pure but for the
//! listing.

use std::collections::BTreeMap;

use k8s_openapi::{
    api::core::v1::{Container, Node, Pod},
    apimachinery::pkg::api::resource::Quantity,
};
use kube_client::{Api, ResourceExt as _};
use soak_campaign::plan::{Executor, Means, plan};
use soak_crds::{SoakCampaign, SoakCampaignSpec};
use soak_operator::build::{Room, room};

use super::{Check, State, seen};
use crate::{cluster::Cluster, fault::Fault};

const WHAT: &str = "nodes";
/// What arm and driver are given by default: what is asked of nodes where no campaign is named.
const USUAL: (Room, Room) =
    (Room { cpu_milli: 1100, memory_bytes: (1024 + 64) << 20 }, Room { cpu_milli: 1200, memory_bytes: 512 << 20 });

/// Looks at nodes and at what runs on them.
pub async fn check(cluster: &Cluster, campaign: Option<&SoakCampaign>) -> Result<Check, Fault> {
    let (nodes, pods): (Api<Node>, Api<Pod>) = (Api::all(cluster.client.clone()), Api::all(cluster.client.clone()));
    let nodes = match seen(cluster, cluster.all(&nodes, "").await)? {
        Ok(nodes) => nodes,
        Err(words) => return Ok(Check::new(WHAT, State::Unknown, words)),
    };
    let pods = match seen(cluster, cluster.all(&pods, "").await)? {
        Ok(pods) => pods,
        Err(words) => return Ok(Check::new(WHAT, State::Unknown, words)),
    };
    let needs = campaign.map_or_else(|| vec![USUAL], |campaign| needs(&campaign.spec));
    let own = campaign.map(|campaign| soak_operator::base(campaign).label().to_owned());
    Ok(judge(&nodes, &pods, &needs, own.as_deref()))
}

/// What each arm of a campaign asks for.
fn needs(spec: &SoakCampaignSpec) -> Vec<(Room, Room)> {
    let planned = plan(spec, "x", &Means { executor: Executor::Cluster, files: BTreeMap::new() });
    planned.map_or_else(|_| vec![USUAL], |plan| plan.arms.iter().map(room).collect())
}

fn judge(nodes: &[Node], pods: &[Pod], needs: &[(Room, Room)], own: Option<&str>) -> Check {
    let free: Vec<(String, Room)> =
        nodes.iter().filter(|node| takes_pods(node)).map(|node| free(node, pods, own)).collect();
    let told = free.iter().map(|(name, room)| format!("{name} {}", words(*room))).collect::<Vec<_>>().join(", ");
    if free.len() < 2 {
        let words =
            format!("arm and driver need two nodes that take pods; {} of {} do: {told}", free.len(), nodes.len());
        return Check::new(WHAT, State::Failed, words);
    }
    match needs.iter().find(|need| !fits(&free, **need)) {
        None => Check::new(WHAT, State::Ok, format!("two nodes have room; free: {told}")),
        Some((arm, driver)) => Check::new(
            WHAT,
            State::Failed,
            format!("no two nodes have room for arm ({}) and driver ({}); free: {told}", words(*arm), words(*driver)),
        ),
    }
}

fn fits(free: &[(String, Room)], (arm, driver): (Room, Room)) -> bool {
    let has = |room: &Room, need: Room| room.cpu_milli >= need.cpu_milli && room.memory_bytes >= need.memory_bytes;
    let of = |need: Room| free.iter().filter(move |(_, room)| has(room, need)).map(|(name, _)| name);
    of(arm).any(|one| of(driver).any(|other| one != other))
}

/// Whether pods without tolerations may go there.
fn takes_pods(node: &Node) -> bool {
    let spec = node.spec.clone().unwrap_or_default();
    let conditions = node.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let ready = conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status == "True");
    let tainted = spec.taints.iter().flatten().any(|taint| taint.effect != "PreferNoSchedule");
    ready && !tainted && spec.unschedulable != Some(true)
}

/// What a node has left; the campaign's own pods go before others of it come.
fn free(node: &Node, pods: &[Pod], own: Option<&str>) -> (String, Room) {
    let name = node.name_any();
    let offered = node.status.as_ref().and_then(|status| status.allocatable.clone()).unwrap_or_default();
    let mut left = Room { cpu_milli: milli(offered.get("cpu")), memory_bytes: whole(offered.get("memory")) };
    for pod in pods.iter().filter(|pod| runs_on(pod, &name) && !is_own(pod, own)) {
        let used = asked(pod);
        left.cpu_milli -= used.cpu_milli;
        left.memory_bytes -= used.memory_bytes;
    }
    (name, left)
}

fn runs_on(pod: &Pod, node: &str) -> bool {
    let here = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()) == Some(node);
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    here && !matches!(phase, Some("Succeeded" | "Failed"))
}

fn is_own(pod: &Pod, own: Option<&str>) -> bool {
    own.is_some() && pod.labels().get(soak_operator::names::CAMPAIGN).map(String::as_str) == own
}

/// What a pod's containers ask for; of those that come before the others, the largest.
fn asked(pod: &Pod) -> Room {
    let spec = pod.spec.clone().unwrap_or_default();
    let of = |container: &Container| {
        let requests =
            container.resources.as_ref().and_then(|resources| resources.requests.clone()).unwrap_or_default();
        Room { cpu_milli: milli(requests.get("cpu")), memory_bytes: whole(requests.get("memory")) }
    };
    let all: Vec<Room> = spec.containers.iter().map(of).collect();
    let first: Vec<Room> = spec.init_containers.iter().flatten().map(of).collect();
    let sum = |part: fn(&Room) -> i64| {
        all.iter().map(part).sum::<i64>().max(first.iter().map(part).max().unwrap_or_default())
    };
    Room { cpu_milli: sum(|room| room.cpu_milli), memory_bytes: sum(|room| room.memory_bytes) }
}

fn words(room: Room) -> String {
    format!("{} m CPU and {} MiB", room.cpu_milli, room.memory_bytes >> 20)
}

#[allow(clippy::cast_possible_truncation, reason = "far below 2^53")]
fn milli(quantity: Option<&Quantity>) -> i64 {
    (quantity.and_then(|quantity| number(&quantity.0)).unwrap_or_default() * 1000.0).round() as i64
}

#[allow(clippy::cast_possible_truncation, reason = "far below 2^53")]
fn whole(quantity: Option<&Quantity>) -> i64 {
    quantity.and_then(|quantity| number(&quantity.0)).unwrap_or_default().round() as i64
}

/// A quantity as Kubernetes writes it: `2`, `1500m`, `64Mi`, `1e3`.
fn number(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 15] = [
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("Pi", 1_125_899_906_842_624.0),
        ("Ei", 1_152_921_504_606_846_976.0),
        ("n", 1e-9),
        ("u", 1e-6),
        ("m", 1e-3),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
        ("E", 1e18),
    ];
    let unit = UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)));
    let (digits, factor) = unit.map_or((text, 1.0), |(digits, factor)| (digits, *factor));
    digits.parse::<f64>().ok().map(|value| value * factor)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn node(name: &str, cpu: &str, spec: &Value) -> Node {
        serde_json::from_value(json!({
            "metadata": {"name": name}, "spec": spec,
            "status": {"allocatable": {"cpu": cpu, "memory": "4Gi"}, "conditions": [{"type": "Ready", "status": "True"}]},
        }))
        .unwrap()
    }

    fn pod(node: &str, cpu: &str, phase: &str) -> Pod {
        serde_json::from_value(json!({
            "metadata": {"name": "p", "labels": {"soak.dev/campaign": "own"}},
            "spec": {"nodeName": node, "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]},
            "status": {"phase": phase},
        }))
        .unwrap()
    }

    #[test]
    fn quantities_are_read_as_kubernetes_writes_them() {
        let check = |text: &str, expected| assert_eq!(number(text), expected, "{text}");
        check("2", Some(2.0));
        check("1500m", Some(1.5));
        check("64Mi", Some(67_108_864.0));
        check("16328636Ki", Some(16_720_523_264.0));
        check("1e3", Some(1000.0));
        check("much", None);
    }

    #[test]
    fn arm_and_driver_need_two_nodes_that_take_pods_and_have_room() {
        let open = json!({});
        let check = |nodes: &[Node], pods: &[Pod], own, state, words: &str| {
            let check = judge(nodes, pods, &[USUAL], own);
            assert_eq!(check.state, state, "{check:?}");
            assert!(check.words.contains(words), "{check:?}");
        };
        let two = [node("a", "2", &open), node("b", "2", &open)];
        check(&two, &[], None, State::Ok, "a 2000 m CPU and 4096 MiB");
        check(&two[..1], &[], None, State::Failed, "need two nodes");
        check(&[two[0].clone(), node("b", "2", &json!({"unschedulable": true}))], &[], None, State::Failed, "1 of 2");
        let tainted = json!({"taints": [{"key": "x", "effect": "NoSchedule"}]});
        check(&[two[0].clone(), node("b", "2", &tainted)], &[], None, State::Failed, "1 of 2");
        check(&[two[0].clone(), node("b", "1", &open)], &[], None, State::Failed, "no two nodes have room");
        check(&two, &[pod("b", "1", "Running")], None, State::Failed, "b 1000 m CPU");
        check(&two, &[pod("b", "1", "Succeeded")], None, State::Ok, "");
        check(&two, &[pod("b", "1", "Running")], Some("own"), State::Ok, "");
    }
}
