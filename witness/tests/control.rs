//! The witness's control, over real sockets. The arm itself is in no container here: what is asked of it is refused.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::mpsc,
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use soak_sample::{ArmPorts, Clock, LeverQuestion, VERSION, WatchOrder};
use soak_witness::{
    Root,
    control::{Options, serve},
};

/// SHA-256 of "abc".
const HASH: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn start() -> SocketAddr {
    let (ready, address) = mpsc::channel();
    let token = Some(HASH.parse().unwrap());
    let options = Options { address: "127.0.0.1:0".parse().unwrap(), token, root: Root::live() };
    thread::spawn(move || {
        let Err(error) = serve(options, move |address| {
            ready.send(address).unwrap();
            Ok(())
        });
        panic!("{error}");
    });
    address.recv_timeout(Duration::from_secs(20)).unwrap()
}

fn call(to: SocketAddr, token: &str, line: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(to).unwrap();
    let length = body.len();
    let head =
        format!("{line} HTTP/1.1\r\nhost: w\r\nauthorization: Bearer {token}\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

fn watch(id: &str) -> String {
    serde_json::to_string(&WatchOrder {
        version: VERSION.to_owned(),
        order: id.to_owned(),
        start_unix_nanos: 0,
        end_unix_nanos: 1,
        clock_offset_nanos: 0,
        clock_offset_error_nanos: None,
        arm: ArmPorts { port: 1, admin: None },
        heap_budget_millis: 0,
    })
    .unwrap()
}

#[test]
fn only_the_health_is_told_without_the_token() {
    let to = start();
    assert_eq!(call(to, "", "GET /healthz", "").0, 200);
    for line in ["GET /clock", "PUT /watches/a", "GET /watches/a", "DELETE /watches/a", "POST /levers"] {
        assert_eq!(call(to, "abd", line, "").0, 401, "{line}");
    }
}

#[test]
fn the_clock_tells_this_hosts_time() {
    let (status, body) = call(start(), "abc", "GET /clock", "");
    let clock: Clock = serde_json::from_str(&body).unwrap();
    let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap();
    assert_eq!(status, 200);
    assert!((now - clock.unix_nanos).abs() < 20_000_000_000, "{clock:?}");
}

#[test]
fn what_is_wrong_is_refused_and_says_why() {
    let to = start();
    let question = LeverQuestion {
        version: VERSION.to_owned(),
        args: Vec::new(),
        env: std::collections::BTreeMap::new(),
        settings: serde_json::Map::new(),
        cpu_milli: 1,
        memory_bytes: 1,
        arm: ArmPorts { port: 1, admin: None },
    };
    let question = serde_json::to_string(&question).unwrap();
    let check = |line: &str, body: &str, status: u16, words: &str| {
        let (found, text) = call(to, "abc", line, body);
        assert!(found == status && text.contains(words), "{line}: {found} {text}");
    };
    check("PUT /watches/a", "{}", 400, "not a watch");
    check("PUT /watches/b", &watch("a"), 400, "calls itself");
    check("PUT /watches/a", &watch("a"), 503, "port 1");
    check("POST /levers", &question, 503, "port 1");
    check("POST /levers", "[]", 400, "not a question");
    check("GET /watches/a", "", 404, "no such watch");
    check("GET /watches/a/window", "", 404, "no such watch");
    check("DELETE /watches/a", "", 404, "no such watch");
    check("GET /nothing", "", 404, "no such thing");
}
