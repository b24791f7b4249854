//! The spec is frozen once load has been sent, but for the fields that stay open.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

#[path = "cases/frozen.rs"]
mod cases;

use cases::{changed, fields, full, started, with};
use serde_json::{Value, json};
use soak_crds::{STAYS_OPEN, broken_rules};

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
