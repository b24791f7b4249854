//! What a ramp found: too early an end, a capacity, a collapse.

use serde_json::Value;

use crate::case::{Case, is_there};

#[test]
fn a_ramp_that_ends_early_asks_to_be_extended() {
    let ended = Case::of("ends-early").run();
    assert_eq!(ended.verdicts(), ["first-step", "clean"], "{}", ended.tables);
    let arm = ended.arm();
    assert_eq!((&arm["extend"], &arm["knee"]), (&Value::Bool(true), &Value::Null), "{arm}");
    assert_eq!(arm["capacity"]["atLeast"], true, "{arm}");
    assert!(ended.tables.contains("extend the ramp"), "{}", ended.tables);
    assert_eq!(ended.summary["verdict"], "Inconclusive");
    assert_eq!(ended.code, Some(0), "{}", ended.told);
}

#[test]
fn a_ramp_that_may_extend_itself_goes_on_until_the_plateau_is_found() {
    let ended = Case::of("extends-itself").run();
    assert_eq!(ended.planned(), [150, 300, 450, 600, 750], "{}", ended.tables);
    let arm = ended.arm();
    // Sixteen threads, each busy for 40 ms and a little more.
    let capacity = arm["capacity"]["perSecond"].as_f64().unwrap();
    assert!((300.0..=400.5).contains(&capacity), "{arm}");
    assert_eq!((&arm["capacity"]["atLeast"], &arm["extend"]), (&Value::Bool(false), &Value::Bool(false)), "{arm}");
    assert_eq!((&arm["knee"]["last"], &arm["knee"]["firstBroken"]), (&300.into(), &450.into()), "{arm}");
    assert_eq!(ended.summary["verdict"], "Pass");
    assert_eq!(ended.code, Some(0), "{}", ended.told);
}

#[test]
fn a_ramp_that_extends_itself_ends_at_its_cap_and_says_that_it_is_too_short() {
    let ended = Case::changed("extends-itself", &[("maxSteps: 6", "maxSteps: 2")]).run();
    assert_eq!(ended.planned(), [150, 300, 450, 600], "{}", ended.tables);
    let arm = ended.arm();
    assert_eq!((&arm["capacity"]["atLeast"], &arm["extend"]), (&Value::Bool(true), &Value::Bool(true)), "{arm}");
    assert_eq!(ended.code, Some(0), "{}", ended.told);
}

#[test]
fn an_arm_that_delivers_less_the_more_is_asked_collapses() {
    if !is_there("python3") {
        return;
    }
    let ended = Case::of("falls-over").run();
    assert_eq!(ended.verdicts(), ["first-step", "clean", "past-knee", "past-knee"], "{}", ended.tables);
    let arm = ended.arm();
    assert_eq!((&arm["collapse"], &arm["extend"]), (&300.into(), &Value::Bool(false)), "{arm}");
    assert_eq!((&arm["knee"]["last"], &arm["capacity"]["atLeast"]), (&100.into(), &Value::Bool(true)), "{arm}");
    let delivered: Vec<f64> = ended.rows.iter().map(|row| row["delivered"].as_f64().unwrap()).collect();
    assert!(delivered[2] < 0.85 * delivered[1] && delivered[3] < 0.85 * delivered[1], "{delivered:?}");
    assert!(ended.tables.contains("collapse at 300/s"), "{}", ended.tables);
    assert_eq!(ended.summary["verdict"], "Inconclusive");
    assert_eq!(ended.code, Some(0), "{}", ended.told);
}
