//! Once load has been sent the spec is frozen: one rule a field of the spec, so that a new field is frozen by default.
//! The rules are generated from the schema's own fields and belong to its root, where the status can be read.

use serde_json::{Value, json};

/// Fields of the spec that may change at any time.
pub const STAYS_OPEN: [&str; 4] = ["suspend", "cancel", "withdrawn", "retention"];

/// Appends the rules to the root of the resource's schema.
pub(crate) fn freeze(schema: &mut Value) {
    let rules: Vec<Value> = frozen_fields(schema).iter().map(|field| rule(field)).collect();
    schema["x-kubernetes-validations"] = Value::Array(rules);
}

/// The spec's fields that are frozen, in the schema's order.
pub(crate) fn frozen_fields(schema: &Value) -> Vec<String> {
    let fields = schema["properties"]["spec"]["properties"].as_object();
    fields
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .filter(|name| !STAYS_OPEN.contains(&name.as_str()))
        .collect()
}

fn rule(field: &str) -> Value {
    json!({
        "rule": format!(
            "!(has(oldSelf.status) && has(oldSelf.status.started)) || (has(self.spec.{field}) ? \
             has(oldSelf.spec.{field}) && self.spec.{field} == oldSelf.spec.{field} : !has(oldSelf.spec.{field}))"
        ),
        "message": format!(
            "spec.{field} is frozen since load has been sent; {} may still change; create a campaign with a new name",
            STAYS_OPEN.join(", ")
        ),
        "fieldPath": format!(".spec.{field}"),
        "reason": "FieldValueForbidden",
    })
}
