//! Whatever a server does, each call that was due ends in exactly one counter.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::{
    io::Write,
    net::{Shutdown, TcpListener, TcpStream},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use proptest::prelude::*;
use soak_sample::{ErrorKind, Idle, LoadOrder, Pace, PoolPolicy};
use support::{ANSWER, Seen, Server, order, prompt, run, shape};

const SHORT: Duration = Duration::from_millis(400);

fn errors(window: &soak_sample::DriverWindow, kind: ErrorKind) -> u64 {
    window.errors.get(&kind).copied().unwrap_or(0)
}

#[test]
fn a_prompt_server_answers_every_call_and_counts_the_same() {
    let server = Server::start(prompt);
    let window = run(&order(server.address, 1000.0, Duration::from_secs(1)));
    // What a busy host kept from leaving in time is never sent, and never more than that is missing.
    assert_eq!((window.due, window.ok + window.never_sent), (1000, 1000));
    assert!(window.ok >= 500, "{} answers", window.ok);
    assert_eq!(server.seen.requests.load(Ordering::Relaxed), window.ok);
    assert_eq!(server.seen.connections.load(Ordering::Relaxed), window.connections_opened);
    assert_eq!((window.connections_lost, window.workers_finished), (0, 1));
    assert_eq!(window.bytes_received, window.ok * ANSWER.len() as u64);
    assert_eq!(window.send_error.len(), window.ok);
    let length = window.end_unix_nanos - window.start_unix_nanos;
    assert!((900_000_000..1_200_000_000).contains(&length), "{length}");
}

#[test]
fn eager_opens_all_connections_and_as_needed_only_those_it_needs() {
    let server = Server::start(prompt);
    let mut eager = order(server.address, 100.0, SHORT);
    eager.shape = shape(12, PoolPolicy::Eager);
    assert_eq!(run(&eager).connections_opened, 12);
    let lazy = LoadOrder { shape: shape(12, PoolPolicy::AsNeeded), ..eager };
    assert!(run(&lazy).connections_opened <= 6);
}

#[test]
fn workers_share_the_calls_and_the_connections() {
    let server = Server::start(prompt);
    let mut order = order(server.address, 250.0, SHORT);
    order.workers = 3;
    order.shape = shape(50, PoolPolicy::Eager);
    let window = run(&order);
    assert_eq!((window.due, window.ok, window.connections_opened), (100, 100, 50));
    assert_eq!((window.workers, window.workers_finished), (3, 3));
}

#[test]
fn a_closed_loop_keeps_every_connection_busy() {
    let server = Server::start(|stream, seen: &Seen| {
        while seen.request(stream) {
            thread::sleep(Duration::from_millis(10));
            if stream.write_all(ANSWER).is_err() {
                return;
            }
        }
    });
    let mut order = order(server.address, 1.0, SHORT);
    order.pace = Pace::Closed;
    order.shape = shape(4, PoolPolicy::Eager);
    let window = run(&order);
    assert_eq!((window.due, window.never_sent), (window.ok, 0));
    assert!((40..=164).contains(&window.ok), "{} answers", window.ok);
    assert_eq!(window.in_flight_end, 4);
}

#[test]
fn a_refused_connection_is_an_error_of_every_call() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let window = run(&order(address, 500.0, SHORT));
    let refused = errors(&window, ErrorKind::Connection);
    assert_eq!((window.due, refused + window.never_sent, window.connections_opened), (200, 200, 0));
    assert!(refused >= 100, "{refused} refused");
}

#[test]
fn a_server_that_never_answers_times_every_call_out_and_keeps_the_slots() {
    let server = Server::start(|stream, seen: &Seen| while seen.request(stream) {});
    let mut order = order(server.address, 100.0, SHORT);
    order.timeout_nanos = 100_000_000;
    let window = run(&order);
    assert_eq!((errors(&window, ErrorKind::TimeOut), window.never_sent), (16, 24));
    assert_eq!((window.due, window.in_flight), (40, 0));
}

#[test]
fn calls_that_outlive_the_drain_are_in_flight() {
    let server = Server::start(|stream, seen: &Seen| while seen.request(stream) {});
    let mut order = order(server.address, 20.0, SHORT);
    order.drain_nanos = 50_000_000;
    let window = run(&order);
    assert_eq!((window.due, window.in_flight, window.in_flight_end), (8, 8, 8));
    assert_eq!(window.in_flight_half, 4);
    assert!(window.drained_unix_nanos - window.end_unix_nanos >= 49_000_000);
}

#[test]
fn an_answer_after_the_end_counts_for_the_call_and_not_for_the_window() {
    let server = Server::start(|stream, seen: &Seen| {
        while seen.request(stream) {
            thread::sleep(Duration::from_millis(600));
            if stream.write_all(ANSWER).is_err() {
                return;
            }
        }
    });
    let window = run(&order(server.address, 20.0, SHORT));
    assert_eq!((window.due, window.ok, window.ok_in_window), (8, 8, 0));
}

#[test]
fn a_close_after_each_answer_costs_a_connection_and_no_call() {
    let server = Server::start(|stream, seen: &Seen| {
        if seen.request(stream) {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        }
    });
    let window = run(&order(server.address, 200.0, SHORT));
    assert_eq!((window.due, window.ok), (80, 80));
    assert!(window.connections_opened >= 80, "{}", window.connections_opened);
    assert!(window.connections_lost >= 79, "{}", window.connections_lost);
}

