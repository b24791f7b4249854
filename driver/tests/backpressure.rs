//! A peer that takes no bytes makes calls leave late. That is the peer's doing, and no lateness of the driver.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::Duration,
};

use soak_sample::{ClientShape, PoolPolicy, Protocol};
use support::{Seen, Server, order, run};

/// How long the peer takes nothing.
const DEAF: Duration = Duration::from_secs(1);

/// HTTP/2 settings with the largest window, and as much for the connection.
const WIDE_OPEN: [u8; 28] = [
    0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff, // SETTINGS: INITIAL_WINDOW_SIZE
    0, 0, 4, 8, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, // WINDOW_UPDATE of the connection
];

/// Takes nothing for a while, then everything; never answers.
fn deaf(stream: &mut TcpStream, _seen: &Seen) {
    stream.write_all(&WIDE_OPEN).unwrap();
    thread::sleep(DEAF);
    let mut buffer = vec![0; 1 << 20];
    while stream.read(&mut buffer).is_ok_and(|read| read > 0) {}
}

#[test]
fn calls_that_leave_late_because_the_peer_takes_no_bytes_do_not_make_the_driver_late() {
    let server = Server::start(deaf);
    let mut order = order(server.address, 1000.0, Duration::from_millis(600));
    order.protocol = Protocol::Http2;
    "POST".clone_into(&mut order.request.method);
    order.request.body = vec![b'x'; 60_000];
    order.shape = ClientShape {
        connections: 1,
        max_concurrent_streams: 1000,
        max_in_flight: 1000,
        streams: 0,
        pool: PoolPolicy::Eager,
    };
    order.drain_nanos = 2_000_000_000;
    let window = run(&order);
    assert_eq!((window.due, window.ok), (600, 0));
    assert!(window.bytes_sent > 30_000_000, "{} bytes left", window.bytes_sent);
    assert_eq!(window.send_error.len() + window.never_sent, 600);
    let median = Duration::from_nanos(window.send_error.quantile(0.5).unwrap());
    assert!(median < DEAF / 4, "the median call was {median:?} late");
}

/// Sends its settings late, and takes everything.
fn slow_to_greet(stream: &mut TcpStream, _seen: &Seen) {
    thread::sleep(DEAF);
    stream.write_all(&WIDE_OPEN).unwrap();
    let mut buffer = vec![0; 1 << 20];
    while stream.read(&mut buffer).is_ok_and(|read| read > 0) {}
}

#[test]
fn calls_that_wait_for_a_peers_settings_do_not_make_the_driver_late() {
    let server = Server::start(slow_to_greet);
    let mut order = order(server.address, 500.0, Duration::from_millis(600));
    order.protocol = Protocol::Http2;
    order.shape = ClientShape {
        connections: 1,
        max_concurrent_streams: 1000,
        max_in_flight: 1000,
        streams: 0,
        pool: PoolPolicy::Eager,
    };
    let window = run(&order);
    assert_eq!((window.due, window.ok, window.never_sent), (300, 0, 0));
    assert_eq!(window.send_error.len(), 300);
    let median = Duration::from_nanos(window.send_error.quantile(0.5).unwrap());
    assert!(median < DEAF / 10, "the median call was {median:?} late");
}
