//! A campaign with every field set, and another value for each. Shared by the tests in process and those on a real API
//! server.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use serde_json::{Value, json};
use soak_crds::schema;

/// A campaign with every field of the spec set.
pub fn full() -> Value {
    json!({
        "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": {"name": "x"},
        "spec": {
            "arms": [
                {"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"},
                {"name": "b", "server": {"preset": "rest"}, "protocol": "Http2"},
            ],
            "bodies": [{"preset": "Tiny"}],
            "ramp": {"steps": {"rates": [1, 2]}},
            "client": {"connections": 1},
            "replicates": 1,
            "order": {"kind": "AsWritten", "seed": 2},
            "slo": {"p99": "1s"},
            "thresholds": [{"name": "t", "arm": "a", "p99Micros": {"atMost": 1}}],
            "levers": [{"name": "l", "arms": ["a"], "args": ["-x"]}],
            "compare": [{"name": "c", "control": "a", "treatment": "b"}],
            "predictions": [{"name": "p", "arm": "a", "capacityPerSecond": {"atLeast": 1}}],
            "judge": {"gapMillis": 1},
            "bench": "Steady",
            "profile": {"kind": "Agent"},
            "tls": {"mode": "SelfSigned"},
            "placement": "SameNode",
            "pool": "p",
            "retention": {"keepLast": 1},
            "suspend": true,
            "cancel": true,
            "withdrawn": [{"run": "r", "reason": "wrong"}],
        },
    })
}

/// Another value that the field may take.
pub fn changed(field: &str) -> Value {
    match field {
        "arms" => json!([
            {"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"},
            {"name": "b", "server": {"preset": "rest"}, "protocol": "Http1"},
        ]),
        "bodies" => json!([{"preset": "Dense"}]),
        "ramp" => json!({"steps": {"rates": [1, 3]}}),
        "client" => json!({"connections": 2}),
        "replicates" => json!(2),
        "order" => json!({"kind": "AsWritten", "seed": 3}),
        "slo" => json!({"p99": "2s"}),
        "thresholds" => json!([{"name": "t", "arm": "a", "p99Micros": {"atMost": 2}}]),
        "levers" => json!([{"name": "l", "arms": ["a"], "args": ["-y"]}]),
        "compare" => json!([{"name": "c", "control": "b", "treatment": "a"}]),
        "predictions" => json!([{"name": "p", "arm": "a", "capacityPerSecond": {"atLeast": 2}}]),
        "judge" => json!({"gapMillis": 2}),
        "bench" => json!("Loopback"),
        "placement" => json!("Spread"),
        "pool" => json!("q"),
        "retention" => json!({"keepLast": 2}),
        "suspend" | "cancel" => json!(false),
        "withdrawn" => json!([]),
        "profile" | "tls" => Value::Null, // one value only: removed below
        other => panic!("spec.{other} has no other value in this test"),
    }
}

pub fn with(field: &str, value: Value) -> Value {
    let mut campaign = full();
    let spec = campaign["spec"].as_object_mut().unwrap();
    if value.is_null() {
        spec.remove(field);
    } else {
        spec.insert(field.to_owned(), value);
    }
    campaign
}

pub fn started(mut campaign: Value) -> Value {
    campaign["status"] = json!({"started": "2026-01-01T00:00:00Z"});
    campaign
}

pub fn fields() -> Vec<String> {
    schema()["properties"]["spec"]["properties"].as_object().unwrap().keys().cloned().collect()
}
