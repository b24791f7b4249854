//! A row: one step of one run, in numbers. `None` is n/a, never 0.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use soak_sample::{CpuSource, ErrorKind, StreamCounts};

use super::number;
use crate::verdict::{Evidence, Verdict};

/// One step of one run. Counts are calls; rates are calls per second.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Row {
    /// Calls due per second, as realised.
    #[serde(serialize_with = "number::plain")]
    pub offered: f64,
    /// Calls per second as planned; absent in tables from outside.
    pub planned: Option<i64>,
    /// The warm-up: shown, never judged.
    pub warmup: bool,
    /// Calls answered well inside the step's window, per second.
    #[serde(serialize_with = "number::option")]
    pub delivered: Option<f64>,
    /// Share of the calls due that were answered well after the drain, thousandths.
    #[serde(serialize_with = "number::option")]
    pub answered_permille: Option<f64>,
    /// Median of all calls due, from the due time, microseconds.
    #[serde(serialize_with = "number::option")]
    pub p50_micros: Option<f64>,
    /// 99th percentile of all calls due, microseconds.
    #[serde(serialize_with = "number::option")]
    pub p99_micros: Option<f64>,
    /// 99.9th percentile of all calls due, microseconds; absent where there are too few calls.
    #[serde(serialize_with = "number::option")]
    pub p999_micros: Option<f64>,
    /// Percentiles whose rank falls among calls without an answer: the value is the largest known.
    pub at_least: Vec<AtLeast>,
    /// Percentiles over the calls answered well alone.
    pub ok_only: Option<Percentiles>,
    /// Percentiles from the actual send, calls answered well.
    pub service: Option<Percentiles>,
    /// Calls due and never sent.
    pub never_sent: Option<u64>,
    /// … per second.
    #[serde(serialize_with = "number::option")]
    pub knee_per_second: Option<f64>,
    /// CPU time of the arm over delivered, nanoseconds.
    #[serde(serialize_with = "number::option")]
    pub cpu_nanos_per_request: Option<f64>,
    /// CPUs that the arm used, thousandths.
    #[serde(serialize_with = "number::option")]
    pub cores_milli: Option<f64>,
    /// The arm's busiest thread, thousandths of a CPU.
    #[serde(serialize_with = "number::option")]
    pub busiest_thread_milli: Option<f64>,
    /// … and its name.
    pub busiest_thread: Option<String>,
    /// Where the arm's CPU time was read.
    pub cpu_source: Option<CpuSource>,
    /// Time the arm was throttled, microseconds.
    pub throttled_micros: Option<u64>,
    /// Heap as the arm tells it, bytes.
    pub heap_bytes: Option<u64>,
    /// Resident memory, bytes.
    pub rss_bytes: Option<u64>,
    /// Connections opened.
    pub connections: Option<u64>,
    /// Calls due.
    pub scheduled: Option<u64>,
    /// Calls answered well.
    pub ok: Option<u64>,
    /// Calls that ended badly, by kind.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Calls still in flight after the drain.
    pub in_flight: Option<u64>,
    /// From due time to the first attempt to send.
    pub send_error_micros: Option<SendError>,
    /// From the end of the step before to the start of this one, milliseconds.
    pub gap_millis: Option<i64>,
    /// Between the first driver's start and the last's, microseconds; absent for one driver.
    pub start_skew_micros: Option<i64>,
    /// Long-lived streams, on protocols that have them.
    pub streams: Option<StreamCounts>,
    /// Length of the step, seconds.
    #[serde(serialize_with = "number::option")]
    pub seconds: Option<f64>,
    /// The verdict; absent for the warm-up.
    pub verdict: Option<Verdict>,
    /// What the verdict rests on.
    pub evidence: Vec<Evidence>,
    /// Why a number is n/a, by its name in this document.
    pub not_available: BTreeMap<String, String>,
    /// Where the row comes from; absent in tables from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Taken back, where it was.
    pub withdrawn: Option<Withdrawn>,
    /// The ramp begins anew here: the first row of a table that was joined to another.
    #[serde(skip)]
    pub part_start: bool,
}

impl Row {
    /// The step's rate: as planned, else as realised. Calls per second.
    #[allow(clippy::cast_precision_loss, reason = "rates are far below 2^53")]
    pub fn rate(&self) -> f64 {
        self.planned.map_or(self.offered, |planned| planned as f64)
    }
}

/// Where a row comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// sha256 over everything that must be equal for two rows to be compared, hexadecimal.
    pub fingerprint: String,
    /// What the arm executed when the step started: an image digest, or on one machine the program's sha256.
    pub digest_at_start: Option<String>,
    /// … and when it ended; absent where the process of the start was no longer seen.
    pub digest_at_end: Option<String>,
    /// What kept arm and driver apart.
    pub isolation: Isolation,
    /// Who observed: the witness's name and version.
    pub observer: String,
}

/// What kept arm and driver apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Isolation {
    /// Where arm and driver ran; absent where it is not known.
    pub apart: Option<Apart>,
    /// The arm's CPU limit is enforced.
    pub cpu_limit: bool,
    /// The arm's memory limit is enforced.
    pub memory_limit: bool,
    /// The arm cannot leave its CPUs; where false they are set as affinity only, or not at all.
    pub cpus_fixed: bool,
}

/// Where arm and driver ran, from far to near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Apart {
    /// On different nodes.
    DifferentNodes,
    /// On different cores.
    DifferentCores,
    /// On threads of one core: each slows the other.
    OneCore,
    /// On one CPU: every number is a floor.
    OneCpu,
}

/// A number taken back: it stays, struck through, beside its reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Withdrawn {
    /// Why.
    pub reason: String,
    /// What stands in its place.
    pub superseded_by: Option<String>,
}

/// A percentile that is a lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AtLeast {
    /// The median.
    P50,
    /// The 99th.
    P99,
    /// The 99.9th.
    P999,
}

/// Three percentiles, microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Percentiles {
    /// The median.
    #[serde(serialize_with = "number::option")]
    pub p50: Option<f64>,
    /// The 99th.
    #[serde(serialize_with = "number::option")]
    pub p99: Option<f64>,
    /// The 99.9th.
    #[serde(serialize_with = "number::option")]
    pub p999: Option<f64>,
}

/// From due time to the first attempt to send, microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendError {
    /// The median.
    #[serde(serialize_with = "number::plain")]
    pub p50: f64,
    /// The 99th.
    #[serde(serialize_with = "number::plain")]
    pub p99: f64,
    /// The highest.
    #[serde(serialize_with = "number::plain")]
    pub max: f64,
}
