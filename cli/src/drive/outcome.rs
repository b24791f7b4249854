//! What a step came to, as numbers: percentiles over all calls due, rates, cost. Pure. Its JSON is what scripts rely on.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use serde::Serialize;
use soak_sample::{DriverWindow, ErrorKind, Histogram, LoadOrder, Pace, StreamCounts};

/// The percentiles that are told, with the share of calls at or below them in thousandths.
const RANKS: [(&str, u64); 6] = [("p50", 500), ("p90", 900), ("p95", 950), ("p99", 990), ("p999", 999), ("max", 1000)];

/// Percentiles, microseconds; `null` where no call tells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Percentiles {
    pub(super) p50: Option<f64>,
    pub(super) p90: Option<f64>,
    pub(super) p95: Option<f64>,
    pub(super) p99: Option<f64>,
    pub(super) p999: Option<f64>,
    pub(super) max: Option<f64>,
}

/// What a step came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    /// `open` or `closed`.
    #[serde(rename = "loop")]
    pub(super) kind: &'static str,
    /// Calls due per second, as realised; on a closed loop calls made.
    pub(super) offered: f64,
    /// Calls due. Always `ok + Σ errors + neverSent + inFlight`.
    pub(super) scheduled: u64,
    pub(super) ok: u64,
    pub(super) errors: BTreeMap<ErrorKind, u64>,
    pub(super) never_sent: u64,
    pub(super) in_flight: u64,
    /// Calls answered well inside the window, per second.
    pub(super) delivered: f64,
    pub(super) connections: u64,
    pub(super) connections_lost: u64,
    /// From the due time, over all calls due.
    pub(super) latency_micros: Percentiles,
    /// Those of `latency_micros` that are lower bounds: their rank falls among calls that were not answered well.
    pub(super) at_least: Vec<&'static str>,
    /// From the actual send, over the calls answered well.
    pub(super) service_micros: Percentiles,
    /// From the due time to the actual send, over the calls sent.
    pub(super) send_error_micros: Percentiles,
    /// CPU time of the workers in the window, less what was spent spinning idle, per call delivered.
    pub(super) cpu_micros_per_request: Option<f64>,
    pub(super) bytes_sent: u64,
    pub(super) bytes_received: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) streams: Option<StreamCounts>,
    /// The length of the window.
    pub(super) seconds: f64,
}

impl Outcome {
    pub(super) fn new(order: &LoadOrder, window: &DriverWindow) -> Self {
        let length = window.end_unix_nanos.saturating_sub(window.start_unix_nanos).max(1);
        let seconds = length as f64 / 1e9;
        let (latency_micros, at_least) = over_all(&window.latency, window.due);
        let delivered_calls = window.ok_in_window;
        Self {
            kind: match order.pace {
                Pace::Open { .. } => "open",
                Pace::Closed => "closed",
            },
            offered: window.due as f64 / seconds,
            scheduled: window.due,
            ok: window.ok,
            errors: window.errors.clone(),
            never_sent: window.never_sent,
            in_flight: window.in_flight,
            delivered: delivered_calls as f64 / seconds,
            connections: window.connections_opened,
            connections_lost: window.connections_lost,
            latency_micros,
            at_least,
            service_micros: over_all(&window.service, window.service.len()).0,
            send_error_micros: over_all(&window.send_error, window.send_error.len()).0,
            cpu_micros_per_request: (delivered_calls > 0)
                .then(|| window.busy_nanos as f64 / 1000.0 / delivered_calls as f64),
            bytes_sent: window.bytes_sent,
            bytes_received: window.bytes_received,
            streams: window.streams,
            seconds,
        }
    }

    /// Writes the JSON to standard output.
    pub(super) fn print_json(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer_pretty(&mut out, self)?;
        writeln!(out)
    }
}

/// Percentiles over `all` calls, of which those in the histogram are the fastest: the others have no end. Where a rank
/// falls among the others, it is the largest known value and named as a lower bound.
fn over_all(histogram: &Histogram, all: u64) -> (Percentiles, Vec<&'static str>) {
    let mut at_least = Vec::new();
    let mut values = RANKS.map(|(name, share)| {
        let rank = (u128::from(all) * u128::from(share)).div_ceil(1000);
        let rank = u64::try_from(rank).unwrap_or(u64::MAX).max(1);
        if rank > histogram.len() && all > 0 {
            at_least.push(name);
        }
        let nanos = if share == 1000 { histogram.max() } else { histogram.at_rank(rank.min(histogram.len())) };
        nanos.map(|nanos| (nanos as f64 / 100.0).round() / 10.0)
    });
    let [p50, p90, p95, p99, p999, max] = &mut values;
    let take = Option::take;
    let percentiles = Percentiles {
        p50: take(p50),
        p90: take(p90),
        p95: take(p95),
        p99: take(p99),
        p999: take(p999),
        max: take(max),
    };
    (percentiles, at_least)
}

#[cfg(test)]
mod tests {
    use soak_sample::Histogram;

    use super::over_all;

    fn histogram(count: u64) -> Histogram {
        let mut histogram = Histogram::new();
        (1..=count).for_each(|value| histogram.record(value * 1000));
        histogram
    }

    /// Equal within the three digits that a histogram keeps.
    fn assert_is(told: Option<f64>, expected: f64) {
        assert!(told.is_some_and(|told| (told / expected - 1.0).abs() < 0.001), "{told:?} is not {expected}");
    }

    #[test]
    fn percentiles_are_those_of_all_calls_due() {
        let (all_ok, none) = over_all(&histogram(1000), 1000);
        assert_is(all_ok.p50, 500.0);
        assert_is(all_ok.max, 1000.0);
        assert_eq!(none.len(), 0);
        let (half_ok, bounds) = over_all(&histogram(500), 1000);
        assert_is(half_ok.p50, 500.0);
        assert_is(half_ok.p90, 500.0);
        assert_eq!(bounds, ["p90", "p95", "p99", "p999", "max"]);
    }

    #[test]
    fn nothing_known_is_null_and_not_zero() {
        let (unknown, bounds) = over_all(&Histogram::new(), 10);
        assert_eq!((unknown.p50, unknown.max, bounds.len()), (None, None, 6));
        assert_eq!(over_all(&Histogram::new(), 0).1.len(), 0);
    }
}
