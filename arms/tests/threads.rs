//! Executor, worker threads and work are levers: they are seen on the arm's threads.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::{
    net::TcpStream,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use soak_arms::{Executor, Preset, Settings, Work, WorkKind};
use support::{arm, call, connect, cpu_time_since, receive, send, threads};

/// Threads are told apart by when they came: one test at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const CALLS: u32 = 12;

/// CPU time of the arm's threads after calls on as many connections, by name.
fn cpu_time_of_calls(settings: Settings) -> Vec<(String, Duration)> {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let before = threads();
    let ready = arm(Preset::Rest, settings);
    for _ in 0..CALLS {
        assert_eq!(call(&mut connect(ready.port), "POST", "/", b"1").status, 200);
    }
    cpu_time_since(&before).into_iter().filter(|(name, _)| name.starts_with("arm-")).collect()
}

fn of(times: &[(String, Duration)], name: &str) -> Duration {
    times.iter().filter(|(thread, _)| thread.starts_with(name)).map(|(_, time)| *time).sum()
}

const SPIN: Duration = Duration::from_millis(5);

fn spinning() -> Settings {
    Settings { work: Some(Work { kind: WorkKind::Spin, micros: 5_000 }), ..Settings::default() }
}

#[test]
fn direct_work_is_done_on_the_connections_thread_and_there_is_no_pool() {
    let times = cpu_time_of_calls(spinning());
    assert!(of(&times, "arm-conn-0") >= SPIN * CALLS, "{times:?}");
    let names: Vec<_> = times.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["arm-accept", "arm-admin", "arm-conn-0"]);
}

#[test]
fn a_pools_work_is_done_on_its_threads_and_not_on_the_connections() {
    let settings = Settings { executor: Executor::Threads, pool_threads: 3, ..spinning() };
    let times = cpu_time_of_calls(settings);
    let work = SPIN * CALLS;
    assert!(of(&times, "arm-pool-") >= work, "{times:?}");
    assert!(of(&times, "arm-conn-") < work / 2, "{times:?}");
    assert_eq!(times.iter().filter(|(name, _)| name.starts_with("arm-pool-")).count(), 3);
}

#[test]
fn a_few_connections_are_spread_evenly_over_the_worker_threads() {
    let times = cpu_time_of_calls(Settings { worker_threads: 3, ..spinning() });
    for index in 0..3 {
        let name = format!("arm-conn-{index}");
        assert!(of(&times, &name) >= SPIN * CALLS / 3, "{name} of {times:?}");
    }
}

/// How long calls take that are all made at once.
fn time_of_calls_at_once(settings: Settings) -> Duration {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let ready = arm(Preset::Rest, settings);
    let mut sockets: Vec<TcpStream> = (0..CALLS).map(|_| connect(ready.port)).collect();
    let start = Instant::now();
    for socket in &mut sockets {
        send(socket, "POST", "/", b"1");
    }
    for socket in &mut sockets {
        assert_eq!(receive(socket).status, 200);
    }
    start.elapsed()
}

const SLEEP: Duration = Duration::from_millis(200);

fn sleeping(executor: Executor, pool_threads: u32) -> Settings {
    let work = Some(Work { kind: WorkKind::Sleep, micros: 200_000 });
    Settings { executor, pool_threads, work, ..Settings::default() }
}

#[test]
fn requests_that_sleep_do_not_hold_the_connections_thread() {
    let time = time_of_calls_at_once(sleeping(Executor::Direct, 1));
    assert!(time >= SLEEP && time < SLEEP * CALLS / 2, "{time:?}");
}

#[test]
fn requests_that_sleep_in_a_pool_hold_one_thread_each() {
    let time = time_of_calls_at_once(sleeping(Executor::Threads, 4));
    assert!(time >= SLEEP * (CALLS / 4), "{time:?}");
    let time = time_of_calls_at_once(sleeping(Executor::Threads, CALLS));
    assert!(time >= SLEEP && time < SLEEP * CALLS / 2, "{time:?}");
}

#[test]
fn sleeping_requests_of_a_pool_do_not_stop_the_connections_thread() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let long = Some(Work { kind: WorkKind::Sleep, micros: 60_000_000 });
    let ready = arm(Preset::Rest, Settings { work: long, ..sleeping(Executor::Threads, 1) });
    let mut sleeper = connect(ready.port);
    send(&mut sleeper, "POST", "/", b"1");
    assert_eq!(call(&mut connect(ready.port), "GET", "/healthz", b"").status, 200);
}
