//! Several drivers' windows of one step, merged exactly: counts added, histograms merged, nothing averaged.

use std::collections::BTreeMap;

use soak_sample::{DriverWindow, ErrorKind, Histogram, StreamCounts};

/// One step as all its drivers saw it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drivers {
    /// Calls due per second.
    pub offered: f64,
    /// Calls answered well inside the window, per second.
    pub delivered: f64,
    /// Calls never sent, per second.
    pub knee: f64,
    /// Earliest start, nanoseconds since the epoch.
    pub start: i64,
    /// Latest end, nanoseconds since the epoch.
    pub end: i64,
    /// Between the first start and the last, nanoseconds.
    pub skew: i64,
    pub workers: u32,
    pub workers_finished: u32,
    pub due: u64,
    pub ok: u64,
    pub errors: BTreeMap<ErrorKind, u64>,
    pub never_sent: u64,
    pub in_flight: u64,
    pub in_flight_half: u64,
    pub in_flight_end: u64,
    pub connections: u64,
    pub latency: Histogram,
    pub service: Histogram,
    pub send_error: Histogram,
    pub streams: Option<StreamCounts>,
}

impl Drivers {
    /// Merges the windows; `None` of none, or of one without a length.
    pub(super) fn merge(windows: &[DriverWindow]) -> Option<Self> {
        let (first, rest) = windows.split_first()?;
        rest.iter().try_fold(Self::of(first)?, |merged, window| Some(merged.and(&Self::of(window)?)))
    }

    fn of(window: &DriverWindow) -> Option<Self> {
        let seconds = (window.end_unix_nanos.checked_sub(window.start_unix_nanos)?) as f64 / 1e9;
        let rate = |count: u64| count as f64 / seconds;
        (seconds > 0.0).then(|| Self {
            offered: rate(window.due),
            delivered: rate(window.ok_in_window),
            knee: rate(window.never_sent),
            start: window.start_unix_nanos,
            end: window.end_unix_nanos,
            skew: 0,
            workers: window.workers,
            workers_finished: window.workers_finished,
            due: window.due,
            ok: window.ok,
            errors: window.errors.clone(),
            never_sent: window.never_sent,
            in_flight: window.in_flight,
            in_flight_half: window.in_flight_half,
            in_flight_end: window.in_flight_end,
            connections: window.connections_opened,
            latency: window.latency.clone(),
            service: window.service.clone(),
            send_error: window.send_error.clone(),
            streams: window.streams,
        })
    }

    fn and(mut self, other: &Self) -> Self {
        let last_start = (self.start + self.skew).max(other.start);
        self.offered += other.offered;
        self.delivered += other.delivered;
        self.knee += other.knee;
        self.start = self.start.min(other.start);
        self.end = self.end.max(other.end);
        self.skew = last_start - self.start;
        self.workers += other.workers;
        self.workers_finished += other.workers_finished;
        self.due += other.due;
        self.ok += other.ok;
        for (kind, count) in &other.errors {
            *self.errors.entry(*kind).or_default() += count;
        }
        self.never_sent += other.never_sent;
        self.in_flight += other.in_flight;
        self.in_flight_half += other.in_flight_half;
        self.in_flight_end += other.in_flight_end;
        self.connections += other.connections;
        self.latency.merge(&other.latency);
        self.service.merge(&other.service);
        self.send_error.merge(&other.send_error);
        self.streams = match (self.streams, other.streams) {
            (Some(one), Some(two)) => Some(add(one, two)),
            (one, two) => one.or(two),
        };
        self
    }

    /// Calls that ended, whichever way.
    pub(super) fn ended(&self) -> u64 {
        self.ok + self.errors.values().sum::<u64>() + self.never_sent + self.in_flight
    }

    /// Mean of the calls in flight that were answered: their rate times the time that each took (Little's law). Samples of
    /// what is in flight would beat with evenly spaced calls.
    pub(super) fn in_flight_mean(&self) -> Option<f64> {
        let spent = self.service.mean()? * self.service.len() as f64;
        Some(spent / (self.seconds() * 1e9))
    }

    /// Length of the step, seconds.
    pub(super) fn seconds(&self) -> f64 {
        (self.end - self.start) as f64 / 1e9
    }
}

fn add(one: StreamCounts, two: StreamCounts) -> StreamCounts {
    let StreamCounts { opened, closed_ok, closed_badly, resets, open_after_drain, write_blocked } = two;
    StreamCounts {
        opened: one.opened + opened,
        closed_ok: one.closed_ok + closed_ok,
        closed_badly: one.closed_badly + closed_badly,
        resets: one.resets + resets,
        open_after_drain: one.open_after_drain + open_after_drain,
        write_blocked: one.write_blocked + write_blocked,
    }
}
