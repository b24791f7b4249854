//! What a user wants in mid-run, done by operators that are killed while they do it.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    cluster::Cluster,
    computed::Computed,
    faults::{Effect, Side},
    loads,
    results::Results,
    story::{BEGINNING, carry_on, on_virtual_time, spec},
};

/// What is set, and when.
type Wish = (Duration, &'static str, Value);

/// The campaign with wishes, its operator killed after a write.
async fn wished(wishes: &[Wish], killed_after: Option<usize>) -> Cluster {
    let cluster = Cluster::at(BEGINNING, Box::new(Computed));
    if let Some(number) = killed_after {
        cluster.faults.place(number, Side::After, Effect::Kill);
    }
    cluster.campaign("c", &spec());
    let (set, wishes) = (cluster.clone(), wishes.to_vec());
    tokio::spawn(async move {
        for (at, field, value) in wishes {
            sleep(at.saturating_sub(set.clock.elapsed())).await;
            set.wish("c", field, &value);
        }
    });
    carry_on(&cluster, "c", Duration::from_secs(3)).await;
    cluster
}

/// Without a fault, then killed after every fourth write.
fn at_some_writes(wishes: &[Wish], holds: impl Fn(&Cluster, &str)) {
    let writes = on_virtual_time(async {
        let cluster = wished(wishes, None).await;
        holds(&cluster, "undisturbed");
        cluster.faults.writes()
    });
    for (number, what) in writes.iter().enumerate().step_by(4) {
        on_virtual_time(async {
            let cluster = wished(wishes, Some(number)).await;
            holds(&cluster, &format!("killed after write {number}, {what}"));
        });
    }
}

/// The rows of each run that has any.
fn rows(cluster: &Cluster) -> Vec<Vec<Value>> {
    let documents = Results::of(cluster, "c").documents;
    let rows = documents.iter().filter(|(name, _)| name.ends_with("rows.json"));
    rows.map(|(_, rows)| serde_json::from_str(rows).unwrap()).collect()
}

fn judged(rows: &[Value]) -> Vec<i64> {
    rows.iter().filter(|row| row["warmup"] == false).map(|row| row["planned"].as_i64().unwrap()).collect()
}

#[test]
fn a_campaign_that_is_suspended_and_resumed_has_every_row_once_and_no_load_in_between() {
    let second = Duration::from_secs(1);
    let wishes = [(50 * second, "suspend", json!(true)), (120 * second, "suspend", json!(false))];
    at_some_writes(&wishes, |cluster, context| {
        loads::sound(cluster, context);
        assert!(cluster.is("c", "ResultsComplete"), "{context}: {:#}", cluster.status("c"));
        let rows = rows(cluster);
        assert_eq!(
            rows.iter().map(|rows| judged(rows)).collect::<Vec<_>>(),
            [[100, 200, 400], [100, 200, 400]],
            "{context}"
        );
        let warmups = rows[0].iter().filter(|row| row["warmup"] == true).count();
        assert_eq!(warmups, 2, "{context}: it is warmed up again when it is resumed");
        let from = BEGINNING + 80 * 1_000_000_000;
        let until = BEGINNING + 120 * 1_000_000_000;
        let started = cluster.hosts.carried().into_iter().map(|carried| carried.order.start_unix_nanos);
        assert_eq!(started.filter(|start| (from..until).contains(start)).count(), 0, "{context}");
    });
}

#[test]
fn a_campaign_that_is_cancelled_ends_soon_with_what_it_has() {
    let at = Duration::from_secs(60);
    at_some_writes(&[(at, "cancel", json!(true))], |cluster, context| {
        loads::sound(cluster, context);
        assert_eq!(cluster.status("c")["summary"], "cancelled", "{context}");
        assert!(!cluster.is("c", "ResultsComplete"), "{context}");
        let rows = rows(cluster);
        assert_eq!(rows.len(), 1, "{context}");
        assert_eq!(judged(&rows[0]), [100], "{context}");
        let last = cluster.hosts.carried().into_iter().map(|carried| carried.until).max().unwrap();
        assert!(last <= BEGINNING + 75 * 1_000_000_000, "{context}: load at {} s", (last - BEGINNING) / 1_000_000_000);
    });
}
