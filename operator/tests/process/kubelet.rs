//! A scheduler and a kubelet: pods get a node that no other of ours is on, start, are ready with what the kubelet
//! reports of them, and end after their grace.

use std::{collections::BTreeSet, net::Ipv4Addr, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    api::{Api, Key},
    hosts::Hosts,
};

/// The nodes.
const NODES: [&str; 2] = ["node-a", "node-b"];
/// From a pod's being made to its node, and between two tries.
const SCHEDULED: Duration = Duration::from_millis(200);
/// From its node to its being ready.
const STARTED: Duration = Duration::from_millis(900);
/// From its being deleted to its being gone.
const GONE: Duration = Duration::from_millis(600);

/// Brings pods to life and to their end, as long as it is polled.
pub async fn run(api: Arc<Api>, hosts: Arc<Hosts>) {
    let mut changes = api.changes();
    let (mut begun, mut ending) = (BTreeSet::new(), BTreeSet::new());
    loop {
        for pod in api.all("pods") {
            let uid = pod["metadata"]["uid"].as_str().unwrap().to_owned();
            if begun.insert(uid.clone()) {
                tokio::spawn(begin(Arc::clone(&api), Arc::clone(&hosts), key(&pod), uid.clone()));
            }
            if pod["metadata"]["deletionTimestamp"].is_string() && ending.insert(uid.clone()) {
                tokio::spawn(end(Arc::clone(&api), Arc::clone(&hosts), key(&pod), uid));
            }
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

fn key(pod: &Value) -> Key {
    let text = |field: &str| pod["metadata"][field].as_str().unwrap().to_owned();
    Key { resource: "pods".to_owned(), namespace: text("namespace"), name: text("name") }
}

/// The pod, if it is still this one and not being deleted.
fn alive(api: &Api, key: &Key, uid: &str) -> Option<Value> {
    let pod = api.get("pods", &key.namespace, &key.name)?;
    (pod["metadata"]["uid"] == uid && pod["metadata"]["deletionTimestamp"].is_null()).then_some(pod)
}

async fn begin(api: Arc<Api>, hosts: Arc<Hosts>, key: Key, uid: String) {
    loop {
        sleep(SCHEDULED).await;
        if alive(&api, &key, &uid).is_none() {
            return;
        }
        let taken: Vec<Value> = api.all("pods").iter().map(|pod| pod["spec"]["nodeName"].clone()).collect();
        if let Some(node) = NODES.iter().find(|node| !taken.contains(&json!(node))) {
            api.with(|store| store.edit(&key, |pod| schedule(pod, node)));
            break;
        }
        api.with(|store| store.edit(&key, wait));
    }
    sleep(STARTED).await;
    if alive(&api, &key, &uid).is_some() {
        let ip = hosts.next_ip();
        api.with(|store| store.edit(&key, |pod| start(pod, ip)));
        hosts.start(ip, &uid, &alive(&api, &key, &uid).unwrap());
    }
}

async fn end(api: Arc<Api>, hosts: Arc<Hosts>, key: Key, uid: String) {
    sleep(GONE).await;
    hosts.end(&uid);
    api.with(|store| {
        if store.get(&key).is_ok_and(|pod| pod["metadata"]["uid"] == uid.as_str()) {
            store.remove(&key);
        }
    });
}

fn schedule(pod: &mut Value, node: &str) {
    pod["spec"]["nodeName"] = json!(node);
    pod["status"]["phase"] = json!("Pending");
    pod["status"]["qosClass"] = json!("Guaranteed");
    pod["status"]["conditions"] = json!([{"type": "PodScheduled", "status": "True"}]);
}

fn wait(pod: &mut Value) {
    let words = "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.";
    pod["status"]["phase"] = json!("Pending");
    pod["status"]["conditions"] = json!([{"type": "PodScheduled", "status": "False", "message": words}]);
}

fn start(pod: &mut Value, ip: Ipv4Addr) {
    let containers = pod["spec"]["containers"].as_array().unwrap().clone();
    let statuses = containers.iter().map(|container| {
        json!({
            "name": container["name"], "image": container["image"], "imageID": container["image"],
            "ready": true, "restartCount": 0, "state": {"running": {}},
        })
    });
    pod["status"]["phase"] = json!("Running");
    pod["status"]["podIP"] = json!(ip.to_string());
    pod["status"]["containerStatuses"] = json!(statuses.collect::<Vec<_>>());
}
