//! From the client's shape as it is written, and the protocol's defaults, to the client of an arm.

use soak_crds::spec::{Arrivals as WrittenArrivals, Client, Idle as WrittenIdle, Pool, Throttling};
use soak_sample::{Arrivals, ArrivalsKind, ClientShape, Idle, PoolPolicy, Protocol};

use super::{
    PlannedClient,
    layers::{Layers, Refusals, Written},
};

const SECOND: i64 = 1_000_000_000;
const MILLI: i64 = 1_000_000;
/// The longest time-out and drain.
const MOST_WAIT: i64 = 600 * SECOND;
/// Time-out of a call where none is written.
const TIMEOUT: i64 = 30 * SECOND;
/// What a spinning driver needs beside its workers, thousandths of a CPU: without it the slightest helper thread has
/// the spinner throttled.
const SPARE_MILLI: i64 = 200;

/// What a protocol's client is like where nothing is written.
struct Defaults {
    connections: u32,
    /// Calls or messages in flight on one connection or stream.
    each: u32,
    streams: u32,
    in_flight: u32,
    drain_nanos: i64,
}

fn defaults(protocol: Protocol, senders: u32) -> Defaults {
    let unary = Defaults { connections: 8, each: 512, streams: 0, in_flight: 4096, drain_nanos: 5 * SECOND };
    match protocol {
        Protocol::Http1 => Defaults { connections: 256, each: 1, in_flight: 256, ..unary },
        Protocol::Http2 | Protocol::GrpcUnary => unary,
        Protocol::GrpcStream => {
            Defaults { connections: senders, each: 256, streams: 20, in_flight: 5120, drain_nanos: SECOND / 2 }
        }
    }
}

/// The client of an arm, from a lever's, its own and the campaign's fields.
pub(super) fn resolve(layers: &Layers<'_, Client>, protocol: Protocol, refusals: &mut Refusals) -> PlannedClient {
    let workers = count(layers.pick("workers", |c| c.workers), 1, refusals);
    let drivers = count(layers.pick("drivers", |c| c.drivers), 1, refusals);
    let idle = idle(layers);
    let defaults = defaults(protocol, workers.saturating_mul(drivers));
    let shape = shape(layers, protocol, &defaults, refusals);
    senders_have_slots(layers, &shape, workers.saturating_mul(drivers), refusals);
    let expect = layers.pick("expectConnections", |c| c.expect_connections);
    let expect_connections = expect.map(|expect| {
        let connections = refusals.count(&expect);
        if connections > shape.connections {
            refusals.about(&expect, format!("must be at most the {} connections of the client", shape.connections));
        }
        connections
    });
    PlannedClient {
        idle,
        workers,
        drivers,
        arrivals: arrivals(layers),
        expect_connections,
        timeout_nanos: span(layers.pick("timeout", |c| c.timeout.clone()), TIMEOUT, MILLI, refusals),
        drain_nanos: span(layers.pick("drain", |c| c.drain.clone()), defaults.drain_nanos, 0, refusals),
        cpu_milli: cpu(layers, idle, workers, refusals),
        shape,
    }
}

fn count(written: Option<Written<i32>>, default: u32, refusals: &mut Refusals) -> u32 {
    written.map_or(default, |written| refusals.count(&written))
}

fn shape(layers: &Layers<'_, Client>, protocol: Protocol, defaults: &Defaults, refusals: &mut Refusals) -> ClientShape {
    let connections = count(layers.pick("connections", |c| c.connections), defaults.connections, refusals);
    let each = layers.pick("maxConcurrentStreams", |c| c.max_concurrent_streams);
    let streams = layers.pick("streams", |c| c.streams);
    let (each, streams) = match protocol {
        Protocol::Http1 => (defaults.each, defaults.streams),
        Protocol::Http2 | Protocol::GrpcUnary => (count(each, defaults.each, refusals), defaults.streams),
        Protocol::GrpcStream => (count(each, defaults.each, refusals), count(streams, defaults.streams, refusals)),
    };
    let slots = each.saturating_mul(if protocol == Protocol::GrpcStream { streams } else { connections });
    let in_flight = layers.pick("maxInFlight", |c| c.max_in_flight);
    let in_flight = match (in_flight, protocol) {
        (Some(written), _) => refusals.count(&written),
        (None, Protocol::Http1 | Protocol::GrpcStream) => slots,
        (None, Protocol::Http2 | Protocol::GrpcUnary) => defaults.in_flight,
    };
    let pool = match layers.pick("pool", |c| c.pool).map(|pool| pool.value) {
        Some(Pool::Eager) => PoolPolicy::Eager,
        Some(Pool::AsNeeded) | None => PoolPolicy::AsNeeded,
    };
    ClientShape { connections, max_concurrent_streams: each, max_in_flight: in_flight.min(slots), streams, pool }
}

