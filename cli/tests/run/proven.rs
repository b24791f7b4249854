//! A folder proves itself from its files alone, says what was changed, and keeps what was taken back.

use std::{fs, path::Path, process::Command};

use crate::place::{Place, stderr, stdout};

const REST: &str = "    - {name: rest, protocol: Http1, server: {preset: rest}}";
const ROWS: &str = "out/runs/rest-tiny-r1/rows.json";
const WINDOWS: &str = "out/runs/rest-tiny-r1/windows.jsonl";

/// A campaign that ran to its end in `out`, and a copy of it in `kept`.
fn measured() -> Place {
    let place = Place::new();
    place.campaign(REST, "100, 200, 300");
    let output = place.run(&["run", "campaign.yaml", "--out", "out"]);
    assert!(matches!(output.status.code(), Some(0 | 5)), "{output:?}");
    copy(&place.path("out"), &place.path("kept"));
    place
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
}

/// Puts back the folder as it was measured, with one text in one file replaced.
fn changed(place: &Place, file: &str, from: &str, to: &str) {
    copy(&place.path("kept"), &place.path("out"));
    let text = place.read(file);
    assert!(text.contains(from), "{file} has no {from}: {text}");
    fs::write(place.path(file), text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_folder_is_proven_and_every_change_of_it_is_found() {
    let place = measured();
    let check = |expected: Option<&str>| {
        let output = place.run(&["verify", "out"]);
        let text = stdout(&output);
        match expected {
            None => assert!(output.status.code() == Some(0) && text.ends_with("\nverified\n"), "{output:?}"),
            Some(words) => {
                assert!(output.status.code() == Some(6) && text.contains(words), "{words}: {text}");
                assert!(text.ends_with("\nnot verified\n"), "{text}");
            }
        }
    };
    check(None);
    let told = stdout(&place.run(&["verify", "out"]));
    assert!(told.contains("rest-tiny-r1: 3 rows planned: ") && !told.contains("another build"), "{told}");

    let build = place.json("out/campaign.json")["facts"]["soakSha256"].as_str().unwrap().to_owned();
    changed(&place, "out/campaign.json", &build, &"0".repeat(64));
    check(Some("made by another build of soak"));

    changed(&place, ROWS, "\"scheduled\": 200", "\"scheduled\": 999");
    check(Some("rest-tiny-r1/rows.json was changed"));
    check(Some("rest-tiny-r1/rows.json does not come out of the windows"));
    changed(&place, WINDOWS, "\"due\":200", "\"due\":199");
    check(Some("the row does not follow from its windows"));
    changed(&place, "out/tables.md", "capacity", "Capacity");
    check(Some("tables.md does not come out of the windows"));
    changed(&place, "out/index.json", "tables.md", "fables.md");
    check(Some("fables.md is in the index and not in the folder"));

    copy(&place.path("kept"), &place.path("out"));
    fs::write(place.path("out/notes.txt"), "mine").unwrap();
    check(Some("notes.txt is in the folder and not in the index"));
    fs::remove_file(place.path("out/notes.txt")).unwrap();
    fs::remove_file(place.path("out/index.json")).unwrap();
    check(Some("there is no index"));
    copy(&place.path("kept"), &place.path("out"));
    let last = place.read(WINDOWS).trim_end().rsplit_once('\n').unwrap().0.to_owned() + "\n";
    fs::write(place.path(WINDOWS), last).unwrap();
    check(Some("4 rows, and the windows of 3"));
}

#[test]
fn a_plan_changed_by_hand_is_refused_wherever_the_folder_is_taken_up() {
    let place = measured();
    changed(&place, "out/campaign.json", "\"rate\": 300", "\"rate\": 301");
    let commands: [&[&str]; 4] = [
        &["run", "--resume", "out"],
        &["verify", "out"],
        &["report", "out"],
        &["withdraw", "out", "--run", "rest-tiny-r1", "--reason", "typo"],
    ];
    for words in commands {
        let output = place.run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {output:?}");
        assert!(stderr(&output).contains("campaign.json was changed after the campaign began"), "{output:?}");
    }
}

#[test]
fn every_row_says_where_it_comes_from() {
    let place = measured();
    let rows = place.json(ROWS);
    for row in rows.as_array().unwrap() {
        let from = &row["provenance"];
        let sum = |name: &str| from[name].as_str().is_some_and(|sum| sum.len() == 64);
        assert!(sum("fingerprint") && sum("digestAtStart") && sum("digestAtEnd"), "{row}");
        assert_eq!(from["digestAtStart"], place.json("out/summary.json")["arms"][0]["digest"]);
        assert!(from["observer"].as_str().is_some_and(|who| who.starts_with("soak ")), "{row}");
        assert!(from["isolation"]["cpuLimit"].is_boolean() && from["isolation"]["apart"].is_string(), "{row}");
    }
    let parts = place.json("out/runs/rest-tiny-r1/fingerprint.json");
    assert!(parts["kernel"].is_string() && parts["ramp"].is_string(), "{parts}");
}

#[test]
fn a_number_that_is_taken_back_stays_struck_through_beside_its_reason() {
    let place = measured();
    let withdraw = |more: &[&str]| {
        let output = place.run(&[&["withdraw", "out", "--reason", "wrong body"], more].concat());
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    let check = |more: &[&str], code: i32, words: &str| {
        let (found, text) = withdraw(more);
        assert!(found == Some(code) && text.contains(words), "{more:?}: {found:?} {text}");
    };
    check(&["--run", "rest-tiny-r9"], 2, "no such run; there are: rest-tiny-r1");
    check(&["--run", "rest-tiny-r1", "--step", "250"], 2, "it has rows at: 100, 200, 300");
    check(
        &["--run", "rest-tiny-r1", "--step", "200", "--superseded-by", "rest-tiny-r2"],
        0,
        "is withdrawn: wrong body",
    );
    check(&["--run", "rest-tiny-r1", "--step", "200"], 2, "was withdrawn before");
    fs::remove_file(place.path("out/tables.md")).unwrap();
    check(
        &["--run", "rest-tiny-r1", "--step", "200", "--superseded-by", "rest-tiny-r2"],
        0,
        "is withdrawn: wrong body",
    );
    assert_eq!(place.json("out/summary.json")["withdrawn"].as_array().map(Vec::len), Some(1), "told twice, taken once");

    let row = &place.json(ROWS)[2];
    assert_eq!((row["withdrawn"]["reason"].as_str(), row["scheduled"].as_u64()), (Some("wrong body"), Some(200)));
    let (tables, report) = (place.read("out/tables.md"), place.read("out/report.html"));
    assert!(
        tables.contains("was ~~") && tables.contains("~~ |") && tables.contains("in its place: rest-tiny-r2"),
        "{tables}"
    );
    assert!(tables.contains("## Withdrawn") && report.contains("wrong body"), "{tables}");
    assert_eq!(place.json("out/summary.json")["withdrawn"][0]["step"], 200);
    assert_eq!(place.run(&["verify", "out"]).status.code(), Some(0));

    check(&["--run", "rest-tiny-r1"], 0, "rest-tiny-r1 is withdrawn");
    check(&["--run", "rest-tiny-r1", "--step", "100"], 2, "was withdrawn before");
    let summary = place.json("out/summary.json");
    let arm = &summary["arms"][0];
    assert_eq!(arm["replicates"][0]["reason"], "withdrawn: wrong body");
    assert!(arm["capacity"].is_null() && arm["verdict"] == "Invalid", "{summary}");
    assert!(summary["withdrawn"][1]["was"].is_object(), "{summary}");
    let verified = place.run(&["verify", "out"]);
    assert!(stdout(&verified).contains("3 rows planned: 3 withdrawn"), "{verified:?}");
    let again = place.run(&["run", "--resume", "out"]);
    assert_eq!(again.status.code(), Some(5), "nothing is measured again: {again:?}");
    assert_eq!(place.run(&["verify", "out"]).status.code(), Some(0));
}
