//! The generated schema: documented, bounded, without floats, nulls or formats an API server does not know.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

use serde_json::{Value, json};
use soak_crds::{pattern_in_words, schema, spec::*};

/// Calls `look` with the path and schema of every node below the root's `spec` and `status`.
fn walk(path: &str, node: &Value, look: &mut impl FnMut(&str, &Value)) {
    look(path, node);
    for (name, field) in node["properties"].as_object().into_iter().flatten() {
        walk(&format!("{path}.{name}"), field, look);
    }
    if let Some(items) = node.get("items") {
        walk(&format!("{path}[]"), items, look);
    }
}

/// What is wrong with every node of a schema, by `fault`.
fn faults(root: &Value, fault: impl Fn(&Value) -> Option<&'static str>) -> Vec<String> {
    let mut found = Vec::new();
    for part in ["spec", "status"] {
        walk(part, &root["properties"][part], &mut |path, node| {
            found.extend(fault(node).map(|what| format!("{path}: {what}")));
        });
    }
    found
}

fn undocumented(node: &Value) -> Option<&'static str> {
    let is_silent = |field: &Value| field["description"].as_str().is_none_or(|text| text.trim().len() < 8);
    let fields = node["properties"].as_object().into_iter().flatten();
    fields.map(|(_, field)| field).any(is_silent).then_some("a field without a description")
}

fn unbounded(node: &Value) -> Option<&'static str> {
    let int_or_string = node["x-kubernetes-int-or-string"] == json!(true);
    let bounded_number = node["minimum"].is_i64() && node["maximum"].is_i64();
    match node["type"].as_str() {
        None if int_or_string => {
            (!bounded_number || !node["maxLength"].is_i64()).then_some("a quantity without both bounds")
        }
        Some("integer") => (!bounded_number).then_some("an integer without both bounds"),
        Some("string") => {
            (node["enum"].is_null() && !node["maxLength"].is_i64()).then_some("a string without maxLength")
        }
        Some("array") => (!node["maxItems"].is_i64()).then_some("a list without maxItems"),
        Some("object") => node["properties"].as_object().is_none().then_some("an object without declared fields"),
        Some("boolean") => None,
        None | Some(_) => Some("a type that is not allowed"),
    }
}

fn unknown_to_an_api_server(node: &Value) -> Option<&'static str> {
    if node.get("nullable").is_some() {
        return Some("nullable");
    }
    match node["format"].as_str() {
        None | Some("int32" | "int64") => None,
        Some(_) => Some("a format that is not int32 or int64"),
    }
}

fn unlisted(node: &Value) -> Option<&'static str> {
    let is_list = node["type"] == "array";
    (is_list && node["x-kubernetes-list-type"].is_null()).then_some("a list without a list type")
}

fn unexplained(node: &Value) -> Option<&'static str> {
    let silent_pattern = node["pattern"].as_str().is_some_and(|pattern| pattern_in_words(pattern).is_none());
    let description = node["description"].as_str().unwrap_or_default();
    let silent_value = |value: &Value| !description.contains(&format!("`{}`:", value.as_str().unwrap()));
    let values = node["enum"].as_array();
    let silent_enum = values.is_some_and(|values| values.iter().any(silent_value));
    match (silent_pattern, silent_enum) {
        (true, _) => Some("a pattern without words"),
        (false, true) => Some("an enum value that the description does not explain"),
        (false, false) => None,
    }
}

#[test]
fn every_field_is_documented() {
    assert_eq!(faults(schema(), undocumented), Vec::<String>::new());
}

#[test]
fn every_field_is_bounded_and_none_is_a_float() {
    assert_eq!(faults(schema(), unbounded), Vec::<String>::new());
}

#[test]
fn nothing_is_nullable_or_of_a_format_that_an_api_server_does_not_know() {
    assert_eq!(faults(schema(), unknown_to_an_api_server), Vec::<String>::new());
}

#[test]
fn every_list_says_how_it_merges() {
    assert_eq!(faults(schema(), unlisted), Vec::<String>::new());
}

