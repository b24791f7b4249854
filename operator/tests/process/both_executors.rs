//! The same campaign through the local executor and through the operator, against the same windows: the same rows, the
//! same verdicts, the same summary. The local executor's side was recorded by `soak run`.

use chrono::DateTime;
use serde_json::Value;

use crate::{
    cluster::Cluster,
    loads,
    recorded::{Recorded, document, spec},
    results::Results,
    story::on_virtual_time,
};

/// What must differ in a row: where it comes from. One machine and a cluster tell what was executed by other means (the
/// program's sum, the image's digest), keep arm and driver apart in other ways, and have other observers; and the
/// fingerprint names the version that planned it.
const OF_A_ROW: [&str; 1] = ["provenance"];
/// What must differ in a summary: the digest, as in a row, and when it was.
const OF_AN_ARM: [&str; 1] = ["digest"];

/// An array of objects without some of their fields.
fn without(items: &Value, fields: &[&str]) -> Vec<Value> {
    let mut items = items.as_array().unwrap().clone();
    for item in &mut items {
        item.as_object_mut().unwrap().retain(|field, _| !fields.contains(&field.as_str()));
    }
    items
}

#[test]
fn the_same_windows_give_the_same_rows_and_verdicts_through_both_executors() {
    let recorded = Recorded::read();
    let began = DateTime::parse_from_rfc3339(&recorded.facts.started).unwrap().timestamp_nanos_opt().unwrap();
    let (runs, steps) = (recorded.runs.clone(), recorded.steps());
    let results = on_virtual_time(async {
        let cluster = Cluster::at(began, Box::new(recorded));
        cluster.campaign("recorded", &spec());
        let operator = cluster.start();
        cluster.over("recorded").await;
        cluster.rest().await;
        operator.kill().await;
        loads::sound(&cluster, "recorded");
        loads::in_one_piece(&cluster, steps, "recorded");
        Results::of(&cluster, "recorded")
    });
    let mut compared = 0;
    for (name, run) in results.documents.iter().filter(|(name, _)| name.ends_with("/run")) {
        let map = name.trim_end_matches("/run");
        let through_operator =
            |file: &str| serde_json::from_str::<Value>(&results.documents[&format!("{map}/{file}")]).unwrap();
        let through_local = |file: &str| document::<Value>(&format!("runs/{run}/{file}"));
        let (found, expected) = (through_operator("rows.json"), through_local("rows.json"));
        for (found, expected) in without(&found, &OF_A_ROW).iter().zip(without(&expected, &OF_A_ROW)) {
            assert_eq!(*found, expected, "{run}: {}", expected["planned"]);
            compared += 1;
        }
        assert_eq!(through_operator("judgement.json"), through_local("judgement.json"), "{run}");
        for row in found.as_array().unwrap() {
            let from = &row["provenance"];
            assert_eq!(from["digestAtStart"], from["digestAtEnd"], "{run}: {from:#}");
        }
    }
    assert_eq!((compared, results.documents.keys().filter(|name| name.ends_with("/run")).count()), (steps, runs.len()));
    let (found, expected) = (&results.status, document::<Value>("summary.json"));
    assert_eq!(without(&found["arms"], &OF_AN_ARM), without(&expected["arms"], &OF_AN_ARM));
    for field in ["verdict", "comparisons", "predictions", "thresholds"] {
        assert_eq!(found[field], expected[field], "{field}");
    }
}
