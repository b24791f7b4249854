//! Two operators that look at the same campaign at the same time, each at its own distance from the API server: the same numbers, and
//! nobody overwrites anything.

use std::time::Duration;

use tokio::time::sleep;

use crate::{
    cluster::{Cluster, Operator},
    computed::Computed,
    faults::{Effect, Side},
    loads,
    results::Results,
    story::{BEGINNING, STEPS, clean, on_virtual_time, spec},
};

async fn together(cluster: &Cluster, first: Operator, second: Operator, (expected, context): (&Results, &str)) {
    cluster.over("c").await;
    cluster.rest().await;
    first.kill().await;
    second.kill().await;
    loads::sound(cluster, context);
    loads::in_one_piece(cluster, STEPS, context);
    Results::of(cluster, "c").are(expected, context);
    let written = cluster.api.with(|store| store.changes.clone());
    let mut maps = written.iter().filter(|change| change.key.resource == "configmaps");
    assert!(maps.all(|change| change.kind == "ADDED"), "{context}: a result was overwritten");
}

#[test]
fn two_operators_give_the_same_numbers_however_they_interleave() {
    let clean = clean();
    for (later, near, far) in [
        (0, 0, 0),
        (0, 1, 1),
        (0, 2, 7),
        (40, 7, 2),
        (333, 30, 1),
        (100, 400, 1),
        (100, 1, 400),
        (1_500, 3, 90),
        (31_000, 11, 13),
    ] {
        let context = format!("the second {later} ms later, {near} ms and {far} ms away");
        on_virtual_time(async {
            let cluster = Cluster::at(BEGINNING, Box::new(Computed));
            cluster.campaign("c", &spec());
            let first = cluster.start_away(Duration::from_millis(near));
            sleep(Duration::from_millis(later)).await;
            let second = cluster.start_away(Duration::from_millis(far));
            together(&cluster, first, second, (&clean.results, &context)).await;
        });
    }
}

/// A process that stood still, a packet that was long on its way: what was decided on long ago arrives when another
/// operator has gone on.
#[test]
fn a_write_that_arrives_when_another_operator_has_gone_on_changes_no_number() {
    let clean = clean();
    for (number, what) in clean.writes.iter().enumerate().step_by(3) {
        let context = format!("write {number}, {what}, is late");
        on_virtual_time(async {
            let cluster = Cluster::at(BEGINNING, Box::new(Computed));
            cluster.faults.place(number, Side::Before, Effect::Late(Duration::from_secs(45)));
            cluster.campaign("c", &spec());
            let first = cluster.start();
            while cluster.faults.writes().len() <= number {
                sleep(Duration::from_millis(100)).await;
            }
            sleep(Duration::from_secs(5)).await;
            let second = cluster.start();
            together(&cluster, first, second, (&clean.results, &context)).await;
        });
    }
}

#[test]
fn pods_that_one_operator_has_just_made_are_not_ended_by_another() {
    let clean = clean();
    for away in [50, 100, 150, 200] {
        let context = format!("the first is {away} ms away, the second comes when a pod is there");
        on_virtual_time(async {
            let cluster = Cluster::at(BEGINNING, Box::new(Computed));
            cluster.campaign("c", &spec());
            let first = cluster.start_away(Duration::from_millis(away));
            cluster.until("a pod is there", || !cluster.api.all("pods").is_empty()).await;
            let second = cluster.start();
            together(&cluster, first, second, (&clean.results, &context)).await;
        });
    }
}
