//! What a verdict needs beyond the row. `None` is "not observed", which is never the same as "fine".

use serde::{Deserialize, Serialize};

/// One yes-or-no fact with the words for "no".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Check {
    /// It holds.
    Holds,
    /// It does not: what was seen.
    Broken(String),
}

/// How an arm stood to its CPU quota.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuotaUse {
    /// CPU used over the quota (or, without one, over the CPUs it may use), thousandths.
    pub used_permille: f64,
    /// Quota periods in which it was throttled, thousandths; absent where the kernel does not tell.
    pub throttled_permille: Option<f64>,
}

/// Calls in flight at the end of a step's first half and at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Growth {
    /// At the end of the first half.
    pub half: u64,
    /// At the end.
    pub end: u64,
    /// Calls due in the second half.
    pub due: u64,
}

/// What was observed beside a row's own numbers. The executor fills what only it can know.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Signals {
    /// Something answered at the arm's address.
    pub endpoint: Option<Check>,
    /// Arm and driver stayed the same processes, and none was killed for memory.
    pub processes: Option<Check>,
    /// The levers held, before load and after the last step. Filled by the executor.
    pub levers: Option<Check>,
    /// The digest stayed the same. Filled by the executor.
    pub digest: Option<Check>,
    /// As many connections were opened as declared; absent where none were declared.
    pub connections: Option<Check>,
    /// Every call ended in exactly one counter.
    pub accounting: Option<Check>,
    /// Every worker of every driver finished.
    pub workers: Option<Check>,
    /// No counter ran backwards.
    pub counters: Option<Check>,
    /// Nothing else of note ran beside it: another campaign, an undeclared agent. Filled by the executor.
    pub company: Option<Check>,
    /// The longest time between two readings of the node, milliseconds.
    pub sampling_gap_millis: Option<i64>,
    /// CPU that was neither arm, driver nor witness nor their softirq, thousandths of a CPU.
    pub foreign_milli: Option<f64>,
    /// CPU that the hypervisor took, thousandths of a CPU.
    pub steal_milli: Option<f64>,
    /// Idle share of the CPUs that the arm may use, thousandths.
    pub host_idle_permille: Option<f64>,
    /// Time that the arm's threads waited to run beyond its throttling and each other, thousandths of the step.
    pub host_wait_permille: Option<f64>,
    /// How the arm stood to its quota.
    pub quota: Option<QuotaUse>,
    /// Quota periods in which the driver was throttled, thousandths.
    pub driver_throttled_permille: Option<f64>,
    /// Growth of what was in flight.
    pub growth: Option<Growth>,
    /// Share of the client's slots that was busy, thousandths.
    pub slots_busy_permille: Option<f64>,
}
