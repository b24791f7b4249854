//! ConfigMaps become the folder of `soak run`, and `soak verify` proves it; what was changed or is missing is named.

use std::{fs, path::Path};

use k8s_openapi::{ByteString, api::core::v1::ConfigMap};
use soak_cli::{Exit, verify::prove};
use soak_kubectl::{
    Fault,
    results::{CopiedFolder, assemble, write},
};
use soak_operator::ledger::pack;
use tempfile::TempDir;

use crate::recorded::{NAMESPACE, Recorded, name};

fn copy(recorded: &Recorded, maps: &[ConfigMap], to: &Path) -> Result<CopiedFolder, Fault> {
    write(to, &assemble(NAMESPACE, recorded.base.label(), maps)?)
}

fn place() -> (TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    (place, out)
}

#[test]
fn a_campaign_that_is_over_becomes_a_folder_that_is_proven() {
    let recorded = Recorded::read();
    let maps = recorded.over();
    let (_place, out) = place();
    let copied = copy(&recorded, &maps, &out).unwrap();
    assert_eq!(copied.proof.faults, Vec::<String>::new());
    assert!(copied.proof.verified && copied.proof.sealed && copied.proof.steps == 12);
    assert_eq!(copied.exit(), Exit::Completed);
    for (place, run) in recorded.plan.runs.iter().enumerate() {
        let kept = maps.iter().find(|map| name(map) == recorded.base.result(place, 0)).unwrap().data.clone().unwrap();
        for file in ["rows.json", "rows.csv", "levers.json", "judgement.json"] {
            let found = fs::read_to_string(out.join("runs").join(&run.id.0).join(file)).unwrap();
            assert_eq!(found, kept[file], "{file} of {}", run.id);
        }
    }
    let tables = fs::read_to_string(out.join("tables.md")).unwrap();
    for words in
        ["on a cluster: namespace web", "arm in pod rest-tiny-r1-arm on node node-1", "executed image registry"]
    {
        assert!(tables.contains(words), "{words}\n{tables}");
    }
    let report = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("node-2") && report.contains("<caption>Pods</caption>"));
}

#[test]
fn a_campaign_under_way_is_copied_as_far_as_it_has_come_and_later_brought_up_to_date() {
    let recorded = Recorded::read();
    let (_place, out) = place();
    for records in [4, 6, recorded.records.len() - 1] {
        let copied = copy(&recorded, &recorded.under_way(records), &out).unwrap();
        assert_eq!(copied.exit(), Exit::Incomplete, "{records}");
        assert!(!copied.proof.verified);
    }
    let copied = copy(&recorded, &recorded.over(), &out).unwrap();
    assert!(copied.proof.verified, "{:?}", copied.proof.faults);
    let before = fs::read(out.join("index.json")).unwrap();
    copy(&recorded, &recorded.over(), &out).unwrap();
    assert_eq!(fs::read(out.join("index.json")).unwrap(), before, "copying again changes nothing");
}

#[test]
fn a_withdrawal_that_came_after_the_index_strikes_the_row_through() {
    let recorded = Recorded::read();
    let (_place, out) = place();
    copy(&recorded, &recorded.over(), &out).unwrap();
    let mut maps = recorded.over();
    maps.push(recorded.withdrawn(200));
    let copied = copy(&recorded, &maps, &out).unwrap();
    assert!(copied.proof.verified, "{:?}", copied.proof.faults);
    assert!(fs::read_to_string(out.join("tables.md")).unwrap().contains("another load ran"));
}

#[test]
fn a_folder_that_holds_anything_else_is_left_alone() {
    let recorded = Recorded::read();
    let check = |out: &Path, words: &str| {
        let before = fs::read_dir(out).unwrap().count();
        let fault = copy(&recorded, &recorded.over(), out).unwrap_err();
        assert_eq!(fault.exit(), Exit::Usage, "{fault}");
        assert!(fault.to_string().contains(words), "{fault}");
        assert_eq!(fs::read_dir(out).unwrap().count(), before);
    };
    let (_place, out) = place();
    fs::create_dir(&out).unwrap();
    fs::write(out.join("thesis.txt"), "mine").unwrap();
    check(&out, "no campaign's folder");
    let (_place, out) = place();
    let assembled = assemble(NAMESPACE, "other-12345678", &recorded.under_way(5)).unwrap();
    write(&out, &assembled).unwrap();
    check(&out, "was not copied from there");
    let (_place, out) = place();
    copy(&recorded, &recorded.over(), &out).unwrap();
    let ledger = out.join("ledger.jsonl");
    let own = r#"{"withdrawn":{"atUnixNanos":1,"withdrawal":{"run":"rest-tiny-r1","reason":"mine"}}}"#;
    fs::write(&ledger, fs::read_to_string(&ledger).unwrap() + own + "\n").unwrap();
    check(&out, "a record that the copy has not");
}

