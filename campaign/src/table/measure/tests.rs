#![allow(clippy::float_cmp, reason = "the values are exact")]

use soak_crds::spec::JudgeBounds;
use soak_sample::{
    Arrivals, ArrivalsKind, ClientShape, CpuSource, CpuTimes, DriverSecond, DriverWindow, ErrorKind, GroupReading,
    Histogram, Idle, NodeReading, PoolPolicy, ProcessReading, Protocol, Reading, ThreadReading, Throttle, VERSION,
    WitnessWindow,
};

use super::{Setting, StepSamples, measure};
use crate::plan::{PlannedClient, PlannedStep, StepKind};
use crate::table::{AtLeast, Check, Growth, Row, Signals};

const SECOND: i64 = 1_000_000_000;
const MILLI: u64 = 1_000_000;
const START: i64 = 1_000 * SECOND;

fn client() -> PlannedClient {
    PlannedClient {
        shape: ClientShape {
            connections: 8,
            max_concurrent_streams: 4,
            max_in_flight: 100,
            streams: 2,
            pool: PoolPolicy::Eager,
        },
        idle: Idle::Spin,
        workers: 1,
        drivers: 1,
        arrivals: Arrivals { kind: ArrivalsKind::Uniform, seed: 1 },
        expect_connections: None,
        timeout_nanos: SECOND,
        drain_nanos: SECOND,
        cpu_milli: 1200,
    }
}

/// Ten seconds at 100/s, all answered after 2 ms.
fn driver() -> DriverWindow {
    let filled = |nanos: u64, count: u64| {
        let mut histogram = Histogram::new();
        (0..count).for_each(|_| histogram.record(nanos));
        histogram
    };
    DriverWindow {
        version: VERSION.to_owned(),
        order: "r.1.1.1".to_owned(),
        workers: 1,
        workers_finished: 1,
        start_unix_nanos: START,
        end_unix_nanos: START + 10 * SECOND,
        drained_unix_nanos: START + 10 * SECOND,
        due: 1000,
        ok: 1000,
        ok_in_window: 999,
        errors: [].into(),
        never_sent: 0,
        in_flight: 0,
        in_flight_half: 1,
        in_flight_end: 2,
        connections_opened: 8,
        connections_lost: 0,
        latency: filled(2 * MILLI, 1000),
        service: filled(MILLI, 1000),
        send_error: filled(5000, 1000),
        bytes_received: 0,
        bytes_sent: 0,
        streams: None,
        busy_nanos: 0,
        seconds: vec![DriverSecond { in_flight: 4, ..DriverSecond::default() }; 10],
    }
}

fn group(pid: u32, cpu_nanos: u64, wait_nanos: u64) -> GroupReading {
    GroupReading {
        processes: vec![ProcessReading { pid, start_ticks: 7 }],
        cpu_nanos,
        cpu_source: CpuSource::Cgroup,
        throttle: None,
        threads: vec![ThreadReading { tid: pid, name: format!("t{pid}"), cpu_nanos, wait_nanos }],
        rss_bytes: Some(30_000_000),
        heap_bytes: None,
        oom_kills: Some(0),
    }
}

fn cpu(cpu: u32, second: u64, idle_permille: u64) -> CpuTimes {
    let idle = second * idle_permille * MILLI;
    CpuTimes { cpu, idle, user: second * 1000 * MILLI - idle, ..CpuTimes::default() }
}

/// One reading a second: the arm uses 0.4 CPU, the driver 1.0, the witness 0.01; CPU 0 is full, CPU 1 idle for 59 %.
fn witness() -> WitnessWindow {
    let at = |second: u64| Reading {
        asked_unix_nanos: START + second.cast_signed() * SECOND,
        at_unix_nanos: START + second.cast_signed() * SECOND,
        arm: Some(group(10, second * 400 * MILLI, second * 20 * MILLI)),
        driver: Some(group(20, second * 1000 * MILLI, 0)),
        own_cpu_nanos: Some(second * 10 * MILLI),
        node: Some(NodeReading { cpus: vec![cpu(0, second, 0), cpu(1, second, 590)], pressure: None }),
    };
    WitnessWindow {
        version: VERSION.to_owned(),
        order: "r.1.1.1".to_owned(),
        readings: (0..=10).map(at).collect(),
        clock_offset_nanos: 0,
        clock_offset_error_nanos: Some(0),
    }
}

const ARM_CPUS: [u32; 1] = [1];

