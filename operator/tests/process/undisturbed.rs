//! A campaign without any fault: its rows, its load, its writes; and a cluster on which nothing is to be done.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    cluster::{Cluster, key},
    computed::Computed,
    loads,
    results::Results,
    story::{BEGINNING, STEPS, clean, on_virtual_time, spec, told},
};

#[test]
fn a_campaign_gives_every_row_and_its_verdict() {
    let clean = clean();
    let status = &clean.results.status;
    assert_eq!(status["kneeSummary"], "rest 200–400", "{status:#}");
    assert_eq!(status["arms"][0]["capacity"], json!({"perSecond": 300, "atLeast": true}), "{status:#}");
    let rows = clean.results.documents.iter().filter(|(name, _)| name.ends_with("rows.json"));
    let rows: Vec<Vec<Value>> = rows.map(|(_, rows)| serde_json::from_str(rows).unwrap()).collect();
    assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4]);
    for row in rows.iter().flatten() {
        let count = |field: &str| row[field].as_u64().unwrap();
        assert_eq!(count("scheduled"), count("ok") + count("neverSent") + count("inFlight"), "{row:#}");
        assert!(row["cpuNanosPerRequest"].is_number(), "{row:#}");
    }
}

#[test]
fn the_load_of_a_campaign_is_in_one_piece_and_told_twice_it_is_the_same() {
    let clean = clean();
    on_virtual_time(async {
        let (cluster, _) = told(None).await;
        loads::sound(&cluster, "undisturbed");
        loads::in_one_piece(&cluster, STEPS, "undisturbed");
        Results::of(&cluster, "c").are(&clean.results, "told twice");
    });
}

/// A write on the API server that is neither a result nor an Event.
fn is_counted(write: &str) -> bool {
    let on_a_pod = write.contains(" /");
    !on_a_pod && !write.contains(" configmaps ") && !write.contains(" events ")
}

#[test]
fn a_running_step_costs_at_most_two_writes_besides_results_and_events() {
    let writes = &clean().writes;
    let placed: Vec<usize> =
        writes.iter().enumerate().filter(|(_, what)| what.starts_with("PUT /orders/")).map(|(at, _)| at).collect();
    assert_eq!(placed.len(), STEPS);
    for run in placed.chunks(STEPS / 2) {
        for pair in run.windows(2) {
            let between = &writes[pair[0]..pair[1]];
            let counted = between.iter().filter(|write| is_counted(write)).count();
            assert!(counted <= 2, "{between:#?}");
        }
    }
}

#[test]
fn with_a_thousand_finished_campaigns_nothing_is_written_in_ten_minutes() {
    let status = clean().results.status.clone();
    on_virtual_time(async {
        let cluster = Cluster::at(BEGINNING, Box::new(Computed));
        for number in 0..1000 {
            let name = format!("finished-{number}");
            cluster.campaign(&name, &spec());
            let patch = json!({"status": status});
            cluster.api.with(|store| store.merge_status(&key("soakcampaigns", &name), &patch)).unwrap();
        }
        let operator = cluster.start();
        sleep(Duration::from_secs(600)).await;
        let writes = cluster.faults.writes();
        let others: Vec<&String> = writes.iter().filter(|write| !write.contains(" leases ")).collect();
        assert!(others.is_empty(), "{others:#?}");
        operator.kill().await;
    });
}
