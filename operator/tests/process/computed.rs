//! What driver and witness see of an arm that answers 300 calls a second: computed from the step alone, so that the same
//! step gives the same numbers whoever asks for it and whenever, and accounting that adds up.

use soak_campaign::step::StepKey;
use soak_sample::{
    ArmReport, CpuSource, CpuTimes, DriverSecond, DriverWindow, GroupReading, Histogram, LeverProof, LeverQuestion,
    LoadOrder, Machine, NodeReading, Pace, ProcessReading, ProofSource, Reading, ThreadReading, Throttle, VERSION,
    WatchOrder, WitnessWindow,
};

use crate::hosts::Samples;

const SECOND: i64 = 1_000_000_000;
const MILLI: u64 = 1_000_000;
/// Calls per second that the arm answers.
const CAPACITY: u64 = 300;

/// An arm as it is computed.
#[derive(Debug, Clone, Copy)]
pub struct Computed;

/// A number that differs between runs and steps, up to `most`.
fn wobble(id: &str, most: u64) -> u64 {
    let key = StepKey::from_order_id(id).unwrap();
    let text = format!("{}/{}", key.part.attempt.run, key.step);
    text.bytes().fold(7_u64, |sum, byte| (sum * 31 + u64::from(byte)) % 1_000_003) % most
}

impl Samples for Computed {
    fn driver(&self, order: &LoadOrder) -> DriverWindow {
        let Pace::Open { per_second, .. } = order.pace else { panic!("not an open loop") };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small rate")]
        let rate = per_second as u64;
        let seconds = u64::try_from(order.duration_nanos / SECOND).unwrap();
        let (due, ok) = (rate * seconds, rate.min(CAPACITY) * seconds);
        let spread = |nanos: u64, each: u64| {
            let mut histogram = Histogram::new();
            (0..ok).for_each(|call| histogram.record(nanos + call * each));
            histogram
        };
        let slow = 2 * MILLI + wobble(&order.id, 500) * 1_000;
        let end = order.start_unix_nanos + order.duration_nanos;
        DriverWindow {
            version: VERSION.to_owned(),
            order: order.id.clone(),
            workers: order.workers,
            workers_finished: order.workers,
            start_unix_nanos: order.start_unix_nanos,
            end_unix_nanos: end,
            drained_unix_nanos: end + 20_000_000,
            due,
            ok,
            ok_in_window: ok,
            errors: [].into(),
            never_sent: due - ok,
            in_flight: 0,
            in_flight_half: 1,
            in_flight_end: 1,
            connections_opened: 8,
            connections_lost: 0,
            latency: spread(slow, 700),
            service: spread(slow - MILLI, 700),
            send_error: spread(5_000, 3),
            bytes_received: ok * 100,
            bytes_sent: ok * 200,
            streams: None,
            busy_nanos: ok * 20_000,
            seconds: vec![
                DriverSecond { due: rate, ok: ok / seconds, in_flight: 1, ..DriverSecond::default() };
                usize::try_from(seconds).unwrap()
            ],
        }
    }

    fn witness(&self, watch: &WatchOrder) -> Option<WitnessWindow> {
        let busy = 300 + wobble(&watch.order, 200);
        let seconds = (watch.end_unix_nanos - watch.start_unix_nanos) / SECOND;
        let at = |second: i64| {
            let at = watch.start_unix_nanos + second * SECOND;
            let second = second.unsigned_abs();
            Reading {
                asked_unix_nanos: at,
                at_unix_nanos: at,
                arm: Some(arm(second * busy * MILLI)),
                driver: None,
                own_cpu_nanos: Some(second * 10 * MILLI),
                node: Some(NodeReading { cpus: vec![cpu(0, second, busy), cpu(1, second, 10)], pressure: None }),
            }
        };
        Some(WitnessWindow {
            version: VERSION.to_owned(),
            order: watch.order.clone(),
            readings: (0..=seconds).map(at).collect(),
            clock_offset_nanos: watch.clock_offset_nanos,
            clock_offset_error_nanos: watch.clock_offset_error_nanos,
        })
    }

    fn levers(&self, question: &LeverQuestion) -> ArmReport {
        let held = |lever: &str, value: String| LeverProof {
            lever: lever.to_owned(),
            declared: value.clone(),
            observed: Some(value),
            source: ProofSource::Cgroup,
            held: Some(true),
            note: None,
        };
        ArmReport {
            proofs: vec![
                held("resources.cpu", question.cpu_milli.to_string()),
                held("resources.memory", question.memory_bytes.to_string()),
            ],
            pid: 7,
            command: vec!["/soak-arm".to_owned(), "rest".to_owned()],
            program_sha256: None,
            machine: Machine {
                kernel: "6.1".to_owned(),
                architecture: "x86_64".to_owned(),
                cpus_online: vec![0, 1],
                cpus_allowed: vec![0, 1],
                irq_time_accounting: Some(true),
                ..Machine::default()
            },
        }
    }
}

fn arm(cpu_nanos: u64) -> GroupReading {
    GroupReading {
        processes: vec![ProcessReading { pid: 7, start_ticks: 9 }],
        cpu_nanos,
        cpu_source: CpuSource::Cgroup,
        throttle: Some(Throttle { quota_milli: Some(1000), ..Throttle::default() }),
        threads: vec![ThreadReading { tid: 7, name: "arm".to_owned(), cpu_nanos, wait_nanos: 0 }],
        rss_bytes: Some(30_000_000),
        heap_bytes: None,
        oom_kills: Some(0),
    }
}

fn cpu(cpu: u32, second: u64, busy_milli: u64) -> CpuTimes {
    let user = second * busy_milli * MILLI;
    CpuTimes { cpu, user, idle: second * 1000 * MILLI - user, ..CpuTimes::default() }
}