fn measured_with(client: &PlannedClient, drivers: &[DriverWindow], witness: Option<&WitnessWindow>) -> (Row, Signals) {
    let bounds = JudgeBounds::default();
    let setting = Setting {
        client,
        protocol: Protocol::Http1,
        arm_cpus: &ARM_CPUS,
        irq_time_accounting: Some(false),
        bounds: &bounds,
    };
    let step = PlannedStep { index: 1, kind: StepKind::Ramp, rate: 100, duration_nanos: 10 * SECOND };
    let samples = StepSamples { step, drivers, witness, previous_end_unix_nanos: Some(START - 3 * SECOND) };
    measure(&samples, &setting)
}

fn measured(driver: DriverWindow, witness: &WitnessWindow) -> (Row, Signals) {
    measured_with(&client(), &[driver], Some(witness))
}

fn holds(check: Option<&Check>) -> bool {
    check == Some(&Check::Holds)
}

fn broken(check: Option<&Check>) -> bool {
    matches!(check, Some(Check::Broken(_)))
}

#[test]
fn a_sound_step_gives_a_full_row() {
    let (row, _) = measured(driver(), &witness());
    assert_eq!((row.offered, row.delivered, row.answered_permille), (100.0, Some(99.9), Some(1000.0)));
    assert_eq!((row.planned, row.seconds, row.warmup), (Some(100), Some(10.0), false));
    assert!((row.p50_micros.unwrap() - 2000.0).abs() < 2.0 && (row.p99_micros.unwrap() - 2000.0).abs() < 2.0);
    assert_eq!((row.at_least.clone(), row.p999_micros), (Vec::new(), None));
    assert_eq!(row.not_available["p999Micros"], "n too small: 1000 calls, 10000 needed");
    assert!((row.service.unwrap().p50.unwrap() - 1000.0).abs() < 1.0);
    assert!((row.send_error_micros.unwrap().p99 - 5.0).abs() < 0.1);
    assert_eq!(row.cores_milli, Some(400.0));
    assert_eq!((row.busiest_thread.as_deref(), row.busiest_thread_milli), (Some("t10"), Some(400.0)));
    let cpu = row.cpu_nanos_per_request.unwrap();
    assert!((cpu - 4e9 / 999.0).abs() < 1.0, "{cpu}");
    assert_eq!((row.rss_bytes, row.heap_bytes, row.connections), (Some(30_000_000), None, Some(8)));
    assert_eq!((row.gap_millis, row.start_skew_micros), (Some(3000), None));
}

#[test]
fn a_sound_step_gives_signals_that_hold() {
    let (_, signals) = measured(driver(), &witness());
    for check in [&signals.endpoint, &signals.processes, &signals.accounting, &signals.workers, &signals.counters] {
        assert!(holds(check.as_ref()), "{signals:?}");
    }
    assert_eq!((signals.levers, signals.digest, signals.connections, signals.company), (None, None, None, None));
    assert_eq!(signals.sampling_gap_millis, Some(1000));
    // Busy 1.41 CPU less 0.4 + 1.0 + 0.01.
    assert!(signals.foreign_milli.unwrap() < 1e-6);
    assert_eq!((signals.steal_milli, signals.host_idle_permille), (Some(0.0), Some(590.0)));
    assert_eq!(signals.host_wait_permille, Some(20.0));
    // No quota: the one CPU that it may use.
    assert_eq!(signals.quota.unwrap().used_permille, 400.0);
    assert_eq!(signals.growth, Some(Growth { half: 1, end: 2, due: 500 }));
    // A hundred calls a second, 1 ms each, of eight slots.
    let busy = signals.slots_busy_permille.unwrap();
    assert!((busy - 12.5).abs() < 0.1, "{busy}");
}

#[test]
fn calls_without_an_answer_turn_percentiles_into_bounds() {
    let mut half = driver();
    half.latency = Histogram::new();
    (0..400).for_each(|_| half.latency.record(3 * MILLI));
    (half.ok, half.ok_in_window, half.never_sent) = (400, 400, 600);
    let (row, signals) = measured(half, &witness());
    assert!(holds(signals.accounting.as_ref()));
    assert_eq!(row.at_least, [AtLeast::P50, AtLeast::P99]);
    assert!((row.p99_micros.unwrap() - 3000.0).abs() < 3.0);
    assert_eq!((row.knee_per_second, row.answered_permille), (Some(60.0), Some(400.0)));
}

