//! The driver's control, over real sockets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use soak_driver::{
    Moment, Pairing,
    control::{Options, serve},
};
use soak_sample::{Clock, DriverWindow, HeldOrder, LoadOrder, OrderState};
use support::{Server, assert_adds_up, order, prompt};

/// SHA-256 of "abc".
const HASH: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const PATIENCE: Duration = Duration::from_secs(20);

/// A control that serves until the test process ends.
struct Control {
    address: SocketAddr,
}

#[derive(Debug)]
struct Answer {
    status: u16,
    body: String,
}

impl Control {
    fn start(lease: Duration) -> Self {
        let (ready, address) = mpsc::channel();
        let options = Options { address: "127.0.0.1:0".parse().unwrap(), token: Some(HASH.parse().unwrap()), lease };
        thread::spawn(move || {
            let Err(error) = serve(options, move |address| {
                ready.send(address).unwrap();
                Ok(())
            });
            panic!("{error}");
        });
        Self { address: address.recv_timeout(PATIENCE).unwrap() }
    }

    fn call_as(&self, token: &str, method: &str, path: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: driver\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
             content-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, body: body.to_owned() }
    }

    fn call(&self, method: &str, path: &str, body: &str) -> Answer {
        self.call_as("abc", method, path, body)
    }

    fn put(&self, order: &LoadOrder) -> Answer {
        self.call("PUT", &format!("/orders/{}", order.id), &serde_json::to_string(order).unwrap())
    }

    fn report(&self, id: &str) -> serde_json::Value {
        let answer = self.call("GET", &format!("/orders/{id}"), "");
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_str(&answer.body).unwrap()
    }

    fn state(&self, id: &str) -> String {
        self.report(id)["state"].as_str().unwrap().to_owned()
    }

    fn wait_for(&self, id: &str, state: &str) {
        let begun = Instant::now();
        while self.state(id) != state {
            assert!(begun.elapsed() < PATIENCE, "{id} is {}, not {state}", self.report(id));
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn window(&self, id: &str) -> DriverWindow {
        let answer = self.call("GET", &format!("/orders/{id}/window"), "");
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_str(&answer.body).unwrap()
    }
}

/// An order that starts in `lead`.
fn ordered(id: &str, server: &Server, lead: Duration, length: Duration) -> LoadOrder {
    let now = Pairing::read().unix_nanos(Moment::now());
    let start_unix_nanos = now + i64::try_from(lead.as_nanos()).unwrap();
    LoadOrder { id: id.to_owned(), start_unix_nanos, ..order(server.address, 200.0, length) }
}

const SOON: Duration = Duration::from_millis(300);
const LATER: Duration = Duration::from_secs(3600);

#[test]
fn an_order_is_carried_out_and_its_window_stays_until_it_is_acknowledged() {
    let (server, control) = (Server::start(prompt), Control::start(LATER));
    let order = ordered("run.step-1", &server, SOON, SOON);
    assert_eq!(control.put(&order).status, 201);
    assert_eq!(control.state("run.step-1"), "armed");
    assert_eq!(control.call("GET", "/orders/run.step-1/window", "").status, 409);
    control.wait_for("run.step-1", "finished");
    for _ in 0..2 {
        let window = control.window("run.step-1");
        assert_adds_up(&window);
        assert_eq!((window.order.as_str(), window.due), ("run.step-1", 60));
    }
    assert_eq!(control.report("run.step-1")["live"]["due"], 60);
    assert_eq!(control.call("DELETE", "/orders/run.step-1", "").status / 100, 2);
    assert_eq!(control.call("GET", "/orders/run.step-1", "").status, 404);
    assert_eq!(control.call("DELETE", "/orders/run.step-1", "").status, 404);
}

#[test]
fn asking_twice_changes_nothing_and_asking_otherwise_is_refused() {
    let (server, control) = (Server::start(prompt), Control::start(LATER));
    let order = ordered("a", &server, LATER, SOON);
    assert_eq!(control.put(&order).status, 201);
    assert_eq!(control.put(&order).status, 200);
    assert_eq!(control.put(&LoadOrder { workers: 2, ..order.clone() }).status, 409);
    assert_eq!(control.call("DELETE", "/orders/a", "").status / 100, 2);
    assert_eq!(control.put(&order).status, 201, "an order that was dropped may be given again");
}

#[test]
fn the_next_order_may_be_armed_while_one_runs() {
    let (server, control) = (Server::start(prompt), Control::start(LATER));
    let first = ordered("first", &server, SOON, 3 * SOON);
    let second = ordered("second", &server, 6 * SOON, SOON);
    assert_eq!(control.put(&first).status, 201);
    control.wait_for("first", "running");
    assert_eq!(control.call("DELETE", "/orders/first", "").status, 409);
    assert_eq!(control.put(&second).status, 201);
    control.wait_for("second", "finished");
    let (first, second) = (control.window("first"), control.window("second"));
    assert!(second.start_unix_nanos > first.drained_unix_nanos);
    assert_eq!((first.due, second.due), (180, 60));
}

#[test]
fn a_stop_ends_the_running_step_at_once_with_its_real_end() {
    let (server, control) = (Server::start(prompt), Control::start(LATER));
    let order = ordered("long", &server, SOON, LATER);
    assert_eq!(control.put(&order).status, 201);
    control.wait_for("long", "running");
    let begun = Instant::now();
    while control.report("long")["live"]["ok"].as_u64().unwrap() < 10 {
        assert!(begun.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(control.call("POST", "/stop", "").status / 100, 2);
    control.wait_for("long", "finished");
    let window = control.window("long");
    assert_adds_up(&window);
    assert!(window.ok >= 10);
    assert!(window.end_unix_nanos < order.start_unix_nanos + order.duration_nanos / 2);
}

#[test]
fn an_order_that_cannot_be_carried_out_tells_why() {
    let (server, control) = (Server::start(prompt), Control::start(LATER));
    let mut order = ordered("nowhere", &server, SOON, SOON);
    order.target.host = "host.invalid".to_owned();
    assert_eq!(control.put(&order).status, 201);
    control.wait_for("nowhere", "failed");
    let report = control.report("nowhere");
    assert!(report["error"].as_str().unwrap().contains("host.invalid"), "{report}");
}

#[test]
fn what_is_not_an_order_is_refused() {
    let (server, control) = (Server::start(prompt), Control::start(LATER));
    let order = ordered("a", &server, LATER, SOON);
    let text = serde_json::to_string(&order).unwrap();
    let check = |path: &str, body: &str, status: u16| {
        let answer = control.call("PUT", path, body);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
    };
    check("/orders/b", &text, 400);
    check("/orders/a%2Fb", &text, 400);
    check("/orders/a", "{}", 400);
    check("/orders/a", &text.replace("\"workers\":1", "\"workers\":0"), 400);
    check("/orders/a", &text.replace("\"workers\":1", "\"workers\":1,\"more\":1"), 400);
    check("/elsewhere", &text, 404);
    assert_eq!(control.call("GET", "/orders/a", "").status, 404);
}

#[test]
fn only_the_token_opens_the_control() {
    let (server, control) = (Server::start(prompt), Control::start(LATER));
    let order = ordered("a", &server, LATER, SOON);
    let text = serde_json::to_string(&order).unwrap();
    for token in ["", "abd", "abcabc", HASH] {
        assert_eq!(control.call_as(token, "PUT", "/orders/a", &text).status, 401, "{token:?}");
        assert_eq!(control.call_as(token, "POST", "/stop", "").status, 401, "{token:?}");
    }
    assert_eq!(control.call_as("", "GET", "/healthz", "").status, 200);
    assert_eq!(control.call("GET", "/orders/a", "").status, 404);
}

#[test]
fn a_driver_that_hears_nothing_finishes_the_step_at_hand_and_drops_what_is_armed() {
    let (server, control) = (Server::start(prompt), Control::start(Duration::from_millis(400)));
    let running = ordered("running", &server, Duration::from_millis(100), Duration::from_millis(1500));
    let armed = ordered("armed", &server, Duration::from_millis(2500), SOON);
    assert_eq!(control.put(&running).status, 201);
    assert_eq!(control.put(&armed).status, 201);
    // Time in which nothing is said, three leases long. Health checks are not words of an executor.
    let silent_since = Instant::now();
    while silent_since.elapsed() < Duration::from_millis(1200) {
        assert_eq!(control.call_as("", "GET", "/healthz", "").status, 200);
        thread::sleep(Duration::from_millis(50));
    }
    let dropped = control.call("GET", "/orders/armed", "");
    assert!(dropped.status == 404 || dropped.body.contains("failed"), "{dropped:?}");
    control.wait_for("running", "finished");
    let window = control.window("running");
    assert_eq!(window.due, 300);
}

#[test]
fn every_order_is_listed_in_the_order_of_its_start_with_this_hosts_clock_beside() {
    let (server, control) = (Server::start(prompt), Control::start(LATER));
    let (late, soon) = (ordered("a", &server, 2 * LATER, SOON), ordered("b", &server, LATER, SOON));
    assert_eq!((control.put(&late).status, control.put(&soon).status), (201, 201));
    let held: Vec<HeldOrder> = serde_json::from_str(&control.call("GET", "/orders", "").body).unwrap();
    let told: Vec<_> = held.iter().map(|order| (order.id.as_str(), order.state, order.start_unix_nanos)).collect();
    let expected = [&soon, &late].map(|order| (order.id.as_str(), OrderState::Armed, order.start_unix_nanos));
    assert_eq!(told, expected);
    assert_eq!(held[0].end_unix_nanos, soon.start_unix_nanos + soon.duration_nanos);
    let clock: Clock = serde_json::from_str(&control.call("GET", "/clock", "").body).unwrap();
    assert!(soon.start_unix_nanos > clock.unix_nanos);
}
