//! The resource's definition on the cluster: applied when the first test needs it, as a user applies it.

use std::{sync::OnceLock, time::Duration};

use serde_json::Value;
use soak_e2e::{Cluster, until};

const LIMIT: Duration = Duration::from_secs(30);
const NAME: &str = "soakcampaigns.soak.dev";

/// Applies the committed definition once and waits until the API server serves it.
pub fn applied(cluster: &Cluster) {
    static APPLIED: OnceLock<()> = OnceLock::new();
    APPLIED.get_or_init(|| {
        cluster.apply(include_str!("../../crds/soakcampaigns.yaml"));
        until("the definition is served", LIMIT, || {
            let definition = cluster.get(&["customresourcedefinition", NAME]);
            let is_served = conditions(&definition).any(|one| one["type"] == "Established" && one["status"] == "True");
            is_served.then_some(())
        });
    });
}

fn conditions(resource: &Value) -> impl Iterator<Item = &Value> {
    resource["status"]["conditions"].as_array().into_iter().flatten()
}

#[test]
fn the_api_server_finds_no_fault_with_the_definition() {
    let Some(cluster) = Cluster::named() else { return };
    applied(&cluster);
    let definition = cluster.get(&["customresourcedefinition", NAME]);
    let faults: Vec<&Value> = conditions(&definition).filter(|one| one["type"] == "NonStructuralSchema").collect();
    assert!(faults.is_empty(), "{faults:?}");
    let shown: Vec<String> =
        columns(&cluster.kubectl(&["get", "soakcampaigns", "--all-namespaces"]).unwrap_or_default());
    assert!(shown.is_empty() || shown.contains(&"VERDICT".to_owned()), "{shown:?}");
}

fn columns(table: &str) -> Vec<String> {
    table.lines().next().unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}