#[test]
fn http_errors_are_counted_by_class() {
    let turn = AtomicU64::new(0);
    let server = Server::start(move |stream, seen: &Seen| {
        while seen.request(stream) {
            let answer = match turn.fetch_add(1, Ordering::Relaxed) % 4 {
                0 => "HTTP/1.1 404 N\r\ncontent-length: 0\r\n\r\n",
                1 => "HTTP/1.1 503 N\r\ncontent-length: 1\r\n\r\nx",
                2 => "HTTP/1.1 302 N\r\ncontent-length: 0\r\n\r\n",
                _ => "HTTP/1.1 204 N\r\n\r\n",
            };
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    });
    let window = run(&order(server.address, 200.0, SHORT));
    let classes = [3, 4, 5].map(|class| errors(&window, ErrorKind::HttpClass(class)));
    assert_eq!((classes, window.ok), ([20, 20, 20], 20));
}

#[test]
fn a_step_can_be_stopped_and_tells_its_real_end() {
    use soak_driver::{Live, Moment, Pairing, Stop, run_order};
    let server = Server::start(prompt);
    let mut order = order(server.address, 500.0, Duration::from_secs(60));
    order.start_unix_nanos = Pairing::read().unix_nanos(Moment::now()) + 20_000_000;
    let (live, stop) = (Live::new(), Stop::new());
    let window = thread::scope(|scope| {
        let running = scope.spawn(|| run_order(&order, &live, &stop));
        while live.read().ok < 50 {
            thread::yield_now();
        }
        stop.end();
        running.join().unwrap().unwrap()
    });
    support::assert_adds_up(&window);
    let length = window.end_unix_nanos - window.start_unix_nanos;
    assert!(length < 30_000_000_000, "{length}");
    assert_eq!(window.due, window.ok + window.never_sent);
    // Calls are due from the order's own start on, however late the worker was there.
    let planned = u64::try_from(window.end_unix_nanos - order.start_unix_nanos).unwrap() / 2_000_000;
    assert!(window.due.abs_diff(planned) <= 1, "{} of {planned}", window.due);
    assert_eq!(live.read().ok, window.ok);
}

#[test]
fn an_order_that_comes_too_late_is_refused() {
    use soak_driver::{DriverError, Live, Stop, run_order};
    let server = Server::start(prompt);
    let error = run_order(&order(server.address, 1.0, SHORT), &Live::new(), &Stop::new()).unwrap_err();
    assert!(matches!(error, DriverError::Late { .. }), "{error}");
}

/// What a server does with one request.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Answer,
    Slowly,
    InPieces,
    Never,
    Reset,
    HalfClose,
    CloseMidHead,
    CloseMidBody,
    Garbage,
    Refuse,
    Twice,
    UntilClose,
}

const DEEDS: [Deed; 12] = [
    Deed::Answer,
    Deed::Slowly,
    Deed::InPieces,
    Deed::Never,
    Deed::Reset,
    Deed::HalfClose,
    Deed::CloseMidHead,
    Deed::CloseMidBody,
    Deed::Garbage,
    Deed::Refuse,
    Deed::Twice,
    Deed::UntilClose,
];

/// Does it. False when the connection is over.
fn perform(deed: Deed, stream: &mut TcpStream) -> bool {
    let mut say = |bytes: &[u8]| stream.write_all(bytes).is_ok();
    match deed {
        Deed::Answer => say(ANSWER),
        Deed::Slowly => {
            thread::sleep(Duration::from_millis(30));
            say(ANSWER)
        }
        Deed::InPieces => ANSWER.chunks(7).all(say),
        Deed::Never => true,
        Deed::Reset => {
            let _ = rustix::net::sockopt::set_socket_linger(&*stream, Some(Duration::ZERO));
            false
        }
        Deed::HalfClose => {
            let _ = stream.shutdown(Shutdown::Write);
            thread::sleep(Duration::from_millis(20));
            false
        }
        Deed::CloseMidHead => {
            say(&ANSWER[..20]);
            false
        }
        Deed::CloseMidBody => {
            say(&ANSWER[..ANSWER.len() - 1]);
            false
        }
        Deed::Garbage => say(b"\x16\x03\x01 this is not it\r\n\r\n"),
        Deed::Refuse => say(b"HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n"),
        Deed::Twice => say(ANSWER) && say(ANSWER),
        Deed::UntilClose => {
            say(b"HTTP/1.1 200 OK\r\n\r\nuntil the end");
            false
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn every_call_ends_exactly_once_whatever_the_server_does(
        deeds in proptest::collection::vec(proptest::sample::select(&DEEDS[..]), 1..12),
        connections in 1_u32..9,
        eager in any::<bool>(),
        spin in any::<bool>(),
        closed in any::<bool>(),
        timeout_millis in 20_i64..200,
    ) {
        // A second answer that comes once the next request is out cannot be told from that one's own.
        let answers_each = if deeds.iter().any(|deed| matches!(deed, Deed::Twice)) { 2 } else { 1 };
        let turn = AtomicU64::new(0);
        let server = Server::start(move |stream, seen: &Seen| {
            while seen.request(stream) {
                let next = usize::try_from(turn.fetch_add(1, Ordering::Relaxed)).unwrap() % deeds.len();
                if !perform(deeds[next], stream) {
                    return;
                }
            }
        });
        let mut order = order(server.address, 1000.0, Duration::from_millis(150));
        order.shape = shape(connections, if eager { PoolPolicy::Eager } else { PoolPolicy::AsNeeded });
        order.idle = if spin { Idle::Spin } else { Idle::Sleep };
        order.timeout_nanos = timeout_millis * 1_000_000;
        order.drain_nanos = 100_000_000;
        if closed {
            order.pace = Pace::Closed;
        }
        let window = run(&order);
        prop_assert!(closed || window.due == 150);
        let requests = server.seen.requests.load(Ordering::Relaxed);
        prop_assert!(window.ok <= requests * answers_each, "{} answers to {requests} requests", window.ok);
    }
}
