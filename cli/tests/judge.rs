//! `soak judge` as a program: what it prints, what it refuses, how it exits.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

use std::{
    io::Write as _,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};

const RAMP: &str = "\
Our arm

offered,delivered/s,p50 ms,knee/s,colour
50 (warmup),50,1.0,0,red
100,100,1.0,0,red
200,200,1.0,0,red
300,250,40,50,red
400,251,41,149,red
500,249,42,251,red
";

fn judge(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_soak"))
        .arg("judge")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("soak starts");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn document(arguments: &[&str], input: &str) -> Value {
    let output = judge(&[arguments, &["-o", "json", "-"][..]].concat(), input);
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_table_is_judged_as_json_in_its_shape() {
    let document = document(&[], RAMP);
    let table = &document["tables"][0];
    assert_eq!(table["title"], "Our arm");
    assert_eq!(table["firstStep"], json!(100));
    assert_eq!(table["knee"], json!({"last": 200, "firstBroken": 300}));
    assert_eq!(table["plateau"], json!({"low": 249, "high": 251, "median": 250}));
    assert_eq!(table["capacity"], json!({"perSecond": 250, "atLeast": false}));
    assert_eq!((&table["collapse"], &table["extend"], &table["outliers"]), (&Value::Null, &json!(false), &json!([])));
    let steps: Vec<_> =
        table["steps"].as_array().unwrap().iter().map(|step| (&step["offered"], &step["verdict"])).collect();
    assert_eq!(steps[0], (&json!(100), &json!("first-step")));
    assert_eq!(steps[1], (&json!(200), &json!("clean")));
    assert_eq!(steps[4], (&json!(500), &json!("past-knee")));
    assert_eq!(table["ignoredColumns"], json!(["colour"]));
    assert_eq!(document["bounds"]["kneeP50Factor"], 10);
}

#[test]
fn a_table_is_judged_as_text_with_its_bounds() {
    let output = judge(&["-"], RAMP);
    assert_eq!(output.status.code(), Some(0));
    let text = text(&output.stdout);
    for words in [
        "## Our arm",
        "| 300 | 250.0 | 40.00 † |",
        "- knee: 200, first broken 300",
        "- capacity: 250/s, the median of a plateau of 249 to 251",
        "- columns not used: colour",
        "never sent 16.67 % (< 0.5 %)",
        "Bounds: knee answered ≥ 99.5 %",
    ] {
        assert!(text.contains(words), "{words:?} in {text}");
    }
}

#[test]
fn tables_are_judged_apart_unless_they_are_said_to_be_one() {
    let two = format!("{RAMP}\nThe rest\n\noffered,delivered/s\n500,250\n600,250\n");
    assert_eq!(document(&[], &two)["tables"].as_array().unwrap().len(), 2);
    let together = document(&["--together"], &two);
    assert_eq!(together["tables"][0]["title"], "Our arm + The rest");
    assert_eq!(
        together["tables"][0]["steps"][5],
        json!({
            "offered": 500,
            "verdict": "first-step",
            "evidence": [{"measure": "first step", "value": "after the warm-up: not used"}],
        })
    );
    assert_eq!(together["tables"].as_array().unwrap().len(), 1);
}

#[test]
fn a_bound_is_set_by_its_name() {
    let knee = |bound: &str| document(&["--bound", bound], RAMP)["tables"][0]["knee"].clone();
    assert_eq!(knee("kneeP50Factor=100"), json!({"last": 200, "firstBroken": 300}));
    assert_eq!(document(&["--bound", "plateauMinSteps=4"], RAMP)["tables"][0]["plateau"], Value::Null);
    let refused = judge(&["--bound", "kneeFactor=3", "-"], RAMP);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("kneeP50Factor"), "{}", text(&refused.stderr));
}

#[test]
fn what_cannot_be_judged_is_said_and_exits_accordingly() {
    let check = |input: &str, code: i32, words: &str| {
        let output = judge(&["-"], input);
        assert_eq!(output.status.code(), Some(code), "{input}");
        let said = text(&output.stderr) + &text(&output.stdout);
        assert!(said.contains(words), "{words:?} in {said}");
    };
    check("nothing here", 2, "no step table");
    check("offered,delivered\n100,100\n200,many\n", 2, "line 3: column \"delivered\" holds \"many\"");
    check("offered,delivered\n100,0\n200,0\n", 5, "nothing was answered in any step");
    check("offered,delivered\n100,100\n", 5, "no step can be judged");
    let missing = judge(&["/nowhere/table.csv"], "");
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("/nowhere/table.csv"));
}

#[test]
fn one_bad_table_hides_no_good_one() {
    let output = judge(&["-o", "json", "-"], &format!("offered,delivered\n1,x\n\n{RAMP}"));
    assert_eq!(output.status.code(), Some(2));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["tables"][0]["title"], "Our arm");
}
