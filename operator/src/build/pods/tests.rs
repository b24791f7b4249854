//! The pods as they are applied, whole: `golden/*.json`. `UPDATE_GOLDEN=1` writes them anew.

use std::{env, fs};

use soak_campaign::{
    plan::{Executor, Means, Plan, plan},
    step::AttemptKey,
};
use soak_crds::SoakCampaignSpec;

use super::*;
use crate::observe::arm_ports;

fn planned(server: &Value) -> Plan {
    let request = server.get("image").map(|_| json!({"path": "/"}));
    let spec = json!({
        "arms": [{"name": "a", "protocol": "Http1", "server": server, "request": request}],
        "client": {"idle": "Sleep", "cpu": "500m"},
        "ramp": {"steps": {"rates": [100, 200]}},
    });
    let spec: SoakCampaignSpec = serde_json::from_value(spec).unwrap();
    let means = Means { executor: Executor::Cluster, ..Means::default() };
    plan(&spec, "my-campaign", &means).unwrap()
}

fn pods(server: &Value, pinned: Option<&str>) -> (Value, Value) {
    let plan = planned(server);
    let part = AttemptKey { run: plan.runs[0].id.clone(), attempt: 1 }.part(1);
    let images = Images {
        arm: "soak.dev/arm@sha256:aa".to_owned(),
        driver: "soak.dev/driver@sha256:dd".to_owned(),
        witness: "soak.dev/witness@sha256:ee".to_owned(),
    };
    let making = Making {
        base: &Base::of("my-campaign", b""),
        namespace: "ns",
        owner: ("my-campaign", "uid-1"),
        run: 0,
        part: &part,
        images: &images,
        token_sha256: "00ff",
    };
    let arm = &plan.arms[0];
    (arm_pod(&making, arm, arm_ports(&arm.server).unwrap(), pinned).unwrap(), driver_pod(&making, arm))
}

#[track_caller]
fn golden(name: &str, pod: &Value) {
    let path = format!("{}/src/build/pods/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = serde_json::to_string_pretty(pod).unwrap() + "\n";
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), text, "{path}");
}

fn own_server() -> Value {
    json!({
        "image": "example.com/cart:1.4", "port": 9900, "readyPath": "/healthz", "runAsUser": 1000,
        "args": ["--fast"], "env": [{"name": "MODE", "value": "x"}], "writablePaths": ["/data", "/tmp"],
        "readOnlyRootFilesystem": false, "resources": {"cpu": "300m", "memory": "128Mi"},
    })
}

#[test]
fn a_presets_pods_are_these() {
    let (arm, driver) = pods(&json!({"preset": "rest", "settings": {"workerThreads": 2}}), None);
    golden("preset-arm", &arm);
    golden("driver", &driver);
}

#[test]
fn a_pod_of_ones_own_server_is_this() {
    golden("own-arm", &pods(&own_server(), None).0);
}

#[test]
fn a_pinned_image_takes_the_place_of_the_one_that_was_written() {
    let pinned = "example.com/cart@sha256:12";
    assert_eq!(pods(&own_server(), Some(pinned)).0["spec"]["containers"][0]["image"], pinned);
}

#[test]
fn the_witness_leaves_the_arms_port_to_the_arm() {
    let port = |server| pods(&server, None).0["spec"]["containers"][1]["ports"][0]["containerPort"].clone();
    assert_eq!(port(own_server()), 9910);
    assert_eq!(port(json!({"preset": "rest"})), 9900);
}

#[test]
fn every_container_is_guaranteed_and_restricted_whatever_the_server() {
    for server in [json!({"preset": "grpc"}), own_server()] {
        let (arm, driver) = pods(&server, None);
        for pod in [&arm, &driver] {
            let spec = &pod["spec"];
            assert_eq!(spec["automountServiceAccountToken"], false);
            assert_eq!(spec["securityContext"]["runAsNonRoot"], true);
            assert_eq!(spec["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
            for container in spec["containers"].as_array().unwrap() {
                assert_eq!(container["resources"]["requests"], container["resources"]["limits"]);
                assert_eq!(container["securityContext"]["allowPrivilegeEscalation"], false);
                assert_eq!(container["securityContext"]["capabilities"]["drop"], json!(["ALL"]));
            }
        }
    }
}