#[test]
fn every_pattern_and_every_enum_value_is_explained_in_words() {
    assert_eq!(faults(schema(), unexplained), Vec::<String>::new());
}

#[test]
fn the_checks_above_find_what_they_look_for() {
    let bad = |node: Value| {
        json!({"properties": {"spec": {"type": "object", "properties": {"x": node}}, "status": {
        "type": "object", "properties": {}}}})
    };
    for (node, check) in [
        (json!({"type": "string", "maxLength": 1, "description": ""}), undocumented as fn(&Value) -> _),
        (json!({"type": "string"}), unbounded),
        (json!({"type": "integer", "minimum": 0}), unbounded),
        (json!({"type": "array", "items": {"type": "boolean"}}), unbounded),
        (json!({"type": "number", "minimum": 0, "maximum": 1}), unbounded),
        (json!({"type": "integer", "format": "uint32"}), unknown_to_an_api_server),
        (json!({"type": "string", "nullable": true}), unknown_to_an_api_server),
        (json!({"type": "array", "maxItems": 1}), unlisted),
        (json!({"type": "string", "pattern": "^x$"}), unexplained),
        (json!({"type": "string", "enum": ["A"], "description": "A letter."}), unexplained),
    ] {
        assert_eq!(faults(&bad(node.clone()), check).len(), 1, "{node}");
    }
}

#[test]
fn enum_values_are_camel_case_but_for_presets_and_http_methods() {
    let mut others = Vec::new();
    walk("", schema(), &mut |_, node| {
        let values = node["enum"].as_array().into_iter().flatten().map(|value| value.as_str().unwrap());
        let is_camel =
            |value: &str| value.starts_with(|c: char| c.is_uppercase()) && value.chars().any(char::is_lowercase);
        others.extend(values.filter(|value| !is_camel(value)).map(str::to_owned));
    });
    others.sort();
    others.dedup();
    let mut expected = [
        "DELETE",
        "GET",
        "PATCH",
        "POST",
        "PUT",
        "grpc",
        "jvm-grpc",
        "jvm-rest",
        "jvm-rsocket",
        "jvm-websocket",
        "rest",
        "rsocket",
        "websocket",
    ];
    expected.sort_unstable();
    assert_eq!(others, expected);
}

#[test]
fn the_defaults_of_the_schema_are_those_of_the_types() {
    let arm = json!({"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"});
    let bare = json!({
        "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": {"name": "x"},
        "spec": {
            "arms": [arm],
            "compare": [{"name": "c", "control": "a", "treatment": "b"}],
        },
    });
    let by_schema: SoakCampaign = serde_json::from_value(soak_crds::with_defaults(&bare)).unwrap();
    let by_serde: SoakCampaign = serde_json::from_value(bare.clone()).unwrap();
    assert_eq!(by_schema.spec, by_serde.spec);
    let written = serde_json::to_value(&by_serde.spec).unwrap();
    assert_eq!(written, soak_crds::with_defaults(&bare)["spec"], "every default is in the schema");
}

#[test]
fn a_whole_spec_survives_a_round_trip() {
    let spec = SoakCampaignSpec { replicates: 5, ..minimal() };
    let text = serde_json::to_string(&spec).unwrap();
    assert_eq!(serde_json::from_str::<SoakCampaignSpec>(&text).unwrap(), spec);
}

fn minimal() -> SoakCampaignSpec {
    serde_json::from_value(json!({"arms": [{"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"}]})).unwrap()
}

#[test]
fn an_optional_enum_keeps_the_words_on_its_field() {
    let idle = &schema()["properties"]["spec"]["properties"]["client"]["properties"]["idle"]["description"];
    let idle = idle.as_str().unwrap();
    assert!(idle.starts_with("What the driver does between two sends. Default: `Spin`. `Spin`: "), "{idle}");
}

#[test]
fn every_description_is_one_line() {
    let broken = |node: &Value| {
        node["description"]
            .as_str()
            .is_some_and(|text| text.contains('\n'))
            .then_some("a description over several lines")
    };
    assert_eq!(faults(schema(), broken), Vec::<String>::new());
}
