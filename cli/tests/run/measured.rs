//! A campaign that goes well: what it writes agrees with itself and with what it prints.

use std::{fs, path::Path};

use crate::place::{Place, stderr, stdout};

const REST: &str = "    - {name: rest, protocol: Http1, server: {preset: rest, settings: {codec: Compiled}}}";

#[test]
fn summary_tables_and_rows_agree_with_each_other_and_with_what_is_printed() {
    let place = Place::new();
    place.campaign(REST, "100, 200");
    let output = place.run(&["run", "campaign.yaml", "--out", "out"]);
    assert!(matches!(output.status.code(), Some(0 | 5)), "{output:?}");
    let tables = place.read("out/tables.md");
    assert_eq!(stdout(&output), tables);
    let told = stderr(&output);
    for step in ["warm-up at 50/s", "step 1/2 at 100/s", "step 2/2 at 200/s"] {
        assert!(told.contains(step), "{told}");
    }

    let rows = place.json("out/runs/rest-tiny-r1/rows.json");
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0]["warmup"], true);
    for (row, rate) in rows.iter().zip([50, 100, 200]) {
        let count = |name: &str| row[name].as_u64().unwrap();
        let errors: u64 = row["errors"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(count("scheduled"), count("ok") + errors + count("neverSent") + count("inFlight"), "{row}");
        assert_eq!(count("scheduled"), rate, "{row}");
    }
    let csv = place.read("out/runs/rest-tiny-r1/rows.csv");
    let first: Vec<&str> = csv.lines().map(|line| line.split(',').next().unwrap()).collect();
    let rates: Vec<f64> = first[1..].iter().map(|cell| cell.trim_end_matches(" (warmup)").parse().unwrap()).collect();
    assert!(first[0] == "offered" && first[1].ends_with(" (warmup)"), "{csv}");
    for (rate, planned) in rates.iter().zip([50.0, 100.0, 200.0]) {
        assert!((rate / planned - 1.0).abs() < 0.05, "{csv}");
    }
    for line in csv.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').take(4).collect();
        let shown = tables.lines().any(|row| {
            let row: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            cells.iter().zip(&row).all(|(cell, shown)| shown.split(' ').next() == cell.split(' ').next())
        });
        assert!(shown, "{line}\n{tables}");
    }
    let summary = place.json("out/summary.json");
    assert_eq!(summary["arms"][0]["name"], "rest");
    assert_eq!(summary["planHash"], place.json("out/campaign.json")["plan"]["hash"]);
    assert!(summary["verdict"].is_string(), "{summary}");
    place.await_nobody();
}

#[test]
fn levers_are_proven_before_and_after_and_every_file_is_in_the_index() {
    let place = Place::new();
    place.campaign(REST, "100");
    place.run(&["run", "campaign.yaml", "--out", "out"]);
    let levers = place.json("out/runs/rest-tiny-r1/levers.json");
    for at in ["BeforeLoad", "AfterLoad"] {
        let codec =
            levers.as_array().unwrap().iter().find(|lever| lever["lever"] == "settings.codec" && lever["at"] == at);
        let codec = codec.unwrap_or_else(|| panic!("{levers}"));
        assert_eq!(
            (&codec["arm"], &codec["held"], &codec["observed"]),
            (&"rest".into(), &true.into(), &"Compiled".into())
        );
    }
    let index = place.json("out/index.json");
    let files = index["files"].as_array().unwrap();
    for file in files {
        let bytes = fs::read(place.path("out").join(file["path"].as_str().unwrap())).unwrap();
        let sum = soak_local::digest::of_bytes(&bytes);
        assert_eq!(file["sha256"], sum.as_str(), "{file}");
    }
    let names: Vec<&str> = files.iter().map(|file| file["path"].as_str().unwrap()).collect();
    for name in ["campaign.json", "ledger.jsonl", "summary.json", "tables.md", "runs/rest-tiny-r1/windows.jsonl"] {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[test]
fn a_finished_campaign_taken_up_again_says_the_same_and_measures_nothing() {
    let place = Place::new();
    place.campaign(REST, "100");
    let first = place.run(&["run", "campaign.yaml", "--out", "out"]);
    let index = place.read("out/index.json");
    let again = place.run(&["run", "--resume", "out"]);
    assert_eq!(stdout(&again), stdout(&first));
    assert_eq!(again.status, first.status);
    assert_eq!(place.read("out/index.json"), index);
}

#[test]
fn without_a_name_the_folder_is_called_after_campaign_and_time() {
    let place = Place::new();
    place.campaign(REST, "100");
    place.run(&["run", "campaign.yaml"]);
    let made = fs::read_dir(place.path(".")).unwrap().flatten().map(|entry| entry.path()).find(|path| path.is_dir());
    let made = made.unwrap();
    assert!(made.file_name().unwrap().to_str().unwrap().starts_with("soak-small-2"), "{}", made.display());
    assert!(Path::new(&made).join("index.json").exists());
}
