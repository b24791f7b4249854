//! The spec is frozen once load has been sent, but for the fields that stay open.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

use serde_json::{Value, json};
use soak_crds::{STAYS_OPEN, broken_rules, schema};

/// A campaign with every field of the spec set.
fn full() -> Value {
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
fn changed(field: &str) -> Value {
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

fn with(field: &str, value: Value) -> Value {
    let mut campaign = full();
    let spec = campaign["spec"].as_object_mut().unwrap();
    if value.is_null() {
        spec.remove(field);
    } else {
        spec.insert(field.to_owned(), value);
    }
    campaign
}

fn started(mut campaign: Value) -> Value {
    campaign["status"] = json!({"started": "2026-01-01T00:00:00Z"});
    campaign
}

fn fields() -> Vec<String> {
    schema()["properties"]["spec"]["properties"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn the_test_campaign_sets_every_field_and_is_accepted() {
    for field in fields() {
        assert!(full()["spec"].get(&field).is_some(), "set spec.{field} in this test");
    }
    assert_eq!(broken_rules(&full(), None), []);
}

#[test]
fn before_load_has_been_sent_every_field_may_change() {
    for field in fields() {
        assert_eq!(broken_rules(&with(&field, changed(&field)), Some(&full())), [], "spec.{field}");
    }
}

#[test]
fn after_load_has_been_sent_only_the_open_fields_may_change() {
    for field in fields() {
        let broken = broken_rules(&started(with(&field, changed(&field))), Some(&started(full())));
        let named: Vec<&str> = broken.iter().map(|rule| rule.field.as_str()).collect();
        if STAYS_OPEN.contains(&field.as_str()) {
            assert_eq!(named, Vec::<&str>::new(), "spec.{field} stays open");
        } else {
            assert_eq!(named, [format!("spec.{field}")], "spec.{field} is frozen");
            assert!(broken[0].message.contains("create a campaign with a new name"), "{}", broken[0].message);
        }
    }
}

#[test]
fn after_load_has_been_sent_a_field_may_neither_be_added_nor_removed() {
    let without = with("slo", Value::Null);
    let broken = |new: &Value, old: &Value| broken_rules(&started(new.clone()), Some(&started(old.clone()))).len();
    assert_eq!(broken(&without, &full()), 1);
    assert_eq!(broken(&full(), &without), 1);
}

#[test]
fn the_status_may_always_change() {
    let mut later = started(full());
    later["status"]["step"] = json!("2/12");
    assert_eq!(broken_rules(&later, Some(&started(full()))), []);
    assert_eq!(broken_rules(&started(full()), Some(&full())), []);
}
