//! From one step's windows to its row and signals. In: what was ordered, what drivers and witness saw. What cannot be
//! told is absent, with its reason; nothing is judged here.

use soak_crds::spec::JudgeBounds;
use soak_sample::{CpuSource, DriverWindow, Protocol, WitnessWindow};

use super::drivers::Drivers;
use super::number::thousandth;
use super::percentile::{Ranked, micros, over_answers, over_due, rank};
use super::witnessed::{ArmUse, Witnessed};
use super::{AtLeast, Check, Growth, QuotaUse, Row, SendError, Signals};
use crate::plan::{PlannedClient, PlannedStep, StepKind};

/// Share of the step that an edge's reading may be off before CPU per request is n/a.
const EDGE: f64 = 0.02;

/// One step's windows.
#[derive(Debug, Clone, Copy)]
pub struct StepSamples<'a> {
    /// The step as it was ordered.
    pub step: PlannedStep,
    /// What each driver saw, as many as could be had.
    pub drivers: &'a [DriverWindow],
    /// What the witness saw; absent where there was none.
    pub witness: Option<&'a WitnessWindow>,
    /// End of the step before, before its drain, nanoseconds since the epoch; absent for a part's first step.
    pub previous_end_unix_nanos: Option<i64>,
}

/// What is the same for all steps of a run.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The client as planned.
    pub client: &'a PlannedClient,
    /// What is spoken.
    pub protocol: Protocol,
    /// The CPUs that the arm may use; empty: all of its node.
    pub arm_cpus: &'a [u32],
    /// Whether the node's kernel keeps interrupt time apart from that of processes; absent where it is not known.
    pub irq_time_accounting: Option<bool>,
    /// The judge's bounds.
    pub bounds: &'a JudgeBounds,
}

/// The row of a step, not judged yet, and what was observed beside it.
pub fn measure(samples: &StepSamples<'_>, setting: &Setting<'_>) -> (Row, Signals) {
    let mut row = Row {
        offered: samples.step.rate as f64,
        planned: Some(samples.step.rate),
        warmup: samples.step.kind == StepKind::Warmup,
        ..Row::default()
    };
    let mut signals = Signals::default();
    let drivers = Drivers::merge(samples.drivers);
    match &drivers {
        Some(drivers) => fill_drivers(&mut row, &mut signals, drivers, setting, samples),
        None => signals.workers = Some(Check::Broken("no driver's window is there".to_owned())),
    }
    let expected = usize::try_from(setting.client.drivers).unwrap_or(usize::MAX);
    if samples.drivers.len() != expected {
        let words = format!("{} drivers ordered, {} windows", setting.client.drivers, samples.drivers.len());
        signals.workers = Some(Check::Broken(words));
    }
    fill_witness(&mut row, &mut signals, drivers.as_ref(), setting, samples.witness);
    (row, signals)
}

fn fill_drivers(
    row: &mut Row,
    signals: &mut Signals,
    drivers: &Drivers,
    setting: &Setting<'_>,
    samples: &StepSamples<'_>,
) {
    row.offered = thousandth(drivers.offered);
    row.delivered = Some(thousandth(drivers.delivered));
    row.knee_per_second = Some(thousandth(drivers.knee));
    row.seconds = Some(thousandth(drivers.seconds()));
    row.answered_permille = (drivers.due > 0).then(|| thousandth(drivers.ok as f64 / drivers.due as f64 * 1000.0));
    row.scheduled = Some(drivers.due);
    row.ok = Some(drivers.ok);
    row.errors.clone_from(&drivers.errors);
    row.never_sent = Some(drivers.never_sent);
    row.in_flight = Some(drivers.in_flight);
    row.connections = Some(drivers.connections);
    row.streams = drivers.streams;
    row.start_skew_micros = (samples.drivers.len() > 1).then_some(drivers.skew / 1000);
    row.ok_only = over_answers(&drivers.latency);
    row.service = over_answers(&drivers.service);
    row.send_error_micros = send_error(drivers);
    fill_percentiles(row, drivers);
    row.gap_millis = samples.previous_end_unix_nanos.map(|end| (drivers.start - end) / 1_000_000);
    fill_checks(signals, drivers, setting);
}

