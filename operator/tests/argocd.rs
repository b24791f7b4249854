//! Argo CD's scripts for campaigns, under the Lua and with the libraries that Argo CD gives a script, against the conditions
//! that the operator writes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::{fs, process::Command};

use mlua::{Lua, LuaOptions, LuaSerdeExt as _, StdLib};
use serde_json::{Value, json};
use soak_campaign::status::{Phase, conditions};
use soak_crds::status::Outcome;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/argocd");

fn script(file: &str) -> String {
    fs::read_to_string(format!("{SCRIPTS}/{file}")).unwrap()
}

/// What a script returns of an object.
fn run(script: &str, object: &Value) -> Value {
    let lua = Lua::new_with(StdLib::TABLE | StdLib::PACKAGE, LuaOptions::default()).unwrap();
    lua.globals().set("obj", lua.to_value(object).unwrap()).unwrap();
    let returned: mlua::Value = lua.load(script).eval().unwrap();
    lua.from_value(returned).unwrap()
}

/// A campaign of generation 2 in a phase, seen at a generation.
fn campaign(phase: &Phase, verdict: Option<Outcome>, seen: i64) -> Value {
    let conditions = conditions(&[], phase, verdict, (Some(seen), "2026-01-01T00:00:00Z"));
    json!({
        "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign",
        "metadata": {"name": "c", "generation": 2}, "spec": {"suspend": false, "cancel": false},
        "status": {"observedGeneration": seen, "conditions": conditions},
    })
}

fn under_way(reason: &'static str) -> Phase {
    Phase::UnderWay { reason, words: "step 1/6".to_owned() }
}

fn ended(verdict: Option<Outcome>) -> Value {
    campaign(&Phase::Ended { complete: true, words: "completed".to_owned() }, verdict, 2)
}

fn health(object: &Value) -> (String, String) {
    let found = run(&script("health.lua"), object);
    (found["status"].as_str().unwrap().to_owned(), found["message"].as_str().unwrap().to_owned())
}

#[track_caller]
fn check(object: &Value, status: &str, message: &str) {
    assert_eq!(health(object), (status.to_owned(), message.to_owned()), "{object}");
}

#[test]
fn a_campaign_is_progressing_from_its_making_to_its_end() {
    check(&json!({"metadata": {"generation": 1}, "spec": {}}), "Progressing", "waits for the operator to look at it");
    check(&campaign(&under_way("Running"), None, 1), "Progressing", "waits for the operator to look at it");
    check(&campaign(&under_way("Running"), None, 2), "Progressing", "Running: step 1/6");
    check(&campaign(&under_way("Queued"), None, 2), "Progressing", "Queued: step 1/6");
    check(&campaign(&under_way("Suspended"), None, 2), "Suspended", "Suspended: step 1/6");
}

#[test]
fn an_end_is_healthy_where_it_is_a_pass_and_degraded_where_it_is_not() {
    check(&ended(Some(Outcome::Pass)), "Healthy", "Pass: completed");
    check(&ended(Some(Outcome::Fail)), "Degraded", "Fail: completed");
    check(&ended(Some(Outcome::Invalid)), "Degraded", "Invalid: completed");
    check(&ended(None), "Degraded", "NoVerdict: completed");
    check(&ended(Some(Outcome::Inconclusive)), "Degraded", "Inconclusive: completed");
}

#[test]
fn whoever_wants_it_takes_inconclusive_for_healthy_and_nothing_else() {
    let annotated = |mut object: Value, value: &str| {
        object["metadata"]["annotations"] = json!({"soak.dev/inconclusive-is": value});
        object
    };
    check(&annotated(ended(Some(Outcome::Inconclusive)), "Healthy"), "Healthy", "Inconclusive: completed");
    check(&annotated(ended(Some(Outcome::Inconclusive)), "yes"), "Degraded", "Inconclusive: completed");
    check(&annotated(ended(Some(Outcome::Fail)), "Healthy"), "Degraded", "Fail: completed");
}

#[test]
fn a_refusal_is_degraded_and_a_deletion_progresses() {
    let refused = Phase::Refused { words: "spec.placement is not supported".to_owned() };
    check(&campaign(&refused, None, 2), "Degraded", "InvalidSpec: spec.placement is not supported");
    let mut going = ended(Some(Outcome::Fail));
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    check(&going, "Progressing", "is being deleted");
}

#[test]
fn a_campaign_that_is_over_stays_what_it_came_to_whatever_is_edited_later() {
    let mut edited = ended(Some(Outcome::Pass));
    edited["metadata"]["generation"] = 3.into();
    check(&edited, "Healthy", "Pass: completed");
}

#[test]
fn an_action_changes_its_own_field_and_is_offered_when_it_can_do_something() {
    let offered = |object: &Value| -> Vec<String> {
        let all = run(&script("actions/discovery.lua"), object);
        let mut names: Vec<String> = all
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, action)| action["disabled"] != true)
            .map(|(name, _)| name.clone())
            .collect();
        names.sort();
        names
    };
    let running = campaign(&under_way("Running"), None, 2);
    assert_eq!(offered(&running), ["cancel", "suspend"]);
    let suspended = run(&script("actions/suspend.lua"), &running);
    assert_eq!(suspended["spec"], json!({"suspend": true, "cancel": false}));
    assert_eq!(offered(&suspended), ["cancel", "resume"]);
    assert_eq!(run(&script("actions/resume.lua"), &suspended)["spec"]["suspend"], false);
    let cancelled = run(&script("actions/cancel.lua"), &running);
    assert_eq!(cancelled["spec"], json!({"suspend": false, "cancel": true}));
    assert_eq!(offered(&cancelled), Vec::<String>::new());
    assert_eq!(offered(&ended(Some(Outcome::Pass))), Vec::<String>::new());
}

#[test]
fn the_one_text_that_argo_cd_wants_holds_every_action_as_it_is() {
    let printed = Command::new(format!("{SCRIPTS}/actions.sh")).output().unwrap();
    assert!(printed.status.success());
    let text: Value = serde_saphyr::from_str(&String::from_utf8(printed.stdout).unwrap()).unwrap();
    assert_eq!(text["discovery.lua"], script("actions/discovery.lua"));
    for (at, name) in ["suspend", "resume", "cancel"].into_iter().enumerate() {
        let action = &text["definitions"][at];
        assert_eq!(
            (action["name"].as_str(), action["action.lua"].as_str()),
            (Some(name), Some(&*script(&format!("actions/{name}.lua"))))
        );
    }
}
