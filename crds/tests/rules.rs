//! The rules between fields: each is broken by at least one case here, says where and what is allowed, and costs little.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

use std::collections::BTreeSet;

#[path = "cases/broken.rs"]
mod broken;

use broken::{cases, changed, sound};
use kube::core::cel::{compile_schema, estimate_rule_cost};
use serde_json::Value;
use soak_crds::{broken_rules, schema};

/// Every node with rules: its path, its schema, and how many of it a resource may hold.
fn nodes_with_rules() -> Vec<(String, Value, u64)> {
    fn walk(path: &str, node: &Value, count: u64, found: &mut Vec<(String, Value, u64)>) {
        if node.get("x-kubernetes-validations").is_some() {
            found.push((path.to_owned(), node.clone(), count));
        }
        for (name, field) in node["properties"].as_object().into_iter().flatten() {
            walk(&format!("{path}.{name}"), field, count, found);
        }
        if let Some(items) = node.get("items") {
            walk(&format!("{path}[]"), items, count * node["maxItems"].as_u64().unwrap(), found);
        }
    }
    let mut found = Vec::new();
    walk("", schema(), 1, &mut found);
    found
}

#[test]
fn a_sound_campaign_breaks_no_rule() {
    assert_eq!(broken_rules(&sound(), None), []);
}

#[test]
fn each_case_is_refused_at_its_field() {
    for (at, value, field) in cases() {
        let broken = broken_rules(&changed(at, &value), None);
        let fields: Vec<&str> = broken.iter().map(|rule| rule.field.as_str()).collect();
        assert!(fields.contains(&field), "{at} = {value}: {broken:#?}");
        assert!(broken.iter().all(|rule| rule.decided), "{at} = {value}: {broken:#?}");
    }
}

#[test]
fn one_mistake_gives_at_most_two_messages() {
    for (at, value, _) in cases() {
        let broken = broken_rules(&changed(at, &value), None);
        assert!(broken.len() <= 2, "{at} = {value}: one mistake, {} messages: {broken:#?}", broken.len());
    }
}

#[test]
fn every_rule_is_broken_by_a_case() {
    let said: BTreeSet<String> = cases()
        .iter()
        .flat_map(|(at, value, _)| broken_rules(&changed(at, value), None))
        .map(|rule| rule.message)
        .collect();
    for (path, node, _) in nodes_with_rules().iter().filter(|(path, ..)| !path.is_empty()) {
        for rule in node["x-kubernetes-validations"].as_array().unwrap() {
            let message = rule["message"].as_str().expect("a rule has a message");
            assert!(said.contains(message), "no case breaks the rule at {path}: {message}");
        }
    }
}

#[test]
fn every_message_is_one_short_line_and_no_rule_spans_lines() {
    for (path, node, _) in nodes_with_rules() {
        for rule in node["x-kubernetes-validations"].as_array().unwrap() {
            for text in [&rule["message"], &rule["rule"]] {
                let text = text.as_str().unwrap();
                assert!(!text.contains('\n') && !text.contains("  "), "{path}: {text:?}");
            }
            assert!(rule["message"].as_str().unwrap().len() <= 160, "{path}: {}", rule["message"]);
        }
    }
}

/// The node with only the fields that the rule names: the estimate takes the first list it meets for every list.
fn reduced(node: &Value, rule: &str) -> Value {
    let mut node = node.clone();
    if let Some(fields) = node["properties"].as_object_mut() {
        fields.retain(|name, _| rule.contains(&format!("self.{name}")));
    }
    node
}

#[test]
fn every_rule_stays_within_the_cost_that_an_api_server_allows() {
    let nodes = nodes_with_rules();
    assert!(nodes.len() > 20, "rules are found");
    for (path, node, count) in nodes {
        assert!(count <= 5000, "{path}: a resource may hold {count} of it");
        for rule in node["x-kubernetes-validations"].as_array().unwrap() {
            let text = rule["rule"].as_str().unwrap();
            assert_eq!(estimate_rule_cost(text, &compile_schema(&reduced(&node, text))), [], "{path}");
        }
    }
}
