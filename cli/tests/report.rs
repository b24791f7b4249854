//! `soak report`: makes the report again from an output folder, and never changes one that is sealed.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn soak(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_soak")).args(words).current_dir(folder).output().unwrap()
}

/// A folder with the output of a small campaign, not sealed.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/folders/small"), &place.path().join("out"));
    place
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-rT").args([from, to]).status().unwrap().success());
}

#[track_caller]
fn check(output: &Output, code: i32, said: &str) {
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words}");
    assert!(words.contains(said), "{words}");
}

#[test]
fn the_report_goes_into_the_folder_to_a_file_or_to_standard_output_and_is_the_same() {
    let place = place();
    check(&soak(place.path(), &["report", "out"]), 0, "");
    check(&soak(place.path(), &["report", "out", "--out", "elsewhere.html"]), 0, "");
    let printed = soak(place.path(), &["report", "out", "--out", "-"]);
    let written = fs::read(place.path().join("out/report.html")).unwrap();
    assert!(written.starts_with(b"<!DOCTYPE html>"));
    assert_eq!(fs::read(place.path().join("elsewhere.html")).unwrap(), written);
    assert_eq!(printed.stdout, written);
}

#[test]
fn a_sealed_folder_is_not_changed() {
    let place = place();
    let report = place.path().join("out/report.html");
    fs::write(place.path().join("out/index.json"), "{}").unwrap();
    check(&soak(place.path(), &["report", "out"]), 2, "sealed");
    assert!(!report.exists());
    check(&soak(place.path(), &["report", "out", "--out", "out/runs/mine.html"]), 2, "sealed");
    check(&soak(place.path(), &["report", "out", "--out", "mine.html"]), 0, "");
    fs::copy(place.path().join("mine.html"), &report).unwrap();
    check(&soak(place.path(), &["report", "out"]), 0, "");
    fs::write(&report, "another").unwrap();
    check(&soak(place.path(), &["report", "out"]), 2, "sealed");
    assert_eq!(fs::read(&report).unwrap(), b"another");
}

#[test]
fn a_folder_that_holds_no_campaign_is_refused() {
    let place = place();
    check(&soak(place.path(), &["report", "nowhere"]), 2, "no such folder");
    check(&soak(place.path(), &["report", "."]), 2, "no campaign.json");
    assert!(!place.path().join("report.html").exists());
}
