//! One window out of what the workers of an order counted. Pure.

use soak_sample::{DriverWindow, LoadOrder};

use crate::{
    clock::{Moment, Pairing},
    tally::Tally,
    worker::Report,
};

/// What a window is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) order: &'a LoadOrder,
    pub(crate) pairing: &'a Pairing,
    /// Of the workers that finished.
    pub(crate) reports: &'a [Report],
}

/// The window. The step began when its last worker did, and ended when its last one did.
pub(crate) fn window(parts: &Parts<'_>) -> DriverWindow {
    let Parts { order, pairing, reports } = *parts;
    let planned = pairing.moment(order.start_unix_nanos);
    let latest = |time: fn(&Report) -> Moment| pairing.unix_nanos(reports.iter().map(time).max().unwrap_or(planned));
    let mut all = Tally::new(planned, planned, 0);
    for report in reports {
        all.merge(&report.tally);
    }
    DriverWindow {
        version: soak_sample::VERSION.to_owned(),
        order: order.id.clone(),
        workers: order.workers,
        workers_finished: u32::try_from(reports.len()).unwrap_or(u32::MAX),
        start_unix_nanos: latest(|report| report.started),
        end_unix_nanos: latest(|report| report.ended),
        drained_unix_nanos: latest(|report| report.drained),
        due: all.due,
        ok: all.ok,
        ok_in_window: all.ok_in_window,
        errors: all.errors,
        never_sent: all.never_sent,
        in_flight: all.in_flight,
        in_flight_half: all.in_flight_half,
        in_flight_end: all.in_flight_end,
        connections_opened: all.connections_opened,
        connections_lost: all.connections_lost,
        latency: all.latency,
        service: all.service,
        send_error: all.send_error,
        bytes_received: all.bytes_received,
        bytes_sent: all.bytes_sent,
        streams: all.streams,
        busy_nanos: reports.iter().map(|report| report.busy_nanos).sum(),
        seconds: all.seconds,
    }
}
