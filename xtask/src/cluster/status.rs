//! What runs of the cluster, as its API server tells it.

use std::process::Command;

use serde_json::Value;

use super::{
    cgroup::Hierarchies,
    layout::{Layout, Node},
    teardown,
};
use crate::{Fault, program};

/// Prints it for people.
pub(super) fn print(layout: &Layout) -> Result<(), Fault> {
    if !layout.kubeconfig().exists() {
        let left = teardown::left(layout, &Hierarchies::mounted()?);
        let words = if left.is_empty() { "nothing is left of one".to_owned() } else { left.join(", ") };
        println!("no cluster is up; {words}");
        return Ok(());
    }
    print!("{}", kubectl(layout, &["get", "nodes", "--output=wide"])?);
    println!("\nexport KUBECONFIG={}", layout.kubeconfig().display());
    println!("export PATH={}:$PATH", layout.programs().display());
    Ok(())
}

/// The names of the nodes that are ready.
pub(super) fn ready_nodes(layout: &Layout) -> Vec<String> {
    let told = kubectl(layout, &["get", "nodes", "--output=json"]).unwrap_or_default();
    ready(&serde_json::from_str(&told).unwrap_or_default())
}

/// Whether pods can be made in the default namespace.
pub(super) fn has_service_account(layout: &Layout) -> bool {
    kubectl(layout, &["get", "serviceaccount", "default", "--namespace=default"]).is_ok()
}

/// Whether a node's containerd answers.
pub(super) fn has_containerd(layout: &Layout, node: Node) -> bool {
    let socket = layout.containerd(node).display().to_string();
    program::run("ctr", &["--address", &socket, "--connect-timeout=2s", "version"]).is_ok()
}

fn kubectl(layout: &Layout, arguments: &[&str]) -> Result<String, Fault> {
    let mut command = Command::new(layout.programs().join("kubectl"));
    command.arg(format!("--kubeconfig={}", layout.kubeconfig().display())).arg("--request-timeout=5s");
    program::output(command.args(arguments))
}

fn ready(nodes: &Value) -> Vec<String> {
    let is_ready = |node: &Value| {
        let conditions = node["status"]["conditions"].as_array();
        conditions.into_iter().flatten().any(|one| one["type"] == "Ready" && one["status"] == "True")
    };
    let nodes = nodes["items"].as_array().into_iter().flatten().filter(|node| is_ready(node));
    nodes.filter_map(|node| Some(node["metadata"]["name"].as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_node_counts_when_its_kubelet_says_that_it_is_ready() {
        let node = |name: &str, status: &str| json!({"metadata": {"name": name}, "status": {"conditions": [{"type": "Ready", "status": status}]}});
        let nodes = json!({"items": [node("a", "True"), node("b", "False"), node("c", "Unknown"), {}]});
        assert_eq!(ready(&nodes), ["a"]);
        assert_eq!(ready(&Value::Null), Vec::<String>::new());
    }
}
