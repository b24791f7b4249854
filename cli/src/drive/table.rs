//! The outcome of `soak drive` as text for people.

use std::io::{self, Write};

use soak_sample::{ArrivalsKind, DriverWindow, LoadOrder, Pace};

use super::outcome::{Outcome, Percentiles};
use crate::tables::number::{NOT_KNOWN, rate, three_digits, whole};

/// Prints it to standard output.
pub(super) fn print(order: &LoadOrder, window: &DriverWindow, outcome: &Outcome) -> io::Result<()> {
    io::stdout().lock().write_all(text(order, window, outcome).as_bytes())
}

fn text(order: &LoadOrder, window: &DriverWindow, outcome: &Outcome) -> String {
    let mut lines = vec![heading(order, outcome), String::new()];
    lines.push(format!("{:<12}{}", "calls", calls(outcome)));
    for (kind, count) in &outcome.errors {
        lines.push(format!("{:<12}{} {kind}", "", whole(*count)));
    }
    lines.push(format!("{:<12}{}/s of {}/s offered", "delivered", rate(outcome.delivered), rate(outcome.offered)));
    lines.push(format!(
        "{:<12}{} opened, {} lost",
        "connections",
        whole(outcome.connections),
        whole(outcome.connections_lost)
    ));
    if let Some(streams) = &outcome.streams {
        lines.push(format!(
            "{:<12}{} opened, {} closed well, {} badly, {} reset, {} open after the drain, {} times blocked",
            "streams",
            whole(streams.opened),
            whole(streams.closed_ok),
            whole(streams.closed_badly),
            whole(streams.resets),
            whole(streams.open_after_drain),
            whole(streams.write_blocked),
        ));
    }
    lines.push(format!("{:<12}{} per call delivered", "CPU", micros(outcome.cpu_micros_per_request)));
    lines.push(String::new());
    lines.push(row("µs", &["p50", "p90", "p95", "p99", "p99.9", "max"].map(str::to_owned)));
    lines.push(row("latency", &cells(&outcome.latency_micros, &outcome.at_least)));
    lines.push(row("service", &cells(&outcome.service_micros, &[])));
    lines.push(row("send error", &cells(&outcome.send_error_micros, &[])));
    lines.push(String::new());
    lines.push(note(order).to_owned());
    if window.workers_finished < window.workers {
        lines.push(format!(
            "Only {} of {} workers finished: these numbers are void.",
            window.workers_finished, window.workers
        ));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn heading(order: &LoadOrder, outcome: &Outcome) -> String {
    let pace = match order.pace {
        Pace::Open { per_second, arrivals } => {
            let kind = match arrivals.kind {
                ArrivalsKind::Uniform => "uniform".to_owned(),
                ArrivalsKind::Poisson => format!("Poisson, seed {}", arrivals.seed),
            };
            format!("open loop, {}/s {kind}", rate(per_second))
        }
        Pace::Closed => "closed loop".to_owned(),
    };
    format!(
        "{:?} {}:{}{} · {pace} · {} s · up to {} connections ({:?}) · {} in flight · {} worker{} ({:?}) · body {} B",
        order.protocol,
        order.target.host,
        order.target.port,
        order.request.path,
        three_digits(outcome.seconds),
        whole(order.shape.connections),
        order.shape.pool,
        whole(order.shape.max_in_flight),
        order.workers,
        if order.workers == 1 { "" } else { "s" },
        order.idle,
        whole(order.request.body.len() as u64),
    )
}

fn calls(outcome: &Outcome) -> String {
    let failed: u64 = outcome.errors.values().sum();
    format!(
        "{} due = {} ok + {} failed + {} never sent + {} in flight",
        whole(outcome.scheduled),
        whole(outcome.ok),
        whole(failed),
        whole(outcome.never_sent),
        whole(outcome.in_flight),
    )
}

fn note(order: &LoadOrder) -> &'static str {
    match order.pace {
        Pace::Open { .. } => {
            "latency: from the time a call was due, over all calls due. service: from its actual send, calls answered well."
        }
        Pace::Closed => {
            "Closed loop: a slow answer delays the next call, so these latencies say nothing of an open loop's."
        }
    }
}

fn row(name: &str, cells: &[String; 6]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>11}")).collect();
    format!("{name:<12}{}", cells.concat())
}

fn cells(percentiles: &Percentiles, at_least: &[&str]) -> [String; 6] {
    let Percentiles { p50, p90, p95, p99, p999, max } = percentiles;
    [("p50", p50), ("p90", p90), ("p95", p95), ("p99", p99), ("p999", p999), ("max", max)].map(|(name, value)| {
        let bound = if at_least.contains(&name) { "≥" } else { "" };
        value.map_or_else(|| NOT_KNOWN.to_owned(), |value| format!("{bound}{}", three_digits(value)))
    })
}

fn micros(value: Option<f64>) -> String {
    value.map_or_else(|| NOT_KNOWN.to_owned(), |value| format!("{} µs", three_digits(value)))
}
