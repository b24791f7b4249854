//! Carries out one order: resolves the target, starts a thread for each worker, waits for them, merges what they counted.
//! The calling thread does nothing meanwhile.

use std::{
    net::{SocketAddr, ToSocketAddrs},
    num::NonZeroU64,
    sync::Arc,
    thread,
};

use rustix::{
    process::{Resource, Rlimit, getrlimit, setrlimit},
    thread::{CpuSet, sched_setaffinity, set_current_timer_slack},
};
use soak_sample::{DriverWindow, LoadOrder, Protocol, Target};

use crate::{
    clock::{Moment, Pairing},
    live::{Live, Stop},
    order::{OrderError, tasks},
    protocol::{
        Session,
        grpc_stream::GrpcStreamSession,
        grpc_unary::GrpcUnarySession,
        http1::{self, Http1},
        http2::{Blueprint, Http2Session, RequestTemplate, Windows},
    },
    window::{Parts, window},
    worker::{Report, Task, Watch, Worker},
};

/// Orders whose start has passed by more than this are refused: what was due meanwhile would leave all at once.
const LATEST_START: u64 = 1_000_000_000;
/// Files a driver needs besides its connections.
const OTHER_FILES: u64 = 64;

/// Why an order was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The order is wrong.
    #[error("order refused: {0}")]
    Order(#[from] OrderError),
    /// The target's name has no address.
    #[error("target {host}:{port} has no address: {why}")]
    Target {
        /// Its host.
        host: String,
        /// Its port.
        port: u16,
        /// What the resolver said.
        why: String,
    },
    /// The order came too late.
    #[error("the step's start has passed by {millis} ms")]
    Late {
        /// By how much.
        millis: u64,
    },
    /// The process may not open as many files as there are connections.
    #[error("{needed} open files are needed, the limit is {limit}")]
    Files {
        /// Files needed.
        needed: u64,
        /// The hard limit.
        limit: u64,
    },
    /// A thread could not be set up.
    #[error("worker {worker} could not be set up: {why}")]
    Worker {
        /// Which.
        worker: u32,
        /// What the system said.
        why: String,
    },
}

/// Carries out an order, from before its start until its drain is over. Blocks. The counts so far can be read in `live`;
/// `stop` ends the step early. A worker that is lost is missing in the window's `workers_finished`.
pub fn run_order(order: &LoadOrder, live: &Live, stop: &Stop) -> Result<DriverWindow, DriverError> {
    crate::order::check(order)?;
    let target = resolve(&order.target)?;
    allow_files(order)?;
    let pairing = Pairing::read();
    let tasks = tasks(order, target, &pairing)?;
    let late = tasks.first().map_or(0, |task| Moment::now().since(task.start));
    if late > LATEST_START {
        return Err(DriverError::Late { millis: late / 1_000_000 });
    }
    let reports = run_tasks(order, tasks, Watch { live, stop })?;
    Ok(window(&Parts { order, pairing: &pairing, reports: &reports }))
}

fn run_tasks(order: &LoadOrder, tasks: Vec<Task>, watch: Watch<'_>) -> Result<Vec<Report>, DriverError> {
    let authority = authority(order);
    match order.protocol {
        Protocol::Http1 => {
            let request: Arc<[u8]> = http1::encode(&order.request, &authority).into();
            let bodies = http1::Bodies::of(&order.request.method);
            run_workers(tasks, watch, |_, _| Http1::new(Arc::clone(&request), bodies))
        }
        Protocol::Http2 => {
            let blueprint = blueprint(RequestTemplate::http(&order.request, &authority), order);
            run_workers(tasks, watch, |_, _| Http2Session::new(&blueprint))
        }
        Protocol::GrpcUnary => {
            let blueprint = blueprint(RequestTemplate::grpc(&order.request, &authority), order);
            run_workers(tasks, watch, |_, _| GrpcUnarySession::new(&blueprint))
        }
        Protocol::GrpcStream => {
            let blueprint = blueprint(RequestTemplate::grpc(&order.request, &authority), order);
            run_workers(tasks, watch, |task, place| GrpcStreamSession::new(&blueprint, task.streams_on(place)))
        }
    }
}

