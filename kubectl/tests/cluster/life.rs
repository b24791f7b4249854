//! One campaign, as a user of `kubectl soak` sees it: before it begins, while it runs, its results, and after it was
//! deleted.

use std::{
    env,
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};

use crate::place::Place;

/// `kubectl soak` in the place's namespace.
fn soak(place: &Place, words: &[&str]) -> Output {
    let own = Path::new(env!("CARGO_BIN_EXE_kubectl-soak")).parent().unwrap().to_owned();
    let paths = env::split_paths(&env::var_os("PATH").unwrap()).collect::<Vec<_>>();
    let path = env::join_paths([own].into_iter().chain(paths)).unwrap();
    let words = [&["soak", "--namespace", &place.namespace], words].concat();
    Command::new("kubectl").args(words).env("PATH", path).output().unwrap()
}

#[track_caller]
fn check(output: &Output, code: i32, wanted: &[&str]) -> String {
    let said = format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{said}");
    for words in wanted {
        assert!(said.contains(words), "{words}: {said}");
    }
    said
}

/// `soak` itself, which knows no cluster.
fn local(words: &[&str]) -> Output {
    let program = ["run", "--quiet", "--locked", "--package", "soak-cli", "--bin", "soak", "--"];
    Command::new(env!("CARGO")).args(program).args(words).output().unwrap()
}

#[test]
fn a_campaign_is_seen_copied_proven_and_copied_again_once_it_is_deleted() {
    let Some(place) = Place::install("kubectl") else { return };
    check(
        &soak(&place, &["doctor"]),
        0,
        &[
            "with every field of this version",
            "soak-operator: 1 ready",
            "you may read campaigns",
            "two nodes have room",
        ],
    );
    check(&soak(&place, &["results", "first"]), 2, &["there is no campaign first"]);
    place.apply("first", &json!({}));
    let watched = check(&soak(&place, &["watch", "first", "--timeout", "4m"]), 0, &["step 2/7", "over: ", "rest-h1 ("]);
    assert!(watched.contains("knee"), "{watched}");
    check(&soak(&place, &["list"]), 0, &["rest-h1", "7/7"]);
    check(&soak(&place, &["doctor", "first"]), 0, &["over: ", "pods"]);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    check(&soak(&place, &["results", "first", "--out", &out]), 0, &["verified: "]);
    check(&local(&["verify", &out]), 0, &["\nverified\n"]);
    check(&local(&["judge", &format!("{out}/tables.md")]), 0, &["first-step"]);
    check(&local(&["report", &out]), 0, &[]);
    let summary: Value = serde_json::from_slice(&std::fs::read(format!("{out}/summary.json")).unwrap()).unwrap();
    let status = place.status("first");
    for field in ["verdict", "planHash", "kneeSummary", "arms", "finished"] {
        assert_eq!(summary[field], status[field], "{field}");
    }
    place.kubectl(&["delete", "soakcampaign", "first"]).unwrap();
    let again = folder.path().join("again").display().to_string();
    check(&soak(&place, &["results", "first", "--out", &again]), 0, &["verified: "]);
    for file in ["ledger.jsonl", "tables.md", "report.html", "index.json"] {
        let read = |out: &str| std::fs::read(Path::new(out).join(file)).unwrap();
        assert!(read(&out) == read(&again), "{file} is the same without the campaign");
    }
}
