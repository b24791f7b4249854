//! The admin port tells the truth, also while the arm is busy.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::{io::Read as _, time::Duration};

use soak_arms::{Arm, ArmOptions, Codec, Executor, Preset, Settings, Work, WorkKind};
use support::{arm, call, connect, cpu_time_since, options, send, threads};

fn metrics(port: u16) -> serde_json::Value {
    let answer = call(&mut connect(port), "GET", "/metrics", b"");
    assert_eq!(answer.status, 200);
    serde_json::from_slice(&answer.body).unwrap()
}

#[test]
fn the_settings_in_effect_are_read_back_with_memory_and_identity() {
    let settings = Settings {
        executor: Executor::Threads,
        worker_threads: 2,
        pool_threads: 3,
        codec: Codec::Dynamic,
        max_concurrent_streams: 5,
        initial_window: 70_000,
        inbound_credits: 6,
        work: Some(Work { kind: WorkKind::Spin, micros: 7 }),
    };
    let told = metrics(arm(Preset::Grpc, settings.clone()).admin_port);
    assert_eq!(serde_json::from_value::<Settings>(told["settings"].clone()).unwrap(), settings);
    assert_eq!(told["settings"]["executor"], "Threads");
    assert_eq!(told["settings"]["work"], serde_json::json!({"kind": "Spin", "micros": 7}));
    assert_eq!(told["preset"], "grpc");
    assert_eq!(told["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(told["buildInputsSha256"], soak_arms::BUILD_INPUTS_SHA256);
    let (heap, rss) = (told["heapBytes"].as_u64(), told["rssBytes"].as_u64());
    assert!(heap > Some(0) && heap < rss, "{heap:?} of {rss:?}");
}

#[test]
fn it_answers_while_every_other_thread_is_busy() {
    let before = threads();
    let work = Some(Work { kind: WorkKind::Spin, micros: 1_500_000 });
    let ready = arm(Preset::Rest, Settings { work, ..Settings::default() });
    let mut busy = connect(ready.port);
    send(&mut busy, "POST", "/", b"1");
    while cpu_time_since(&before).iter().all(|(_, time)| *time < Duration::from_millis(20)) {
        std::thread::yield_now();
    }
    assert_eq!(metrics(ready.admin_port)["settings"]["work"]["micros"], 1_500_000);
    busy.set_nonblocking(true).unwrap();
    let answered = busy.read(&mut [0]);
    assert_eq!(answered.unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "the request was still at work");
}

#[test]
fn other_paths_and_methods_are_refused() {
    let mut socket = connect(arm(Preset::Rest, Settings::default()).admin_port);
    for (method, path, status) in [("GET", "/healthz", 200), ("GET", "/", 404), ("POST", "/metrics", 405)] {
        assert_eq!(call(&mut socket, method, path, b"").status, status, "{method} {path}");
    }
}

#[test]
fn a_port_in_use_is_refused_by_its_number_whichever_of_the_two_it_is() {
    let taken = arm(Preset::Rest, Settings::default()).port;
    let free = options(Preset::Rest, Settings::default());
    for asked in [ArmOptions { port: taken, ..free.clone() }, ArmOptions { admin_port: taken, ..free }] {
        let refused = Arm::start(asked).unwrap_err().to_string();
        assert_eq!(refused, format!("port {taken} of 127.0.0.1 is in use by another process"));
    }
}

#[test]
fn settings_out_of_bounds_stop_the_arm_before_it_listens() {
    let none = Settings { worker_threads: 0, ..Settings::default() };
    assert!(Arm::start(options(Preset::Rest, none)).is_err());
}
