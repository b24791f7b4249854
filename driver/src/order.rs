//! What makes an order one that can be carried out, and what each worker's part of it is. Pure: the target's address and
//! the clocks' pairing are arguments.

use std::net::SocketAddr;

use soak_sample::{ClientShape, LoadOrder, Pace, PoolPolicy, Protocol, Request, Share};

use crate::{
    clock::Pairing,
    pace::{PaceError, Schedule, sender},
    worker::{Pacer, Task},
};

/// The largest body, bytes.
pub const LARGEST_BODY: usize = 64 << 20;
/// The most bytes that all requests in flight may hold in this driver.
const MOST_HELD: u64 = 2 << 30;
/// The most connections, calls in flight, streams or workers in one order.
const MOST: u32 = 1 << 20;
/// The longest step, time-out or drain, nanoseconds: thirty days.
const LONGEST: i64 = 30 * 86_400 * 1_000_000_000;

/// Why an order cannot be carried out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OrderError {
    /// The document is of another version.
    #[error("version {0:?} is not {known:?}", known = soak_sample::VERSION)]
    Version(String),
    /// The id is empty, too long, or holds other characters.
    #[error("order id {0:?} is not one to 200 of A-Z, a-z, 0-9, '.', '_', '-'")]
    Id(String),
    /// The rate or the share.
    #[error(transparent)]
    Pace(#[from] PaceError),
    /// A number or span out of bounds.
    #[error("{field} is {value}, allowed is {allowed}")]
    Bounds {
        /// The field, as in the document.
        field: &'static str,
        /// What it is.
        value: String,
        /// What it may be.
        allowed: String,
    },
    /// A part of the request that cannot be sent.
    #[error("request {field} {value:?} cannot be sent over HTTP")]
    Request {
        /// The field.
        field: &'static str,
        /// What it is.
        value: String,
    },
}

/// Checks an order. The first fault that is found is returned.
pub fn check(order: &LoadOrder) -> Result<(), OrderError> {
    if order.version != soak_sample::VERSION {
        return Err(OrderError::Version(order.version.clone()));
    }
    if !is_id(&order.id) {
        return Err(OrderError::Id(order.id.clone()));
    }
    check_request(&order.request)?;
    within("workers", order.workers, 1, 1024)?;
    within("share.of", order.share.of, 1, 1024)?;
    within("share.index", order.share.index, 0, order.share.of - 1)?;
    check_spans(order)?;
    check_shape(order)?;
    if let Pace::Open { per_second, arrivals } = order.pace {
        Schedule::new(per_second, arrivals, order.share)?;
    }
    let pinned = order.pin_cpus.len();
    if pinned != 0 && pinned != order.workers as usize {
        return Err(bounds("pinCpus", &format!("{pinned} CPUs"), "one for each worker, or none"));
    }
    Ok(())
}