/// Each worker of each driver needs a connection, a stream and a slot of its own.
fn senders_have_slots(layers: &Layers<'_, Client>, shape: &ClientShape, senders: u32, refusals: &mut Refusals) {
    let senders_written = layers.pick("workers", |c| c.workers).or_else(|| layers.pick("drivers", |c| c.drivers));
    let streams = if shape.streams == 0 { senders } else { shape.streams };
    let by_default = || senders_written.clone();
    let slots = [
        (layers.pick("connections", |c| c.connections).or_else(by_default), "connections", shape.connections),
        (layers.pick("streams", |c| c.streams).or_else(by_default), "streams", streams),
        (layers.pick("maxInFlight", |c| c.max_in_flight), "calls in flight", shape.max_in_flight),
    ];
    for (written, name, have) in slots {
        if let Some(at) = written.filter(|_| have < senders) {
            refusals.about(&at, format!("leaves {have} {name} for {senders} workers; each needs at least one"));
        }
    }
}

/// Fields that say nothing about an arm's protocol are refused where they were written for that arm alone.
pub(super) fn refuse_without_meaning(own: &Layers<'_, Client>, protocol: Protocol, refusals: &mut Refusals) {
    let streams = own.pick("streams", |c| c.streams).filter(|_| protocol != Protocol::GrpcStream);
    if let Some(streams) = streams {
        refusals.about(&streams, "has a meaning over GrpcStream alone; leave it out");
    }
    let each = own.pick("maxConcurrentStreams", |c| c.max_concurrent_streams).filter(|_| protocol == Protocol::Http1);
    if let Some(each) = each {
        refusals.about(&each, "has no meaning over HTTP/1.1, which has one call at a time on each connection");
    }
}

fn idle(layers: &Layers<'_, Client>) -> Idle {
    match layers.pick("idle", |c| c.idle).map(|idle| idle.value) {
        Some(WrittenIdle::Sleep) => Idle::Sleep,
        Some(WrittenIdle::Spin) | None => Idle::Spin,
    }
}

fn arrivals(layers: &Layers<'_, Client>) -> Arrivals {
    let kind = match layers.pick("arrivals", |c| c.arrivals).map(|arrivals| arrivals.value) {
        Some(WrittenArrivals::Poisson) => ArrivalsKind::Poisson,
        Some(WrittenArrivals::Uniform) | None => ArrivalsKind::Uniform,
    };
    let seed = layers.pick("seed", |c| c.seed).map_or(1, |seed| seed.value);
    Arrivals { kind, seed: seed.unsigned_abs() }
}

fn span(written: Option<Written<soak_crds::Span>>, default: i64, least: i64, refusals: &mut Refusals) -> i64 {
    written.map_or(default, |written| {
        let nanos = written.value.nanos();
        if !(least..=MOST_WAIT).contains(&nanos) {
            refusals.about(&written, format!("must be {}ms to 10m", least / MILLI));
        }
        nanos.clamp(least, MOST_WAIT)
    })
}

/// The driver's CPU limit. A spinning driver whose limit has no spare is throttled, so it is refused unless the user
/// accepts that.
fn cpu(layers: &Layers<'_, Client>, idle: Idle, workers: u32, refusals: &mut Refusals) -> i64 {
    let least = i64::from(workers) * 1_000
        + match idle {
            Idle::Spin => SPARE_MILLI,
            Idle::Sleep => 0,
        };
    let Some(written) = layers.pick("cpu", |c| c.cpu.clone()) else { return least };
    let accepted = layers.pick("throttling", |c| c.throttling).is_some_and(|t| t.value == Throttling::Accept);
    let milli = written.value.milli();
    if idle == Idle::Spin && milli < least && !accepted {
        let message = format!(
            "must be at least {least}m: a spinning driver needs its workers plus {SPARE_MILLI}m, or it is throttled. \
             Raise it, choose idle: Sleep, or accept it by throttling: Accept"
        );
        refusals.about(&written, message);
    }
    if milli < 10 {
        refusals.about(&written, "must be at least 10m");
    }
    milli.max(10)
}

/// The fields as they were written, merged, without the protocol's defaults.
pub(super) fn merged(layers: &Layers<'_, Client>) -> Client {
    let Layers(all) = layers;
    all.iter().fold(Client::default(), |merged, (_, layer)| {
        let layer = (*layer).clone();
        Client {
            connections: merged.connections.or(layer.connections),
            max_concurrent_streams: merged.max_concurrent_streams.or(layer.max_concurrent_streams),
            max_in_flight: merged.max_in_flight.or(layer.max_in_flight),
            streams: merged.streams.or(layer.streams),
            pool: merged.pool.or(layer.pool),
            idle: merged.idle.or(layer.idle),
            workers: merged.workers.or(layer.workers),
            drivers: merged.drivers.or(layer.drivers),
            arrivals: merged.arrivals.or(layer.arrivals),
            seed: merged.seed.or(layer.seed),
            expect_connections: merged.expect_connections.or(layer.expect_connections),
            timeout: merged.timeout.or(layer.timeout),
            drain: merged.drain.or(layer.drain),
            cpu: merged.cpu.or(layer.cpu),
            throttling: merged.throttling.or(layer.throttling),
        }
    })
}
