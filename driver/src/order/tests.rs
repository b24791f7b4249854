use soak_sample::{
    Arrivals, ArrivalsKind, ClientShape, Idle, LoadOrder, Pace, PoolPolicy, Protocol, Request, Share, Target,
};

use super::{check, part, tasks};
use crate::{clock::Pairing, worker::Pacer};

fn order() -> LoadOrder {
    LoadOrder {
        version: soak_sample::VERSION.to_owned(),
        id: "run-1.step_2".to_owned(),
        target: Target { host: "127.0.0.1".to_owned(), port: 80 },
        protocol: Protocol::Http1,
        request: Request {
            method: "POST".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            content_type: None,
            body: b"{}".to_vec(),
        },
        shape: ClientShape {
            connections: 10,
            max_concurrent_streams: 1,
            max_in_flight: 11,
            streams: 0,
            pool: PoolPolicy::AsNeeded,
        },
        pace: Pace::Open { per_second: 1000.0, arrivals: Arrivals { kind: ArrivalsKind::Uniform, seed: 0 } },
        share: Share { index: 0, of: 1 },
        workers: 1,
        idle: Idle::Spin,
        pin_cpus: Vec::new(),
        start_unix_nanos: 0,
        duration_nanos: 1_000_000_000,
        timeout_nanos: 1_000_000_000,
        drain_nanos: 0,
    }
}

#[test]
fn a_right_order_is_accepted() {
    assert_eq!(check(&order()), Ok(()));
}

#[test]
fn each_fault_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut LoadOrder), expected: &str| {
        let mut order = order();
        change(&mut order);
        let message = check(&order).unwrap_err().to_string();
        assert!(message.contains(expected), "{message:?} does not name {expected:?}");
    };
    refused(&|order| order.version = "v0".to_owned(), "version");
    refused(&|order| order.id = "a/b".to_owned(), "order id");
    refused(&|order| order.id = String::new(), "order id");
    refused(&|order| order.request.method = "GET /".to_owned(), "method");
    refused(&|order| order.request.method = "CONNECT".to_owned(), "method");
    refused(&|order| order.request.path = "x".to_owned(), "path");
    refused(&|order| order.request.path = "/ HTTP/1.1\r\nx: y".to_owned(), "path");
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    refused(&|order| order.request.headers = vec![header("x y", "")], "header");
    refused(&|order| order.request.headers = vec![header("X-Upper", "")], "header");
    refused(&|order| order.request.headers = vec![header("content-length", "9")], "header");
    refused(&|order| order.request.headers = vec![header("x", "a\r\nb: c")], "header value");
    refused(&|order| order.request.content_type = Some("a\nb".to_owned()), "content type");
    refused(
        &|order| {
            order.pace = Pace::Open { per_second: 0.0, arrivals: Arrivals { kind: ArrivalsKind::Poisson, seed: 1 } }
        },
        "rate",
    );
    refused(&|order| order.share = Share { index: 1, of: 1 }, "share.index");
    refused(&|order| order.share = Share { index: 0, of: 0 }, "share.of");
    refused(&|order| order.workers = 0, "workers");
    refused(&|order| order.workers = 11, "shape.connections");
    refused(&|order| order.shape.max_in_flight = 0, "shape.maxInFlight");
    refused(&|order| order.shape.streams = 3, "shape.streams");
    refused(&|order| order.protocol = Protocol::GrpcStream, "shape.streams");
    refused(&|order| order.duration_nanos = 0, "durationNanos");
    refused(&|order| order.timeout_nanos = -1, "timeoutNanos");
    refused(&|order| order.pin_cpus = vec![0, 1], "pinCpus");
    refused(
        &|order| {
            order.request.body = vec![0; 1 << 20];
            order.shape.max_in_flight = 10_000;
        },
        "shape.maxInFlight",
    );
}

#[test]
fn parts_add_up_to_the_whole() {
    for whole in 0..40 {
        for of in 1..9 {
            let parts: Vec<u32> = (0..of).map(|index| part(whole, Share { index, of })).collect();
            assert_eq!(parts.iter().sum::<u32>(), whole);
            assert!(parts.iter().max().unwrap() - parts.iter().min().unwrap() <= 1);
        }
    }
}

#[test]
fn drivers_and_workers_divide_connections_and_calls_between_them() {
    let mut all = Vec::new();
    for index in 0..2 {
        let order = LoadOrder { share: Share { index, of: 2 }, workers: 2, ..order() };
        all.extend(tasks(&order, "127.0.0.1:80".parse().unwrap(), &Pairing::read()).unwrap());
    }
    assert_eq!(all.iter().map(|task| task.shape.connections).sum::<u32>(), 10);
    assert_eq!(all.iter().map(|task| task.shape.max_in_flight).sum::<u32>(), 11);
    let mut first: Vec<u64> = all
        .iter()
        .map(|task| match &task.pacer {
            Pacer::Open { schedule, mean_gap_nanos } => {
                assert_eq!(*mean_gap_nanos, 4_000_000);
                schedule.due()
            }
            Pacer::Closed => panic!("an open loop was ordered"),
        })
        .collect();
    first.sort_unstable();
    assert_eq!(first, [0, 1_000_000, 2_000_000, 3_000_000]);
}
