//! Arms that do not do what they should: each ends with its reason, and nothing is left.

use std::{fs, os::unix::fs::PermissionsExt};

use crate::place::{Place, free_port, soak, stdout};

/// An arm that is a script of the test's own.
fn script(place: &Place, text: &str, port: u16) -> String {
    let path = place.path("arm.sh");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!(
        "    - {{name: own, protocol: Http1, request: {{method: POST, path: /}}, \
         server: {{local: {{command: [./arm.sh]}}, port: {port}, readyTimeout: 2s}}}}"
    )
}

/// Runs it; gives the reason that the summary tells for it.
fn reason(place: &Place) -> String {
    let output = place.run(&["run", "campaign.yaml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    place.await_nobody();
    assert_eq!(stdout(&output), place.read("out/tables.md"));
    let summary = place.json("out/summary.json");
    assert_eq!(summary["verdict"], "Invalid", "{summary}");
    summary["arms"][0]["replicates"][0]["reason"].as_str().unwrap_or_else(|| panic!("{summary}")).to_owned()
}

#[test]
fn an_arm_that_never_gets_ready_is_told_with_what_it_waited_for() {
    let place = Place::new();
    let port = free_port();
    place.campaign(&script(&place, "exec sleep 60", port), "100");
    let reason = reason(&place);
    assert!(reason.contains("did not get ready in time"), "{reason}");
    assert!(reason.contains(&format!("does not listen on port {port}")), "{reason}");
}

#[test]
fn an_arm_that_ends_at_once_is_told_with_its_last_words() {
    let place = Place::new();
    place.campaign(&script(&place, "echo 'no such database: cart' >&2; exit 3", free_port()), "100");
    let reason = reason(&place);
    assert!(reason.contains("ended before it was ready"), "{reason}");
    assert!(reason.contains("exit code 3") && reason.contains("no such database: cart"), "{reason}");
}

#[test]
fn an_arm_that_dies_under_load_is_tried_once_more_and_its_rows_are_kept() {
    let place = Place::new();
    let port = free_port();
    let serve = format!("exec timeout 4 {} arm rest --port {port}", soak().display());
    place.campaign(&script(&place, &serve, port), "100, 120, 140, 160");
    let reason = reason(&place);
    assert!(reason.contains("the arm ended under load"), "{reason}");
    let attempts = place.read("out/ledger.jsonl").matches("\"reason\":\"ArmDied\"").count();
    assert_eq!(attempts, 2);
    let first = place.stored("own-tiny-r1").iter().filter(|key| key.contains("\"attempt\":1")).count();
    assert!(first >= 1, "the first attempt's rows are gone");
}

#[test]
fn an_arm_whose_port_a_stranger_takes_is_never_measured() {
    let place = Place::new();
    let port = free_port();
    // The stranger leaves the arm's group of processes by having been there before: it is the test itself.
    let arm = script(&place, "touch started; exec sleep 60", port);
    place.campaign(&arm, "100");
    let soak = place.start();
    place.wait("the arm has started", || place.path("started").exists());
    let _stranger = std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
    let output = soak.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    let tables = place.read("out/tables.md");
    assert!(tables.contains("not by the arm"), "{tables}");
    assert!(place.stored("own-tiny-r1").is_empty());
    place.await_nobody();
}