#[test]
fn nothing_answered_is_told_apart_from_nothing_to_connect_to() {
    let mut silent = driver();
    silent.latency = Histogram::new();
    (silent.ok, silent.ok_in_window) = (0, 0);
    silent.errors = [(ErrorKind::TimeOut, 1000)].into();
    let (row, signals) = measured(silent.clone(), &witness());
    assert_eq!((row.p50_micros, row.cpu_nanos_per_request), (None, None));
    assert_eq!(row.not_available["p50Micros"], "no call was answered");
    assert_eq!(row.not_available["cpuNanosPerRequest"], "nothing was delivered");
    assert!(holds(signals.endpoint.as_ref()));
    silent.connections_opened = 0;
    let (_, signals) = measured(silent, &witness());
    assert!(broken(signals.endpoint.as_ref()));
}

#[test]
fn what_does_not_add_up_or_did_not_finish_is_broken() {
    let lost = DriverWindow { never_sent: 1, ..driver() };
    assert!(broken(measured(lost, &witness()).1.accounting.as_ref()));
    let crashed = DriverWindow { workers: 2, ..driver() };
    assert!(broken(measured(crashed, &witness()).1.workers.as_ref()));
    let (row, signals) = measured_with(&client(), &[], None);
    assert!(broken(signals.workers.as_ref()));
    assert_eq!((row.offered, row.delivered), (100.0, None));
    let two = PlannedClient { drivers: 2, ..client() };
    let (_, signals) = measured_with(&two, &[driver()], Some(&witness()));
    assert_eq!(signals.workers, Some(Check::Broken("2 drivers ordered, 1 windows".to_owned())));
}

#[test]
fn declared_connections_are_held_against_those_opened() {
    let check = |declared, holds_| {
        let client = PlannedClient { expect_connections: Some(declared), ..client() };
        let (_, signals) = measured_with(&client, &[driver()], Some(&witness()));
        assert_eq!(holds(signals.connections.as_ref()), holds_, "{declared}");
    };
    check(8, true);
    check(4, false);
}

#[test]
fn an_endpoint_is_missed_only_by_calls_that_were_due() {
    let check = |due, ok, connections_opened, holds_| {
        let window = DriverWindow { due, ok, connections_opened, ..driver() };
        let (row, signals) = measured(window, &witness());
        assert_eq!(holds(signals.endpoint.as_ref()), holds_, "{due} {ok} {connections_opened}");
        assert_eq!(row.answered_permille.is_none(), due == 0, "of no call there is no share");
    };
    check(0, 0, 0, true);
    check(10, 0, 0, false);
    check(10, 1, 0, true);
    check(10, 0, 1, true);
}

#[test]
fn a_warm_up_is_marked_and_no_other_step() {
    let check = |kind, expected| {
        let bounds = JudgeBounds::default();
        let client = client();
        let setting = Setting {
            client: &client,
            protocol: Protocol::Http1,
            arm_cpus: &ARM_CPUS,
            irq_time_accounting: None,
            bounds: &bounds,
        };
        let step = PlannedStep { index: 0, kind, rate: 100, duration_nanos: SECOND };
        let samples = StepSamples { step, drivers: &[], witness: None, previous_end_unix_nanos: None };
        assert_eq!(measure(&samples, &setting).0.warmup, expected, "{kind:?}");
    };
    check(StepKind::Warmup, true);
    check(StepKind::Ramp, false);
    check(StepKind::Extension, false);
    check(StepKind::Hold, false);
}

#[test]
fn each_protocol_has_its_slots_and_the_cap_on_what_is_in_flight_holds_for_all() {
    let check = |protocol, max_in_flight, busy: Option<f64>| {
        let mut client = client();
        client.shape.max_in_flight = max_in_flight;
        let bounds = JudgeBounds::default();
        let setting =
            Setting { client: &client, protocol, arm_cpus: &ARM_CPUS, irq_time_accounting: None, bounds: &bounds };
        let step = PlannedStep { index: 1, kind: StepKind::Ramp, rate: 100, duration_nanos: 10 * SECOND };
        let mut window = driver();
        window.service = Histogram::new();
        (0..1000).for_each(|_| window.service.record(40 * MILLI));
        let drivers = [window];
        let samples = StepSamples { step, drivers: &drivers, witness: None, previous_end_unix_nanos: None };
        let found = measure(&samples, &setting).1.slots_busy_permille;
        let same = found.zip(busy).map_or(found == busy, |(found, busy)| (found - busy).abs() < 1.0);
        assert!(same, "{protocol:?} {max_in_flight}: {found:?}");
    };
    // Four in flight: of 8 connections, of 8 × 4 streams, of 2 × 4 messages.
    check(Protocol::Http1, 100, Some(500.0));
    check(Protocol::Http2, 100, Some(125.0));
    check(Protocol::GrpcUnary, 100, Some(125.0));
    check(Protocol::GrpcStream, 100, Some(500.0));
    check(Protocol::Http2, 16, Some(250.0));
    check(Protocol::Http1, 0, None);
}