/// True for what may be an order's id.
pub(crate) fn is_id(id: &str) -> bool {
    (1..=200).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

fn bounds(field: &'static str, value: &str, allowed: &str) -> OrderError {
    OrderError::Bounds { field, value: value.to_owned(), allowed: allowed.to_owned() }
}

fn within<T: PartialOrd + Copy + std::fmt::Display>(
    field: &'static str,
    value: T,
    low: T,
    high: T,
) -> Result<(), OrderError> {
    if value < low || value > high {
        return Err(bounds(field, &value.to_string(), &format!("{low} to {high}")));
    }
    Ok(())
}

fn check_spans(order: &LoadOrder) -> Result<(), OrderError> {
    within("durationNanos", order.duration_nanos, 1, LONGEST)?;
    within("timeoutNanos", order.timeout_nanos, 1, LONGEST)?;
    within("drainNanos", order.drain_nanos, 0, LONGEST)
}

fn check_shape(order: &LoadOrder) -> Result<(), OrderError> {
    let senders = order.share.of * order.workers;
    let shape = &order.shape;
    within("shape.connections", shape.connections, senders, MOST)?;
    within("shape.maxConcurrentStreams", shape.max_concurrent_streams, 1, MOST)?;
    within("shape.maxInFlight", shape.max_in_flight, senders, MOST)?;
    match order.protocol {
        Protocol::GrpcStream => within("shape.streams", shape.streams, senders, MOST)?,
        Protocol::Http1 | Protocol::Http2 | Protocol::GrpcUnary => within("shape.streams", shape.streams, 0, 0)?,
    }
    let held = order.request.body.len() as u64 * u64::from(shape.max_in_flight.div_ceil(order.share.of));
    if held > MOST_HELD {
        let allowed = format!("bodies of up to {MOST_HELD} bytes together");
        return Err(bounds("shape.maxInFlight", &shape.max_in_flight.to_string(), &allowed));
    }
    Ok(())
}

fn check_request(request: &Request) -> Result<(), OrderError> {
    let refuse = |field, value: &str| Err(OrderError::Request { field, value: value.to_owned() });
    let Request { method, path, headers, content_type, body } = request;
    if !is_token(method) || method == "CONNECT" {
        return refuse("method", method);
    }
    if !path.starts_with('/') || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        return refuse("path", path);
    }
    for (name, value) in headers {
        let ours = ["content-length", "content-type", "transfer-encoding", "te", "upgrade"].contains(&name.as_str());
        if ours || !is_token(name) || name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return refuse("header", name);
        }
        if !is_field_value(value) {
            return refuse("header value", value);
        }
    }
    if let Some(value) = content_type.as_ref().filter(|value| !is_field_value(value)) {
        return refuse("content type", value);
    }
    within("request.body", body.len(), 0, LARGEST_BODY)
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn is_field_value(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte) || byte >= 0x80)
}

/// The part of a whole that is this sender's; the parts of all senders add up to it.
pub(crate) fn part(whole: u32, share: Share) -> u32 {
    whole / share.of + u32::from(share.index < whole % share.of)
}

/// The shape that is this sender's part. Long-lived streams are opened before the step, so all their connections are;
/// and there are no more connections than streams.
fn shape_of_worker(order: &LoadOrder, share: Share) -> ClientShape {
    let ClientShape { connections, max_concurrent_streams, max_in_flight, streams, pool } = order.shape;
    let divided = ClientShape {
        connections: part(connections, share),
        max_concurrent_streams,
        max_in_flight: part(max_in_flight, share),
        streams: part(streams, share),
        pool,
    };
    match order.protocol {
        Protocol::Http1 | Protocol::Http2 | Protocol::GrpcUnary => divided,
        Protocol::GrpcStream => {
            ClientShape { connections: divided.connections.min(divided.streams), pool: PoolPolicy::Eager, ..divided }
        }
    }
}

/// The parts of all workers of this driver.
pub(crate) fn tasks(order: &LoadOrder, target: SocketAddr, pairing: &Pairing) -> Result<Vec<Task>, OrderError> {
    check(order)?;
    (0..order.workers).map(|worker| task(order, target, pairing, worker)).collect()
}

fn task(order: &LoadOrder, target: SocketAddr, pairing: &Pairing, worker: u32) -> Result<Task, OrderError> {
    let share = sender(order.share, worker, order.workers);
    let pacer = match order.pace {
        Pace::Open { per_second, arrivals } => Pacer::Open {
            schedule: Schedule::new(per_second, arrivals, share)?,
            mean_gap_nanos: mean_gap(per_second / f64::from(share.of)),
        },
        Pace::Closed => Pacer::Closed,
    };
    Ok(Task {
        worker,
        target,
        start: pairing.moment(order.start_unix_nanos),
        duration_nanos: order.duration_nanos.unsigned_abs(),
        timeout_nanos: order.timeout_nanos.unsigned_abs(),
        drain_nanos: order.drain_nanos.unsigned_abs(),
        pacer,
        idle: order.idle,
        shape: shape_of_worker(order, share),
        cpu: order.pin_cpus.get(worker as usize).copied(),
    })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rates are bounded from below")]
fn mean_gap(per_second: f64) -> u64 {
    (1e9 / per_second) as u64
}

#[cfg(test)]
mod tests;
