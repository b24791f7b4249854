//! Real servers on loopback that follow a script, and orders for them.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use soak_driver::{Live, Moment, Pairing, Stop, run_order};
use soak_sample::{
    Arrivals, ArrivalsKind, ClientShape, DriverWindow, Idle, LoadOrder, Pace, PoolPolicy, Protocol, Request, Share,
    Target,
};

/// What a server does with a connection.
pub type Script = dyn Fn(&mut TcpStream, &Seen) + Send + Sync;

/// What a server has seen.
#[derive(Debug, Default)]
pub struct Seen {
    pub connections: AtomicU64,
    pub requests: AtomicU64,
    stopped: AtomicBool,
}

/// A server with a thread for each connection; it stops when dropped.
pub struct Server {
    pub address: SocketAddr,
    pub seen: Arc<Seen>,
}

impl Server {
    pub fn start(script: impl Fn(&mut TcpStream, &Seen) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let script: Arc<Script> = Arc::new(script);
        let accepted = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if accepted.stopped.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(mut stream) = stream else { continue };
                stream.set_nodelay(true).unwrap();
                stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
                accepted.connections.fetch_add(1, Ordering::Relaxed);
                let (script, seen) = (Arc::clone(&script), Arc::clone(&accepted));
                thread::spawn(move || script(&mut stream, &seen));
            }
        });
        Self { address, seen }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.seen.stopped.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

impl Seen {
    /// Waits for a request without a body. False once the client is gone or the server stopped.
    pub fn request(&self, stream: &mut TcpStream) -> bool {
        let mut last = [0_u8; 4];
        let mut byte = [0_u8; 512];
        loop {
            match stream.read(&mut byte) {
                Ok(0) => return false,
                Ok(read) => {
                    for byte in &byte[..read] {
                        last.rotate_left(1);
                        last[3] = *byte;
                    }
                    if &last == b"\r\n\r\n" {
                        self.requests.fetch_add(1, Ordering::Relaxed);
                        return true;
                    }
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if self.stopped.load(Ordering::Relaxed) {
                        return false;
                    }
                }
                Err(_) => return false,
            }
        }
    }
}

pub const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// Answers everything at once.
pub fn prompt(stream: &mut TcpStream, seen: &Seen) {
    while seen.request(stream) {
        if stream.write_all(ANSWER).is_err() {
            return;
        }
    }
}

/// An order of this rate and length to a server: HTTP/1.1, one worker that sleeps.
pub fn order(address: SocketAddr, per_second: f64, duration: Duration) -> LoadOrder {
    LoadOrder {
        version: soak_sample::VERSION.to_owned(),
        id: "test".to_owned(),
        target: Target { host: address.ip().to_string(), port: address.port() },
        protocol: Protocol::Http1,
        request: Request {
            method: "GET".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            content_type: None,
            body: Vec::new(),
        },
        shape: shape(16, PoolPolicy::AsNeeded),
        pace: Pace::Open { per_second, arrivals: Arrivals { kind: ArrivalsKind::Uniform, seed: 1 } },
        share: Share { index: 0, of: 1 },
        workers: 1,
        idle: Idle::Sleep,
        pin_cpus: Vec::new(),
        start_unix_nanos: 0,
        duration_nanos: i64::try_from(duration.as_nanos()).unwrap(),
        timeout_nanos: 5_000_000_000,
        drain_nanos: 2_000_000_000,
    }
}

pub fn shape(connections: u32, pool: PoolPolicy) -> ClientShape {
    ClientShape { connections, max_concurrent_streams: 1, max_in_flight: connections, streams: 0, pool }
}

/// Carries out an order that starts in a moment.
pub fn run(order: &LoadOrder) -> DriverWindow {
    let start = Pairing::read().unix_nanos(Moment::now()) + 30_000_000;
    let order = LoadOrder { start_unix_nanos: start, ..order.clone() };
    let window = run_order(&order, &Live::new(), &Stop::new()).unwrap();
    assert_adds_up(&window);
    window
}

/// Each call ended in exactly one counter.
pub fn assert_adds_up(window: &DriverWindow) {
    let failed: u64 = window.errors.values().sum();
    let sum = window.ok + failed + window.never_sent + window.in_flight;
    assert_eq!(window.due, sum, "{window:?}");
    assert_eq!(window.latency.len(), window.ok);
    assert_eq!(window.service.len(), window.ok);
    assert!(window.send_error.len() <= window.due - window.never_sent);
    let seconds = |count: fn(&soak_sample::DriverSecond) -> u64| window.seconds.iter().map(count).sum::<u64>();
    assert_eq!(seconds(|second| second.due), window.due);
    assert_eq!(seconds(|second| second.ok), window.ok);
    assert_eq!(seconds(|second| second.failed), failed);
    assert_eq!(seconds(|second| second.never_sent), window.never_sent);
    assert!(window.ok_in_window <= window.ok);
}
