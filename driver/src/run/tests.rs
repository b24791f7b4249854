use std::{
    io::{Read, Write},
    net::TcpListener,
    sync::Arc,
    thread,
};

use soak_sample::{
    Arrivals, ArrivalsKind, ClientShape, Idle, LoadOrder, Pace, PoolPolicy, Protocol, Request, Share, Target,
};

use super::{DriverError, allow_files, authority, resolve, run_workers};
use crate::{
    clock::{Moment, Pairing},
    live::{Live, Stop},
    order::tasks,
    protocol::http1::{Bodies, Http1},
    window::{Parts, window},
    worker::Watch,
};

/// Two workers, one connection each, for a fifth of a second, in a moment.
fn order(port: u16) -> LoadOrder {
    LoadOrder {
        version: soak_sample::VERSION.to_owned(),
        id: "test".to_owned(),
        target: Target { host: "127.0.0.1".to_owned(), port },
        protocol: Protocol::Http1,
        request: Request {
            method: "GET".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            content_type: None,
            body: Vec::new(),
        },
        shape: ClientShape {
            connections: 2,
            max_concurrent_streams: 1,
            max_in_flight: 2,
            streams: 0,
            pool: PoolPolicy::Eager,
        },
        pace: Pace::Open { per_second: 100.0, arrivals: Arrivals { kind: ArrivalsKind::Uniform, seed: 0 } },
        share: Share { index: 0, of: 1 },
        workers: 2,
        idle: Idle::Sleep,
        pin_cpus: Vec::new(),
        start_unix_nanos: Pairing::read().unix_nanos(Moment::now()) + 20_000_000,
        duration_nanos: 200_000_000,
        timeout_nanos: 1_000_000_000,
        drain_nanos: 1_000_000_000,
    }
}

#[test]
fn a_worker_that_is_lost_is_missing_in_the_window() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let order = order(listener.local_addr().unwrap().port());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                while stream.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {
                    let _ = stream.write_all(b"HTTP/1.1 204 N\r\n\r\n");
                }
            });
        }
    });
    let pairing = Pairing::read();
    let tasks = tasks(&order, resolve(&order.target).unwrap(), &pairing).unwrap();
    let request: Arc<[u8]> = Arc::from(&b"GET / HTTP/1.1\r\n\r\n"[..]);
    let (live, stop) = (Live::new(), Stop::new());
    let reports = run_workers(tasks, Watch { live: &live, stop: &stop }, |task, _| {
        assert_eq!(task.worker, 0, "the second worker is lost on purpose");
        Http1::new(Arc::clone(&request), Bodies::AsFramed)
    })
    .unwrap();
    let window = window(&Parts { order: &order, pairing: &pairing, reports: &reports });
    assert_eq!((window.workers, window.workers_finished), (2, 1));
    assert_eq!(window.due, 10, "the calls of the worker that finished");
}

#[test]
fn a_cpu_that_is_not_there_is_told() {
    let mut order = order(9);
    order.workers = 1;
    order.pin_cpus = vec![1_000_000];
    let error = super::run_order(&order, &Live::new(), &Stop::new()).unwrap_err();
    assert!(matches!(error, DriverError::Worker { worker: 0, .. }), "{error}");
    assert!(error.to_string().contains("1000000"), "{error}");
}

#[test]
fn more_connections_than_files_are_refused() {
    let mut order = order(9);
    order.shape.connections = 1 << 20;
    order.shape.max_in_flight = 1 << 20;
    match allow_files(&order) {
        Ok(()) => {
            assert!(rustix::process::getrlimit(rustix::process::Resource::Nofile).current.is_none_or(|n| n > 1 << 20));
        }
        Err(error) => assert!(error.to_string().contains("1048640 open files"), "{error}"),
    }
}

#[test]
fn the_authority_is_the_requests_own_host_or_the_target() {
    let check = |host: &str, header: Option<&str>, expected: &str| {
        let mut order = order(80);
        host.clone_into(&mut order.target.host);
        order.request.headers.extend(header.map(|value| ("host".to_owned(), value.to_owned())));
        assert_eq!(authority(&order), expected);
    };
    check("localhost", None, "localhost:80");
    check("::1", None, "[::1]:80");
    check("127.0.0.1", Some("shop.example"), "shop.example");
}