#[test]
fn several_drivers_are_merged_exactly() {
    let mut other = driver();
    (other.start_unix_nanos, other.end_unix_nanos) = (START + 2_000_000, START + 10 * SECOND + 2_000_000);
    other.latency = Histogram::new();
    (0..1000).for_each(|_| other.latency.record(9 * MILLI));
    other.errors = [(ErrorKind::Reset, 2)].into();
    (other.ok, other.due) = (1000, 1002);
    let two = PlannedClient { drivers: 2, ..client() };
    let (row, signals) = measured_with(&two, &[driver(), other], Some(&witness()));
    assert_eq!((row.scheduled, row.ok, row.errors[&ErrorKind::Reset]), (Some(2002), Some(2000), 2));
    assert_eq!((row.offered, row.delivered, row.connections), (200.2, Some(199.8), Some(16)));
    // Ranks 1001 and 1982 of 2002: the slower driver's answers, no mean of the two.
    assert!((row.p50_micros.unwrap() - 9000.0).abs() < 9.0 && (row.p99_micros.unwrap() - 9000.0).abs() < 9.0);
    assert_eq!(row.start_skew_micros, Some(2000));
    assert!(holds(signals.workers.as_ref()) && holds(signals.accounting.as_ref()));
    assert!((signals.slots_busy_permille.unwrap() - 25.0).abs() < 0.2, "{signals:?}");
}

#[test]
fn busy_slots_are_told_by_how_long_calls_took_not_by_looking_at_them_now_and_then() {
    let check = |millis: u64, looked_at: u64, expected: f64| {
        let mut window = driver();
        window.service = Histogram::new();
        (0..1000).for_each(|_| window.service.record(millis * MILLI));
        window.seconds.iter_mut().for_each(|second| second.in_flight = looked_at);
        let (_, signals) = measured(window, &witness());
        assert!((signals.slots_busy_permille.unwrap() - expected).abs() < 1.0, "{signals:?}");
    };
    check(40, 8, 500.0);
    check(75, 4, 937.5);
    check(200, 8, 1000.0);
}

#[test]
fn a_clock_that_is_not_known_well_enough_leaves_cpu_per_request_open() {
    let check = |error, offset, expected: Option<&str>| {
        let mut window = witness();
        (window.clock_offset_error_nanos, window.clock_offset_nanos) = (error, offset);
        let (row, _) = measured(driver(), &window);
        assert_eq!(row.not_available.get("cpuNanosPerRequest").map(String::as_str), expected, "{error:?} {offset}");
        assert_eq!(row.cpu_nanos_per_request.is_none(), expected.is_some());
        assert_eq!(row.cores_milli, Some(400.0));
    };
    check(Some(1_000_000), 0, None);
    check(Some(1_001_000), 0, Some("the clock offset is known to ±1001 µs only"));
    check(None, 0, Some("the clock offset to the driver was not measured"));
    check(Some(0), 200_000_000, None);
    check(Some(0), 201_000_000, Some("the witness read 201 ms off the step's edges"));
}

#[test]
fn the_windows_of_witness_and_driver_are_evened_out() {
    let mut late = witness();
    let last = late.readings.last_mut().unwrap();
    last.at_unix_nanos += SECOND / 10;
    last.arm.as_mut().unwrap().cpu_nanos += 40 * MILLI;
    let (row, _) = measured(driver(), &late);
    assert!((row.cpu_nanos_per_request.unwrap() - 4e9 / 999.0).abs() < 1.0);
}

#[test]
fn without_a_witness_nothing_is_zero() {
    let (row, signals) = measured_with(&client(), &[driver()], None);
    assert_eq!(
        (row.cpu_nanos_per_request, row.cores_milli, row.throttled_micros, row.rss_bytes),
        (None, None, None, None)
    );
    assert_eq!(row.not_available["coresMilli"], "no witness's window is there");
    assert_eq!((signals.foreign_milli, signals.host_idle_permille, signals.quota), (None, None, None));
    assert_eq!((signals.processes, signals.counters), (None, None));
}

mod witnessed;