fn fill_percentiles(row: &mut Row, drivers: &Drivers) {
    let mut told = |share, mark: AtLeast, name: &str| match over_due(&drivers.latency, drivers.due, share) {
        Ranked::Known(value) => Some(value),
        Ranked::AtLeast(value) => {
            row.at_least.push(mark);
            Some(value)
        }
        Ranked::Nothing => {
            row.not_available.insert(name.to_owned(), "no call was answered".to_owned());
            None
        }
        Ranked::TooFew(needed) => {
            let words = format!("n too small: {} calls, {needed} needed", drivers.due);
            row.not_available.insert(name.to_owned(), words);
            None
        }
    };
    let p50 = told(0.5, AtLeast::P50, "p50Micros");
    let p99 = told(0.99, AtLeast::P99, "p99Micros");
    let p999 = told(0.999, AtLeast::P999, "p999Micros");
    (row.p50_micros, row.p99_micros, row.p999_micros) = (p50, p99, p999);
}

fn send_error(drivers: &Drivers) -> Option<SendError> {
    let sent = &drivers.send_error;
    let at = |share| sent.at_rank(rank(sent.len(), share)).map(micros);
    Some(SendError { p50: at(0.5)?, p99: at(0.99)?, max: sent.max().map(micros)? })
}

fn fill_checks(signals: &mut Signals, drivers: &Drivers, setting: &Setting<'_>) {
    let when = |holds: bool, words: String| Some(if holds { Check::Holds } else { Check::Broken(words) });
    signals.accounting =
        when(drivers.ended() == drivers.due, format!("{} calls due, {} accounted for", drivers.due, drivers.ended()));
    signals.workers = when(
        drivers.workers == drivers.workers_finished,
        format!("{} workers ordered, {} finished", drivers.workers, drivers.workers_finished),
    );
    signals.endpoint =
        when(drivers.due == 0 || drivers.ok > 0 || drivers.connections > 0, "no connection could be opened".to_owned());
    signals.connections = setting.client.expect_connections.and_then(|declared| {
        let words = format!("{declared} declared, {} opened", drivers.connections);
        when(drivers.connections == u64::from(declared), words)
    });
    signals.growth = Some(Growth { half: drivers.in_flight_half, end: drivers.in_flight_end, due: drivers.due / 2 });
    let slots = slots(setting);
    signals.slots_busy_permille = drivers
        .in_flight_mean()
        .filter(|_| slots > 0)
        .map(|mean| thousandth((mean / slots as f64 * 1000.0).min(1000.0)));
}

/// Calls that the client's shape allows in flight.
fn slots(setting: &Setting<'_>) -> u64 {
    let shape = &setting.client.shape;
    let lanes = match setting.protocol {
        Protocol::Http1 => u64::from(shape.connections),
        Protocol::Http2 | Protocol::GrpcUnary => u64::from(shape.connections) * u64::from(shape.max_concurrent_streams),
        Protocol::GrpcStream => u64::from(shape.streams) * u64::from(shape.max_concurrent_streams),
    };
    lanes.min(u64::from(shape.max_in_flight))
}

