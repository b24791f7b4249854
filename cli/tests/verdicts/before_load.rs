//! What is refused before any load: a lever that is not in effect, and a question changed after the start.

use serde_json::Value;

use crate::{
    case::{Case, Ended, is_there},
    place::stderr,
};

#[test]
fn a_lever_that_is_declared_and_not_set_stops_the_run_before_any_load() {
    if !is_there("python3") {
        return;
    }
    let case = Case::of("lever-not-set");
    let ended = case.run();
    assert_eq!(ended.code, Some(5), "{}", ended.told);
    assert_eq!(ended.summary["verdict"], "Invalid");
    assert!(ended.rows.is_empty() && requests(&case, &ended) == 0, "{}", ended.tables);
    assert!(case.place.stored("counted-tiny-r1").is_empty());

    let levers = case.place.json(&format!("{}/levers.json", ended.run));
    let unheld = |name: &str, declared: &str, source: &str| {
        let all = levers.as_array().unwrap();
        let lever = all.iter().find(|lever| lever["lever"] == name).unwrap_or_else(|| panic!("no {name} in {levers}"));
        let told = ["declared", "source", "at"].map(|field| lever[field].as_str().unwrap());
        assert_eq!(told, [declared, source, "BeforeLoad"]);
        assert_eq!((&lever["held"], &lever["observed"]), (&Value::Bool(false), &Value::Null));
    };
    unheld("args --cache", "--cache=false", "CommandLine");
    unheld("env POOL_SIZE", "8", "Environ");
    for words in [
        "args --cache: declared --cache=false, observed nothing (command line)",
        "env POOL_SIZE: declared 8, observed nothing (environment: the process has no such variable)",
    ] {
        assert!(ended.tables.contains(words), "{words}\n{}", ended.tables);
    }
    let reason = ended.arm()["replicates"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("lever"), "{reason}");
}

#[test]
fn with_the_levers_set_the_same_arm_is_sent_every_call() {
    if !is_there("python3") {
        return;
    }
    let careful = [("[./forgetful-start.sh]", "[python3, counted-server.py]")];
    let case = Case::changed("lever-not-set", &careful);
    let ended = case.run();
    assert_eq!(ended.code, Some(0), "{}{}", ended.told, ended.tables);
    // The warm-up of 50 calls, then the steps.
    assert_eq!(requests(&case, &ended), 50 + 100 + 150, "{}", ended.tables);
}

#[test]
fn a_prediction_that_is_changed_after_the_start_is_refused_by_its_name() {
    const BEFORE: &str =
        "  replicates: 1\n  predictions: [{name: enough, arm: rest, capacityPerSecond: {atLeast: 10}}]\n";
    let case = Case::changed("ends-early", &[("  replicates: 1\n", BEFORE), ("150, 300", "20, 40"), (": 2s", ": 1s")]);
    let first = case.place.run(&["run", "campaign.yaml", "--out", "out"]);
    assert!(matches!(first.status.code(), Some(0 | 5)), "{}", stderr(&first));
    let summary = case.place.read("out/summary.json");
    let begun = case.place.read("campaign.yaml");

    let changed = begun.replace("atLeast: 10}", "atLeast: 30}");
    std::fs::write(case.place.path("campaign.yaml"), changed).unwrap();
    let again = case.place.run(&["run", "campaign.yaml", "--resume", "out"]);
    assert_eq!(again.status.code(), Some(2), "{}", stderr(&again));
    let told = stderr(&again);
    assert!(told.contains("predictions[enough].capacityPerSecond.atLeast was 10, is 30"), "{told}");
    assert_eq!(case.place.read("out/summary.json"), summary);

    std::fs::write(case.place.path("campaign.yaml"), begun).unwrap();
    let same = case.place.run(&["run", "campaign.yaml", "--resume", "out"]);
    assert_eq!(same.status.code(), first.status.code(), "{}", stderr(&same));
}

/// The lines that the arm wrote, one for each request.
fn requests(case: &Case, ended: &Ended) -> usize {
    let log = case.place.path(&ended.run).join("arm.1.1.err");
    std::fs::read_to_string(log)
        .unwrap_or_default()
        .lines()
        .filter(|line| line.contains("\"GET / HTTP/1.1\" 200"))
        .count()
}
