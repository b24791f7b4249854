//! The driver against servers whose answers can be calculated.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::{
    io::Write,
    thread,
    time::{Duration, Instant},
};

use soak_sample::{Arrivals, ArrivalsKind, DriverWindow, LoadOrder, Pace, PoolPolicy};
use support::{ANSWER, Seen, Server, order, run, shape};

/// Tries that a test has: another process on the machine may hold up driver and server alike, and only ever for the worse.
const TRIES: usize = 6;

/// A server that sends each answer at the time this gives for the time at which the request came.
fn server(answer_at: impl Fn(Duration) -> Duration + Send + Sync + 'static) -> Server {
    let epoch = Instant::now();
    Server::start(move |stream, seen: &Seen| {
        while seen.request(stream) {
            let answer_at = epoch + answer_at(epoch.elapsed());
            // The last stretch is spun: a sleep alone ends late.
            thread::sleep(
                answer_at.saturating_duration_since(Instant::now()).saturating_sub(Duration::from_micros(200)),
            );
            while Instant::now() < answer_at {
                std::hint::spin_loop();
            }
            if stream.write_all(ANSWER).is_err() {
                return;
            }
        }
    })
}

/// Passes if one of the tries does.
fn one_of_a_few(mut attempt: impl FnMut() -> Result<(), String>) {
    let faults: Vec<String> = (0..TRIES).map_while(|_| attempt().err()).collect();
    assert!(faults.len() < TRIES, "{faults:#?}");
}

fn near(what: &str, value: f64, calculated: f64, share: f64) -> Result<(), String> {
    if (value - calculated).abs() <= share * calculated {
        return Ok(());
    }
    Err(format!("{what} is {value:.4}, calculated is {calculated:.4}"))
}

fn never_sent_share(window: &DriverWindow) -> f64 {
    window.never_sent as f64 / window.due as f64
}

#[test]
fn a_server_that_stalls_is_seen_as_it_is() {
    // Answers after 20 ms; for 300 ms of every 2 s it holds all answers back. Whoever asks from 20 ms before the stall to
    // 20 ms before its end waits from 320 ms down to 20 ms: P(latency > x) = (320 ms - x) / 2 s, so p95 = 220 ms and
    // p99 = 300 ms.
    const PERIOD: u128 = 2_000_000_000;
    const STALL: u128 = 300_000_000;
    let server = server(|asked| {
        let ready = asked + Duration::from_millis(20);
        let into = ready.as_nanos() % PERIOD;
        let held = STALL.saturating_sub(into);
        ready + Duration::from_nanos(u64::try_from(held).unwrap())
    });
    let mut order = order(server.address, 250.0, Duration::from_secs(4));
    order.shape = shape(128, PoolPolicy::Eager);
    one_of_a_few(|| {
        let window = run(&order);
        if window.ok != window.due {
            return Err(format!("{} of {} calls were answered", window.ok, window.due));
        }
        let millis = |share: f64| window.latency.quantile(share).unwrap() as f64 / 1e6;
        near("p50", millis(0.50), 20.0, 0.05)?;
        near("p95", millis(0.95), 220.0, 0.05)?;
        near("p99", millis(0.99), 300.0, 0.05)
    });
}

/// 400 calls a second over four connections to a server that takes 20.5 ms for each.
fn too_few_connections(server: &Server, kind: ArrivalsKind) -> LoadOrder {
    let mut order = order(server.address, 400.0, Duration::from_secs(3));
    order.shape = shape(4, PoolPolicy::Eager);
    order.pace = Pace::Open { per_second: 400.0, arrivals: Arrivals { kind, seed: 7 } };
    order
}

fn steady() -> Server {
    server(|asked| asked + Duration::from_micros(20_500))
}

#[test]
fn with_too_few_connections_the_share_never_sent_is_the_calculated_one() {
    // A call is due every 2.5 ms. A connection is busy for 20.5 ms, so it takes every ninth call: 4 of 9 are sent.
    let server = steady();
    let order = too_few_connections(&server, ArrivalsKind::Uniform);
    one_of_a_few(|| {
        let window = run(&order);
        near("share never sent", never_sent_share(&window), 5.0 / 9.0, 0.02)?;
        // Half the calls were never sent, so the median of all calls is not known: the table prints "at least".
        if window.ok >= window.due / 2 {
            return Err(format!("{} of {} calls were answered", window.ok, window.due));
        }
        let p50 = window.latency.quantile(0.5).unwrap() as f64 / 1e6;
        near("p50 of the answered", p50, 20.5, 0.05)
    });
}

#[test]
fn random_arrivals_are_lost_as_erlang_says() {
    // Erlang's loss formula for 4 lines; it holds for any distribution of service times.
    let load: f64 = 400.0 * 0.0205;
    let terms: Vec<f64> = (0..=4)
        .scan(1.0, |term, k| {
            if k > 0 {
                *term *= load / f64::from(k);
            }
            Some(*term)
        })
        .collect();
    let loss = terms[4] / terms.iter().sum::<f64>();
    let server = steady();
    let order = too_few_connections(&server, ArrivalsKind::Poisson);
    one_of_a_few(|| near("share never sent", never_sent_share(&run(&order)), loss, 0.05));
}