fn fill_witness(
    row: &mut Row,
    signals: &mut Signals,
    drivers: Option<&Drivers>,
    setting: &Setting<'_>,
    window: Option<&WitnessWindow>,
) {
    let Some((window, witnessed)) = window.and_then(|window| Some((window, Witnessed::of(window)?))) else {
        for name in ["cpuNanosPerRequest", "coresMilli", "throttledMicros", "heapBytes", "rssBytes"] {
            row.not_available.insert(name.to_owned(), "no witness's window is there".to_owned());
        }
        return;
    };
    signals.processes = witnessed.processes();
    signals.counters = Some(witnessed.counters());
    signals.sampling_gap_millis = Some(witnessed.longest_gap_millis());
    signals.driver_throttled_permille = witnessed.driver_throttled_permille().map(thousandth);
    (row.rss_bytes, row.heap_bytes) = witnessed.memory();
    let arm = witnessed.arm();
    fill_node(signals, &witnessed, arm.as_ref(), setting);
    match arm {
        Some(arm) => fill_arm(row, signals, &arm, cpu_per_request(&arm, &witnessed, window, drivers, setting)),
        None => {
            row.not_available.insert("coresMilli".to_owned(), "the arm could not be read at both edges".to_owned());
        }
    }
    if window
        .readings
        .iter()
        .filter_map(|reading| reading.arm.as_ref())
        .any(|arm| arm.cpu_source == CpuSource::Schedstat)
    {
        row.cpu_source = Some(CpuSource::Schedstat);
    } else if row.cores_milli.is_some() {
        row.cpu_source = Some(CpuSource::Cgroup);
    }
}

fn fill_arm(row: &mut Row, signals: &mut Signals, arm: &ArmUse, cpu_per_request: Result<f64, String>) {
    row.cores_milli = Some(thousandth(arm.cores_milli));
    row.throttled_micros = arm.throttled.map(|nanos| nanos / 1000);
    if let Some((name, milli)) = &arm.busiest {
        row.busiest_thread_milli = Some(thousandth(*milli));
        row.busiest_thread = Some(name.clone());
    }
    match cpu_per_request {
        Ok(nanos) => row.cpu_nanos_per_request = Some(thousandth(nanos)),
        Err(reason) => {
            row.not_available.insert("cpuNanosPerRequest".to_owned(), reason);
        }
    }
    signals.host_wait_permille = Some(thousandth(arm.wait_permille));
}

/// The arm's CPU time over the witnessed window ÷ delivered in it; the two windows' lengths are evened out.
fn cpu_per_request(
    arm: &ArmUse,
    witnessed: &Witnessed<'_>,
    window: &WitnessWindow,
    drivers: Option<&Drivers>,
    setting: &Setting<'_>,
) -> Result<f64, String> {
    let drivers = drivers.ok_or("no driver's window is there")?;
    let error = window.clock_offset_error_nanos.ok_or("the clock offset to the driver was not measured")?;
    if error > setting.bounds.clock_offset_micros.saturating_mul(1000) {
        return Err(format!("the clock offset is known to ±{} µs only", error / 1000));
    }
    let edge = witnessed.edge_error(drivers.start, drivers.end, window.clock_offset_nanos);
    if edge as f64 > EDGE * drivers.seconds() * 1e9 {
        return Err(format!("the witness read {} ms off the step's edges", edge / 1_000_000));
    }
    if drivers.delivered <= 0.0 {
        return Err("nothing was delivered".to_owned());
    }
    Ok(arm.cores_milli * 1e6 / drivers.delivered)
}

fn fill_node(signals: &mut Signals, witnessed: &Witnessed<'_>, arm: Option<&ArmUse>, setting: &Setting<'_>) {
    let node = witnessed.node(setting.arm_cpus);
    if let Some(node) = node {
        signals.steal_milli = Some(thousandth(node.steal));
        signals.host_idle_permille = Some(thousandth(node.arm_idle / node.arm_cpus * 1000.0));
        // Where interrupts are charged to whoever was interrupted they are in the processes' own time already.
        let interrupts = if setting.irq_time_accounting == Some(false) { 0.0 } else { node.interrupts };
        let foreign = witnessed.own_milli().map(|own| node.busy - own - interrupts);
        signals.foreign_milli = foreign.map(|milli| thousandth(milli.max(0.0)));
    }
    let room = node.map(|node| node.arm_cpus);
    signals.quota = arm.and_then(|arm| {
        let quota = arm.quota_milli.map(|milli| milli as f64);
        let most = quota.into_iter().chain(room).min_by(f64::total_cmp).filter(|most| *most > 0.0)?;
        Some(QuotaUse {
            used_permille: thousandth(arm.cores_milli / most * 1000.0),
            throttled_permille: arm.throttled_permille.map(thousandth),
        })
    });
}

#[cfg(test)]
mod tests;
