//! A server that answers after 20 ms and does nothing for 300 ms every 2 s. Of calls that are due evenly, 15 % fall into
//! a stall and wait for its end: the mean is 20 + 0.15 · 150 = 42.5 ms, p90 is 120 ms, p95 220 ms, p99 300 ms.
//! A closed loop with 64 connections makes one call in about 86 wait: h2load's mean stays near 24 ms. wrk adds calls that
//! it would have made at its own mean pace; its p90 comes to 320 − 9.8 · 24 ≈ 90 ms, better than nothing and still wrong.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{drive, programs};

const CYCLE: Duration = Duration::from_secs(2);
const STALL: Duration = Duration::from_millis(300);
const WORK: Duration = Duration::from_millis(20);

/// Starts the server; it ends with the test process. Returns its URL.
fn stalling_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let begin = Instant::now();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(stream, begin));
        }
    });
    url
}

fn serve(mut stream: TcpStream, begin: Instant) {
    let _ = stream.set_nodelay(true);
    let mut bytes = [0; 4096];
    while stream.read(&mut bytes).is_ok_and(|read| read > 0) {
        let into_cycle = Duration::from_nanos(u64::try_from(begin.elapsed().as_nanos() % CYCLE.as_nanos()).unwrap());
        thread::sleep(STALL.saturating_sub(into_cycle) + WORK);
        if stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").is_err() {
            return;
        }
    }
}

/// A time as wrk and h2load print it (`21.33ms`, `1.02s`, `950us`), milliseconds.
fn millis(text: &str) -> f64 {
    let number = |suffix: &str| text.strip_suffix(suffix).and_then(|digits| digits.parse::<f64>().ok());
    number("ms")
        .or_else(|| number("us").map(|us| us / 1000.0))
        .or_else(|| number("s").map(|s| s * 1000.0))
        .unwrap_or_else(|| panic!("{text:?} is not a time"))
}

fn output(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The `90%` of wrk's latency distribution, milliseconds.
fn wrk_p90(text: &str) -> f64 {
    let line = text.lines().find(|line| line.trim_start().starts_with("90%")).unwrap_or_else(|| panic!("{text}"));
    millis(line.split_whitespace().nth(1).unwrap())
}

/// The mean of h2load's `time for request`, milliseconds.
fn h2load_mean(text: &str) -> f64 {
    let line = text.lines().find(|line| line.starts_with("time for request:")).unwrap_or_else(|| panic!("{text}"));
    millis(line.split_whitespace().nth(5).unwrap())
}

#[test]
fn the_driver_tells_of_a_stall_that_closed_loops_hide() {
    let Some([wrk, h2load]) = programs(["wrk", "h2load"]) else { return };
    let url = stalling_server();

    let ours = drive(&[&url, "--rate", "500", "--duration", "8s", "--connections", "400", "--pool", "as-needed"]);
    let wrk = output(Command::new(wrk).args(["-t1", "-c64", "-d8s", "--latency", &url]));
    let h2load = output(Command::new(h2load).args(["--h1", "-t1", "-c64", "-D8", &url]));
    println!("soak drive: {ours}\nwrk: {wrk}\nh2load: {h2load}");

    assert_eq!(ours["ok"], 4000, "{ours}");
    for (key, expected) in [("p90", 120.0), ("p95", 220.0), ("p99", 300.0)] {
        let told = ours["latencyMicros"][key].as_f64().unwrap() / 1000.0;
        assert!((told / expected - 1.0).abs() < 0.1, "{key} is {told} ms, calculated {expected} ms");
    }
    assert!(wrk_p90(&wrk) < 108.0, "wrk tells p90 = 120 ms within a tenth:\n{wrk}");
    assert!(h2load_mean(&h2load) < 34.0, "h2load tells four fifths of the mean of 42.5 ms or more:\n{h2load}");
}
