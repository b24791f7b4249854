//! `soak drive` as a user runs it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    io::{Read, Write},
    net::TcpListener,
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::Value;

/// A server that answers every request with 200 after `delay`, until the test process ends. Returns its URL.
fn server(delay: Duration) -> String {
    server_telling(delay, || ())
}

/// The same, and tells each answer.
fn server_telling(delay: Duration, answered: impl Fn() + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/some/path?x=y", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, answered) = (stream.unwrap(), answered.clone());
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while stream.read(&mut bytes).is_ok_and(|read| read > 0) {
                    thread::sleep(delay);
                    if stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").is_err() {
                        return;
                    }
                    answered();
                }
            });
        }
    });
    url
}

fn soak(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_soak"));
    command.arg("drive").args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    soak(arguments).output().unwrap()
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text} {output:?}"))
}

fn assert_adds_up(outcome: &Value) {
    let count = |key: &str| outcome[key].as_u64().unwrap();
    let failed: u64 = outcome["errors"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(count("scheduled"), count("ok") + failed + count("neverSent") + count("inFlight"), "{outcome}");
}

const QUICK: [&str; 6] = ["--rate", "200", "--duration", "500ms", "--idle", "sleep"];

#[test]
fn the_json_has_the_shape_that_scripts_rely_on() {
    let url = server(Duration::ZERO);
    let output = run(&[&[url.as_str(), "-o", "json", "--connections", "20"], &QUICK[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let outcome = json(&output);
    assert_adds_up(&outcome);
    assert_eq!((outcome["scheduled"].as_u64(), outcome["connections"].as_u64()), (Some(100), Some(20)));
    let keys =
        ["scheduled", "ok", "errors", "neverSent", "inFlight", "delivered", "connections", "cpuMicrosPerRequest"];
    assert!(keys.iter().all(|key| !outcome[key].is_null()), "{outcome}");
    for set in ["latencyMicros", "serviceMicros", "sendErrorMicros"] {
        let keys = ["p50", "p90", "p95", "p99", "p999", "max"];
        let values: Vec<f64> = keys.iter().map(|key| outcome[set][key].as_f64().unwrap()).collect();
        assert!(values.is_sorted(), "{set}: {values:?}");
    }
}

#[test]
fn the_table_shows_the_counts() {
    let url = server(Duration::ZERO);
    let output = run(&[&[url.as_str()], &QUICK[..]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["open loop", "100 due", "never sent", "send error", "p99.9", "per call delivered"] {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
}

#[test]
fn a_rate_of_max_is_named_a_closed_loop() {
    let url = server(Duration::from_millis(10));
    let flags = ["--rate", "max", "--duration", "300ms", "--connections", "3", "--idle", "sleep"];
    let output = run(&[&[url.as_str(), "-o", "json"], &flags[..]].concat());
    let outcome = json(&output);
    assert_adds_up(&outcome);
    assert_eq!(outcome["loop"], "closed");
    assert!((3..=93).contains(&outcome["ok"].as_u64().unwrap()), "{outcome}");
    let table = run(&[&[url.as_str()], &flags[..]].concat());
    assert!(String::from_utf8_lossy(&table.stdout).contains("closed loop"));
}

#[test]
fn percentiles_among_calls_never_sent_are_lower_bounds() {
    let url = server(Duration::from_millis(50));
    let flags = ["--rate", "100", "--duration", "600ms", "--connections", "1", "--idle", "sleep"];
    let outcome = json(&run(&[&[url.as_str(), "-o", "json"], &flags[..]].concat()));
    assert_adds_up(&outcome);
    assert!(outcome["neverSent"].as_u64().unwrap() >= 30, "{outcome}");
    let bounds: Vec<&str> = outcome["atLeast"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(bounds.contains(&"p50") && bounds.contains(&"p99"), "{outcome}");
    let table = run(&[&[url.as_str()], &flags[..]].concat());
    assert!(String::from_utf8_lossy(&table.stdout).contains('≥'));
}

#[test]
fn a_server_that_is_not_there_makes_errors_and_not_a_failure() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{address}/");
    let output = run(&[&[url.as_str(), "-o", "json"], &QUICK[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let outcome = json(&output);
    assert_eq!(outcome["errors"]["connection"], 100);
    assert!(outcome["latencyMicros"]["p50"].is_null());
}

#[test]
fn wrong_usage_is_refused_with_a_reason_before_anything_is_sent() {
    let check = |arguments: &[&str], expected: &str| {
        let output = run(arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(expected), "{arguments:?}: {text}");
        assert!(output.stdout.is_empty());
    };
    let near = "http://127.0.0.1:9/";
    check(&[near], "--rate");
    check(&[near, "--rate", "0"], "0");
    check(&[near, "--rate", "ten"], "max");
    check(&[near, "--rate", "10", "--duration", "10"], "500ms");
    check(&["https://127.0.0.1/", "--rate", "10"], "TLS");
    check(&["http://192.0.2.1/", "--rate", "10"], "--allow-public-target");
    check(&[near, "--rate", "2000000"], "--no-ceilings");
    check(&[near, "--rate", "1", "--connections", "10001"], "--no-ceilings");
    check(&[near, "--rate", "1", "--duration", "2h"], "--no-ceilings");
    check(&[near, "--rate", "1", "--body", "/nowhere/at/all"], "/nowhere/at/all");
    check(&[near, "--rate", "1", "--workers", "9", "--connections", "3"], "shape.connections");
    check(&["127.0.0.1:9", "--rate", "1", "--protocol", "grpc-unary"], "package.Service/Method");
    check(&["http://host.invalid/", "--rate", "1"], "host.invalid");
}

#[test]
fn an_interrupt_ends_it_with_the_partial_table() {
    let (tell, told) = mpsc::channel();
    let url = server_telling(Duration::ZERO, move || tell.send(()).unwrap_or_default());
    let child: Child = soak(&[url.as_str(), "--rate", "100", "--duration", "60s", "--idle", "sleep", "-o", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    (0..20).for_each(|_| told.recv_timeout(Duration::from_secs(30)).unwrap());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let outcome = json(&output);
    assert_adds_up(&outcome);
    let seconds = outcome["seconds"].as_f64().unwrap();
    assert!(seconds < 30.0 && outcome["ok"].as_u64().unwrap() > 0, "{outcome}");
}
