//! One campaign, told from its beginning to its end on virtual time, undisturbed or with one fault.

use std::{sync::OnceLock, time::Duration};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    cluster::Cluster,
    computed::Computed,
    faults::{Effect, Side},
    results::Results,
};

/// 2026-01-01T00:00:00Z.
pub const BEGINNING: i64 = 1_767_225_600_000_000_000;
/// From an operator's death to the next one's start.
const RESTART: Duration = Duration::from_secs(10);
/// Steps of all runs, warm-ups included.
pub const STEPS: usize = 8;

/// A warm-up and three steps, the last past the knee, twice.
pub fn spec() -> Value {
    json!({
        "arms": [{"name": "rest", "server": {"preset": "rest"}, "protocol": "Http1"}],
        "bodies": [{"preset": "Tiny"}],
        "client": {"connections": 8, "drain": "1s"},
        "ramp": {
            "warmup": {"rate": 50, "duration": "20s"},
            "steps": {"rates": [100, 200, 400]},
            "stepDuration": "20s",
        },
        "replicates": 2,
    })
}

/// Runs a function on virtual time.
pub fn on_virtual_time<T>(what: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(what)
}

/// The campaign from its beginning to its end, with at most one fault, and how long it took; a killed operator is
/// followed by another.
pub async fn told(fault: Option<(usize, Side, Effect)>) -> (Cluster, Duration) {
    told_with_restart_after(RESTART, fault).await
}

/// The same, where it takes so long until the next operator starts.
pub async fn told_with_restart_after(restart: Duration, fault: Option<(usize, Side, Effect)>) -> (Cluster, Duration) {
    let cluster = Cluster::at(BEGINNING, Box::new(Computed));
    if let Some((number, side, effect)) = fault {
        cluster.faults.place(number, side, effect);
    }
    cluster.campaign("c", &spec());
    let took = carry_on(&cluster, "c", restart).await;
    (cluster, took)
}

/// Operators, one after another, until a campaign is over: how long it took.
pub async fn carry_on(cluster: &Cluster, name: &str, restart: Duration) -> Duration {
    let mut operator = cluster.start();
    loop {
        let life = operator.life.clone();
        tokio::select! {
            () = cluster.over(name) => break,
            () = life.death() => {}
        }
        operator.kill().await;
        sleep(restart).await;
        operator = cluster.start();
    }
    let took = cluster.clock.elapsed();
    cluster.rest().await;
    operator.kill().await;
    took
}

/// An undisturbed campaign.
#[derive(Debug)]
pub struct Clean {
    pub results: Results,
    pub writes: Vec<String>,
    pub took: Duration,
}

/// The undisturbed campaign.
pub fn clean() -> &'static Clean {
    static CLEAN: OnceLock<Clean> = OnceLock::new();
    CLEAN.get_or_init(|| {
        on_virtual_time(async {
            let (cluster, took) = told(None).await;
            Clean { results: Results::of(&cluster, "c"), writes: cluster.faults.writes(), took }
        })
    })
}
