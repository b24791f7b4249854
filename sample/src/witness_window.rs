//! What a witness saw in one step: readings at the step's edges and once a second between them.

use serde::{Deserialize, Serialize};

/// What one witness saw in one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WitnessWindow {
    /// [`crate::VERSION`].
    pub version: String,
    /// The order's id.
    pub order: String,
    /// At the step's start, once a second, and at the step's end; first and last are the edges.
    pub readings: Vec<Reading>,
    /// The driver's clock less the witness's, nanoseconds; 0 on one host.
    pub clock_offset_nanos: i64,
    /// How far the offset may be off; absent where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_error_nanos: Option<i64>,
}

/// What was read at one instant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reading {
    /// When it was asked for.
    pub asked_unix_nanos: i64,
    /// When CPU time was read.
    pub at_unix_nanos: i64,
    /// The arm; absent where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<GroupReading>,
    /// The driver, where the witness sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<GroupReading>,
    /// The witness's (locally: the executor's) own CPU time, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_cpu_nanos: Option<u64>,
    /// The node; absent where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeReading>,
}

/// A group of processes: those of one container, or of one local arm or driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GroupReading {
    /// The processes alive. A process that is replaced has another id or start.
    pub processes: Vec<ProcessReading>,
    /// CPU time used by the group so far, nanoseconds.
    pub cpu_nanos: u64,
    /// Where it was read.
    pub cpu_source: CpuSource,
    /// Throttling by quota; absent where the group has none that can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<Throttle>,
    /// Each thread.
    pub threads: Vec<ThreadReading>,
    /// Resident memory, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_bytes: Option<u64>,
    /// Heap as the process itself tells it, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap_bytes: Option<u64>,
    /// Times the kernel killed a process of the group for memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oom_kills: Option<u64>,
}

/// One process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProcessReading {
    /// Process id.
    pub pid: u32,
    /// Start, clock ticks since boot: tells a process from a later one of the same id.
    pub start_ticks: u64,
}

/// Where CPU time was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CpuSource {
    /// The group's cgroup: exact, ended processes included.
    Cgroup,
    /// The scheduler's statistics of its threads: ended threads are lost.
    Schedstat,
}

/// Throttling by CPU quota, since the group was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Throttle {
    /// Quota periods in which the group was runnable.
    pub periods: u64,
    /// Of these, periods in which it was throttled.
    pub throttled_periods: u64,
    /// Time throttled, nanoseconds, summed over CPUs.
    pub throttled_nanos: u64,
    /// The quota, thousandths of a CPU; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota_milli: Option<u64>,
}

/// One thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThreadReading {
    /// Thread id.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// CPU time, nanoseconds.
    pub cpu_nanos: u64,
    /// Time runnable but waiting for a CPU, nanoseconds.
    pub wait_nanos: u64,
}

/// The node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeReading {
    /// Each CPU that is online.
    pub cpus: Vec<CpuTimes>,
    /// CPU pressure; absent where the kernel does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<Pressure>,
}

/// Time of one CPU since boot by what it did, nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(missing_docs, reason = "named as in proc_stat(5)")]
pub struct CpuTimes {
    pub cpu: u32,
    pub user: u64,
    pub nice: u64,
    pub system: u64,
    pub idle: u64,
    pub iowait: u64,
    pub irq: u64,
    pub softirq: u64,
    pub steal: u64,
}

/// CPU pressure of the node: time in which some task waited for a CPU, microseconds since boot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pressure {
    /// Some task waited.
    pub some_micros: u64,
}