/// Runs all workers at once. Those that are lost are missing in the result.
fn run_workers<S, F>(tasks: Vec<Task>, watch: Watch<'_>, make: F) -> Result<Vec<Report>, DriverError>
where
    S: Session,
    F: Fn(&Task, u32) -> S + Sync,
{
    thread::scope(|scope| {
        let make = &make;
        let mut threads = Vec::new();
        for task in tasks {
            let number = task.worker;
            let failed = |why: String| {
                watch.stop.abandon();
                DriverError::Worker { worker: number, why }
            };
            let thread = thread::Builder::new()
                .name(format!("soak-send-{number}"))
                .spawn_scoped(scope, move || run_worker(task, watch, make))
                .map_err(|error| failed(error.to_string()))?;
            threads.push((number, thread));
        }
        let mut reports = Vec::new();
        for (worker, thread) in threads {
            match thread.join() {
                Ok(Ok(report)) => reports.push(report),
                Ok(Err(why)) => return Err(DriverError::Worker { worker, why }),
                Err(_) => {}
            }
        }
        Ok(reports)
    })
}

fn run_worker<S, F>(task: Task, watch: Watch<'_>, make: &F) -> Result<Report, String>
where
    S: Session,
    F: Fn(&Task, u32) -> S,
{
    let set_up = |task: Task| -> Result<_, String> {
        if let Some(cpu) = task.cpu {
            pin(cpu)?;
        }
        // Without it the kernel may be 50 µs late by choice. Where it is not allowed, lateness shows in the send error.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        let own = task.clone();
        Worker::new(task, move |place| make(&own, place), watch).map_err(|error| error.to_string())
    };
    match set_up(task) {
        Ok(worker) => Ok(worker.run()),
        Err(why) => {
            watch.stop.abandon();
            Err(why)
        }
    }
}

fn pin(cpu: u32) -> Result<(), String> {
    let mut cpus = CpuSet::new();
    let index = cpu as usize;
    if index >= CpuSet::MAX_CPU {
        return Err(format!("there is no CPU {cpu}"));
    }
    cpus.set(index);
    sched_setaffinity(None, &cpus).map_err(|error| format!("cannot be pinned to CPU {cpu}: {error}"))
}

/// The request's own `host`, else `host:port`, an IPv6 address in brackets.
fn authority(order: &LoadOrder) -> String {
    let Target { host, port } = &order.target;
    let own = order.request.headers.iter().find(|(name, _)| name == "host");
    match own {
        Some((_, value)) => value.clone(),
        None if host.contains(':') => format!("[{host}]:{port}"),
        None => format!("{host}:{port}"),
    }
}

fn blueprint(template: RequestTemplate, order: &LoadOrder) -> Blueprint {
    let max_concurrent_streams = order.shape.max_concurrent_streams;
    Blueprint { template: Arc::new(template), max_concurrent_streams, windows: Windows::default() }
}

/// The first address of the target.
pub fn resolve(target: &Target) -> Result<SocketAddr, DriverError> {
    let Target { host, port } = target;
    let failed = |why: String| DriverError::Target { host: host.clone(), port: *port, why };
    let mut addresses = (host.as_str(), *port).to_socket_addrs().map_err(|error| failed(error.to_string()))?;
    addresses.next().ok_or_else(|| failed("the name has none".to_owned()))
}

/// Raises the limit of open files to what the order needs.
fn allow_files(order: &LoadOrder) -> Result<(), DriverError> {
    let needed = u64::from(order.shape.connections.div_ceil(order.share.of)) + OTHER_FILES;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    let highest = limit.maximum.unwrap_or(u64::MAX);
    let raised = Rlimit { current: Some(needed), maximum: limit.maximum };
    if needed > highest || setrlimit(Resource::Nofile, raised).is_err() {
        return Err(DriverError::Files { needed, limit: highest });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