#[test]
fn what_was_changed_since_the_index_is_named() {
    let recorded = Recorded::read();
    let check = |change: fn(&mut ConfigMap), of: &str, words: &str| {
        let mut maps = recorded.over();
        let of = maps.iter_mut().find(|map| name(map) == format!("{}{of}", recorded.base.label())).unwrap();
        change(of);
        let (_place, out) = place();
        let fault = copy(&recorded, &maps, &out).unwrap_err();
        assert_eq!(fault.exit(), Exit::Incomplete, "{fault}");
        assert!(fault.to_string().contains(words), "{fault}");
        assert!(!out.exists(), "nothing is written");
    };
    let windows = |map: &mut ConfigMap| {
        let packed = ByteString(pack(&"other").unwrap());
        map.binary_data.as_mut().unwrap().insert("windows.json.gz".to_owned(), packed);
    };
    check(windows, ".r0.0003", "windows.json.gz of ConfigMap recorded-");
    let rows = |map: &mut ConfigMap| {
        map.data.as_mut().unwrap().insert("rows.json".to_owned(), "[]".to_owned());
    };
    check(rows, ".r1", "rows.json of ConfigMap recorded-");
    let gone = |map: &mut ConfigMap| map.binary_data = None;
    check(gone, ".r0.0003", "is in the index and not there");
}

#[test]
fn a_record_that_the_index_does_not_know_is_named() {
    let recorded = Recorded::read();
    let mut maps = recorded.over();
    let mut stranger = recorded.records[0].clone();
    stranger.metadata.name = Some(format!("{}.r0.0099", recorded.base.label()));
    maps.push(stranger);
    let fault = assemble(NAMESPACE, recorded.base.label(), &maps).unwrap_err();
    assert!(fault.to_string().contains(".r0.0099 is there and not in the index"), "{fault}");
}

#[test]
fn a_record_that_is_missing_leaves_the_folder_unsealed_and_is_named() {
    let recorded = Recorded::read();
    let lost = format!("{}.r0.0004", recorded.base.label());
    let mut under_way = recorded.under_way(recorded.records.len());
    let mut over = recorded.over();
    for (maps, words) in [(&mut over, "is in the index and not there"), (&mut under_way, "is not there")] {
        maps.retain(|map| name(map) != lost);
        let (_place, out) = place();
        let copied = copy(&recorded, maps, &out).unwrap();
        assert_eq!(copied.exit(), Exit::Incomplete);
        assert!(copied.missing[0].contains(&lost) && copied.missing[0].contains(words), "{:?}", copied.missing);
        assert!(!prove(&out).unwrap().sealed);
    }
}

#[test]
fn a_row_that_does_not_follow_from_its_windows_is_not_proven() {
    let recorded = Recorded::read();
    let mut maps = recorded.under_way(recorded.records.len());
    let at = maps.iter().position(|map| name(map).ends_with(".r0.0003")).unwrap();
    let packed = maps[at].binary_data.as_ref().unwrap()["record.json.gz"].0.clone();
    let record = soak_operator::ledger::unpacked::<serde_json::Value>("x", &packed).unwrap();
    let mut record = record.value;
    record["stepStored"]["stored"]["row"]["delivered"] = 9999.0.into();
    let packed = ByteString(pack(&record).unwrap());
    maps[at].binary_data.as_mut().unwrap().insert("record.json.gz".to_owned(), packed);
    let (_place, out) = place();
    let copied = copy(&recorded, &maps, &out).unwrap();
    assert_eq!(copied.exit(), Exit::Incomplete);
    let faults = copied.proof.faults.join("\n");
    assert!(faults.contains("the row does not follow from its windows"), "{faults}");
}

#[test]
fn a_plan_without_records_has_measured_nothing() {
    let recorded = Recorded::read();
    let fault = assemble(NAMESPACE, recorded.base.label(), &recorded.under_way(0)).unwrap_err();
    assert_eq!(fault.exit(), Exit::Incomplete);
    assert!(fault.to_string().contains("has measured nothing yet"), "{fault}");
}
