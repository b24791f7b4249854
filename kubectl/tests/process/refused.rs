//! Words that are refused before anything is asked of a cluster, and clusters that are not there.

use std::{fs, net::TcpListener};

use crate::api::{kubeconfig, run};

#[track_caller]
fn check(words: &[&str], code: i32, said: &str) {
    let place = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    kubeconfig(place.path(), listener.local_addr().unwrap());
    drop(listener);
    let output = run(place.path(), words);
    let complained = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{complained}");
    assert!(complained.contains(said), "{complained}");
}

#[test]
fn bad_words_are_usage() {
    check(&[], 2, "Usage: kubectl soak");
    check(&["lst"], 2, "unrecognized subcommand 'lst'");
    check(&["watch"], 2, "<NAME>");
    check(&["watch", "Bad_Name"], 2, "is no name of a campaign");
    check(&["-n", "X", "list"], 2, "must be 1 to 63 of");
    check(&["watch", "c", "--timeout", "soon"], 2, "--timeout");
    check(&["list", "-o", "xml"], 2, "possible values: wide, json, yaml, name");
    check(&["results", "c", "-o", "wide"], 2, "possible values: text, json, yaml");
}

#[test]
fn a_cluster_that_does_not_answer_is_unreachable() {
    check(&["list"], 7, "cannot be reached: ");
    check(&["results", "c"], 7, "cannot be reached: ");
}

#[test]
fn a_kubeconfig_that_names_no_cluster_is_usage() {
    check(&["--context", "nowhere", "list"], 2, "nowhere");
    check(&["--kubeconfig", "missing", "list"], 2, "the kubeconfig missing cannot be read");
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("kubeconfig"), "{").unwrap();
    let output = run(place.path(), &["list"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}
