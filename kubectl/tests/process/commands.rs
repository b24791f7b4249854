//! What each command asks of the API server, prints, and ends with.

use std::process::Output;

use serde_json::{Value, json};
use soak_cli::verify::prove;

use crate::{
    api::{Api, status},
    recorded::{NAME, Recorded},
};

#[track_caller]
pub fn check(output: &Output, code: i32, out: &str, err: &str) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{said}\n{complained}");
    assert!(said.contains(out), "{said}\n{complained}");
    assert!(complained.contains(err), "{said}\n{complained}");
}

pub fn campaign(name: &str, status: Value) -> Value {
    let mut campaign = json!({
        "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign",
        "metadata": {
            "name": name, "namespace": "web", "generation": 1, "resourceVersion": "41",
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {"arms": [{"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"}]},
    });
    if !status.is_null() {
        campaign["status"] = status;
    }
    campaign
}

fn over(verdict: &str, complete: &str) -> Value {
    let condition = |type_: &str, status: &str| {
        json!({
            "type": type_, "status": status, "reason": "x", "message": "", "lastTransitionTime": "",
            "observedGeneration": 1,
        })
    };
    json!({
        "armNames": "a", "step": "4/4", "kneeSummary": "a 200–400", "summary": "finished", "verdict": verdict,
        "arms": [{
            "name": "a", "protocol": "HTTP/1.1", "body": "tiny", "knee": {"last": 200, "firstBroken": 400},
            "capacity": {"perSecond": 355, "atLeast": false}, "verdict": verdict,
        }],
        "conditions": [condition("Finished", "True"), condition("ResultsComplete", complete)],
    })
}

#[test]
fn campaigns_are_listed_as_a_table_or_for_programs() {
    let api = Api::start();
    check(&api.run(&["list"]), 0, "", "No campaigns found in namespace web.");
    api.campaigns(&[campaign("second", Value::Null), campaign("first", over("Pass", "True"))]);
    let listed = api.run(&["list"]);
    check(
        &listed,
        0,
        "NAME     ARMS     STEP     VERDICT   KNEE        AGE\nfirst    a        4/4      Pass      a 200–400   ",
        "",
    );
    check(&listed, 0, "\nsecond   <none>   <none>   <none>    <none>      ", "");
    check(&api.run(&["list", "-A", "-o", "wide"]), 0, "NAMESPACE   NAME", "");
    check(&api.run(&["list", "-o", "name"]), 0, "soakcampaign.soak.dev/first\nsoakcampaign.soak.dev/second\n", "");
    let json: Value = serde_json::from_slice(&api.run(&["list", "-o", "json"]).stdout).unwrap();
    assert_eq!(json["items"][0]["metadata"]["name"], "first");
    check(&api.run(&["list", "-o", "yaml"]), 0, "kind: List", "");
}

#[test]
fn a_watch_ends_as_the_campaign_does() {
    let api = Api::start();
    api.campaigns(&[campaign("c", over("Pass", "True"))]);
    check(&api.run(&["watch", "c"]), 0, "a (HTTP/1.1, tiny): knee 200/s, first broken 400/s; capacity 355/s; Pass", "");
    api.campaigns(&[campaign("c", over("Invalid", "True"))]);
    check(&api.run(&["watch", "c"]), 5, "over: Invalid", "");
    api.campaigns(&[campaign("c", over("Pass", "False"))]);
    check(&api.run(&["watch", "c"]), 6, "over: Pass", "");
    api.campaigns(&[campaign("c", Value::Null)]);
    check(&api.run(&["watch", "c", "--timeout", "1s"]), 8, "no operator has looked at it yet", "is not over within");
}

#[test]
fn open_fields_are_edited_by_merge_patch_and_a_campaign_that_is_over_is_not() {
    let api = Api::start();
    api.campaigns(&[campaign("c", Value::Null)]);
    check(&api.run(&["suspend", "c"]), 0, "soakcampaign.soak.dev/c suspended\n", "");
    check(&api.run(&["resume", "c"]), 0, "resumed (unchanged)", "");
    check(&api.run(&["cancel", "c"]), 0, "soakcampaign.soak.dev/c cancelled\n", "");
    assert_eq!(api.sent("PATCH"), [json!({"spec": {"suspend": true}}), json!({"spec": {"cancel": true}})]);
    api.campaigns(&[campaign("c", over("Pass", "True"))]);
    check(&api.run(&["cancel", "c"]), 2, "", "c is over: it cannot be cancelled");
}

#[test]
fn results_of_a_campaign_that_was_deleted_are_found_by_their_plan() {
    let api = Api::start();
    let recorded = Recorded::read();
    api.maps(&recorded.over());
    let copied = api.run(&["results", NAME]);
    check(&copied, 0, "| rest-h2c |", "verified: ");
    let proof = prove(&api.path(&format!("soak-{NAME}"))).unwrap();
    assert!(proof.verified, "{:?}", proof.faults);
    check(&api.run(&["results", NAME, "--out", "other", "-o", "json"]), 0, "\"planHash\"", "results: other");
    check(&api.run(&["report", NAME]), 0, "", "report: soak-recorded.html");
    check(&api.run(&["report", NAME, "--out", "-"]), 0, "<!DOCTYPE html>", "");
    check(&api.run(&["results", "unknown"]), 2, "", "there is no campaign unknown in namespace web");
}

#[test]
fn results_of_a_campaign_under_way_are_partial() {
    let api = Api::start();
    let recorded = Recorded::read();
    api.maps(&recorded.under_way(6));
    check(&api.run(&["results", NAME]), 6, "not finished", "the campaign is not over");
}

#[test]
fn several_campaigns_of_one_name_are_told_apart_by_their_label() {
    let api = Api::start();
    let recorded = Recorded::read();
    let mut other = Recorded::read();
    other.base = soak_operator::names::Base::of(NAME, b"another spec");
    let both: Vec<_> = recorded.over().into_iter().chain(other.under_way(0)).collect();
    api.maps(&both);
    check(&api.run(&["results", NAME]), 2, "", &format!("choose with --base: {}", recorded.base.label()));
}

#[test]
fn a_missing_campaign_or_right_or_server_is_named_with_the_way_out() {
    let api = Api::start();
    api.campaigns(&[campaign("c", Value::Null)]);
    check(&api.run(&["watch", "d"]), 2, "", "there is no campaign d in namespace web; there are: c");
    let forbidden = "soakcampaigns.soak.dev is forbidden: User \"me\" cannot list";
    let path = "/apis/soak.dev/v1alpha1/namespaces/web/soakcampaigns";
    api.answer("GET", path, 403, status(403, "Forbidden", forbidden));
    check(&api.run(&["list"]), 7, "", &format!("kubectl soak list: the cluster forbids it: {forbidden}"));
    api.answer("GET", path, 401, status(401, "Unauthorized", "Unauthorized"));
    check(&api.run(&["list"]), 7, "", "the cluster does not know you");
    api.answer("GET", path, 404, status(404, "NotFound", "the server could not find the requested resource"));
    check(&api.run(&["list"]), 7, "", "serves no SoakCampaign");
    check(&api.run(&["watch", "d"]), 7, "", "serves no SoakCampaign");
}
