//! The chart, as far as it can be read without Helm: every value is in the schema and no other is taken; the roles hold no
//! power that the operator does not use. `helm` renders it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::fs;

use serde_json::Value;

const CHART: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../chart");

fn text(file: &str) -> String {
    fs::read_to_string(format!("{CHART}/{file}")).unwrap()
}

fn values() -> Value {
    serde_saphyr::from_str(&text("values.yaml")).unwrap()
}

fn schema() -> Value {
    serde_json::from_str(&text("values.schema.json")).unwrap()
}

/// Every value of an object that the schema closes is described, and the other way round.
fn agree(whole: &Value, schema: &Value, value: &Value, at: &str) {
    let pointer = schema["$ref"].as_str().map(|reference| reference.trim_start_matches('#'));
    let schema = pointer.map_or(schema, |pointer| whole.pointer(pointer).unwrap());
    let (Some(described), Some(fields)) = (schema["properties"].as_object(), value.as_object()) else { return };
    assert_eq!(schema["additionalProperties"], false, "{at} takes keys that it does not know");
    for (name, field) in fields {
        let own = described.get(name).unwrap_or_else(|| panic!("{at}.{name} is not in the schema"));
        agree(whole, own, field, &format!("{at}.{name}"));
    }
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    for name in required.iter().filter_map(Value::as_str) {
        assert!(fields.contains_key(name), "{at}.{name} has no default");
    }
}

#[test]
fn every_value_is_in_the_schema_and_no_other_key_is_taken() {
    let schema = schema();
    agree(&schema, &schema, &values(), "values");
    let boolean = |pointer: &str| assert_eq!(schema.pointer(pointer).unwrap()["type"], "boolean", "{pointer}");
    boolean("/properties/crds/properties/install");
    boolean("/properties/rbac/properties/create");
    boolean("/properties/rbac/properties/aggregate");
    boolean("/properties/clusterWide");
    boolean("/properties/networkPolicy/properties/enabled");
}

#[test]
fn the_roles_hold_no_power_that_is_not_used() {
    let roles = text("templates/rbac.yaml");
    for power in
        ["'*'", "\"*\"", "[*]", "exec", "proxy", "escalate", "bind]", "impersonate", "secrets", "nodes", "attach"]
    {
        assert!(!roles.contains(power), "rbac.yaml grants {power}");
    }
    let (before, rest) = roles.split_once("{{- if .Values.clusterWide }}").unwrap();
    let (_, after) = rest.split_once("{{- else }}").unwrap();
    for part in [before, after] {
        assert!(!part.contains("kind: ClusterRoleBinding"), "the operator's own roles are of namespaces");
    }
}
