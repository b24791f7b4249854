//! Campaigns that are stopped or killed: no process is left, no finished row is lost or measured twice.

use std::collections::BTreeSet;

use crate::place::{Place, signal, stdout};

const REST: &str = "    - {name: rest, protocol: Http1, server: {preset: rest}}";
const RUN: &str = "rest-tiny-r1";

#[test]
fn after_kill_9_nothing_is_left_and_a_resumed_campaign_finishes_without_measuring_anything_twice() {
    let place = Place::new();
    place.campaign(REST, "100, 120, 140, 160");
    let mut soak = place.start();
    place.await_stored(RUN, 3);
    signal(soak.id(), "KILL");
    soak.wait().unwrap();
    place.await_nobody();
    let before = place.stored(RUN);
    let output = place.run(&["run", "--resume", "out"]);
    assert!(matches!(output.status.code(), Some(0 | 5)), "{output:?}");
    let after = place.stored(RUN);
    assert_eq!(after[..before.len()], before[..]);
    let judged = after.iter().filter(|key| !key.contains("\"step\":0")).count();
    assert_eq!(judged, 4, "{after:?}");
    assert_eq!(after.iter().collect::<BTreeSet<_>>().len(), after.len(), "{after:?}");
    assert_eq!(place.json(&format!("out/runs/{RUN}/rows.json")).as_array().unwrap().len(), after.len());
    assert!(place.path("out/index.json").exists());
    place.await_nobody();
}

#[test]
fn ctrl_c_stops_at_once_and_keeps_partial_results() {
    let place = Place::new();
    place.campaign(REST, "100, 120, 140, 160, 180, 200, 220, 240");
    let soak = place.start();
    place.await_stored(RUN, 2);
    signal(soak.id(), "INT");
    let output = soak.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(stdout(&output), place.read("out/tables.md"));
    assert_eq!(place.json("out/summary.json")["summary"], "interrupted");
    let stored = place.stored(RUN).len();
    assert!((2..9).contains(&stored), "{stored} steps are stored");
    assert!(!place.path("out/index.json").exists());
    assert!(place.processes().is_empty(), "{:?}", place.processes());
}

#[test]
fn a_driver_that_dies_costs_one_attempt() {
    let place = Place::new();
    place.campaign(REST, "100, 120");
    let soak = place.start();
    place.await_stored(RUN, 1);
    signal(place.process("driver").expect("a driver"), "KILL");
    let output = soak.wait_with_output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 5)), "{output:?}");
    let ledger = place.read("out/ledger.jsonl");
    assert!(ledger.contains("\"reason\":\"DriverDied\""), "{ledger}");
    let rows = place.json(&format!("out/runs/{RUN}/rows.json"));
    assert_eq!(rows.as_array().unwrap().len(), 3, "{rows}");
    assert!(place.read("out/tables.md").contains("attempt 2"));
    place.await_nobody();
}
