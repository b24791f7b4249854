//! The cluster itself: nodes that are ready, and pods that reach each other across them.

use soak_e2e::Cluster;

#[test]
fn two_nodes_or_more_are_ready() {
    let Some(cluster) = Cluster::named() else { return };
    let nodes = cluster.get(&["nodes"]);
    let is_ready = |node: &&serde_json::Value| {
        let conditions = node["status"]["conditions"].as_array().unwrap();
        conditions.iter().any(|one| one["type"] == "Ready" && one["status"] == "True")
    };
    let ready = nodes["items"].as_array().unwrap().iter().filter(is_ready).count();
    assert!(ready >= 2, "arm and driver need a node each: {ready} ready");
}
