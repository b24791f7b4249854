//! An API server in bad weather: watches that end and are too old to go on, throttling, internal errors, silence.

use std::time::Duration;

use tokio::time::sleep;

use crate::{
    cluster::Cluster,
    computed::Computed,
    faults::{Effect, Storm},
    loads,
    results::Results,
    story::{BEGINNING, STEPS, clean, on_virtual_time, spec},
};

/// The campaign in a storm that lasts, its watches broken every so often.
fn in_weather(storm: Option<Storm>, gaps: Option<Duration>, context: &str) {
    let clean = clean();
    on_virtual_time(async {
        let cluster = Cluster::at(BEGINNING, Box::new(Computed));
        cluster.campaign("c", &spec());
        cluster.faults.storm(storm);
        if let Some(every) = gaps {
            let api = std::sync::Arc::clone(&cluster.api);
            tokio::spawn(async move {
                loop {
                    sleep(every).await;
                    api.gap();
                }
            });
        }
        let operator = cluster.start();
        cluster.over("c").await;
        cluster.rest().await;
        operator.kill().await;
        loads::sound(&cluster, context);
        loads::in_one_piece(&cluster, STEPS, context);
        Results::of(&cluster, "c").are(&clean.results, context);
    });
}

#[test]
fn watches_that_end_and_are_too_old_to_go_on_change_no_number() {
    in_weather(None, Some(Duration::from_millis(3_700)), "watch gaps");
}

#[test]
fn requests_that_fail_now_and_then_change_no_number() {
    for effect in [Effect::Answer(429), Effect::Answer(500), Effect::Answer(410), Effect::Cut] {
        let storm = Some(Storm { one_in: 7, effect });
        in_weather(storm, Some(Duration::from_secs(11)), &format!("one in seven requests: {effect:?}"));
    }
}

#[test]
fn a_server_that_is_away_for_half_a_minute_loses_no_row() {
    for (after, effect) in [(15, Effect::Answer(500)), (40, Effect::Answer(429)), (70, Effect::Cut)] {
        let context = format!("{effect:?} after {after} s");
        on_virtual_time(async {
            let cluster = Cluster::at(BEGINNING, Box::new(Computed));
            cluster.campaign("c", &spec());
            let operator = cluster.start();
            sleep(Duration::from_secs(after)).await;
            cluster.faults.storm(Some(Storm { one_in: 1, effect }));
            sleep(Duration::from_secs(35)).await;
            cluster.faults.storm(None);
            cluster.over("c").await;
            cluster.rest().await;
            operator.kill().await;
            loads::sound(&cluster, &context);
            assert!(cluster.is("c", "ResultsComplete"), "{context}: {:#}", cluster.status("c"));
        });
    }
}
