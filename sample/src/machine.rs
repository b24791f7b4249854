//! The machine on which something was measured: the part of a fingerprint that hardware and kernel decide.

use serde::{Deserialize, Serialize};

/// Facts of a machine. Numbers taken on machines that differ in any of them are not compared. Absent: could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Machine {
    /// Kernel release, as `uname -r` tells.
    pub kernel: String,
    /// Instruction set, as `uname -m` tells.
    pub architecture: String,
    /// Model of the CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_model: Option<String>,
    /// CPUs online.
    pub cpus_online: Vec<u32>,
    /// CPUs on which this user's processes may run.
    pub cpus_allowed: Vec<u32>,
    /// Whether two CPUs share a core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smt: Option<bool>,
    /// Frequency governor: one word where all CPUs have the same, else each in the order of the CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// Whether the kernel accounts interrupt time exactly; where not, it is charged to whoever was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irq_time_accounting: Option<bool>,
    /// Which hierarchy holds the CPU controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroups: Option<CgroupVersion>,
    /// The kernel's clock source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocksource: Option<String>,
    /// Whether a hypervisor runs this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_machine: Option<bool>,
    /// Memory, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
}

/// Which cgroup hierarchy holds the CPU controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CgroupVersion {
    /// A hierarchy for each controller.
    V1,
    /// The unified hierarchy.
    V2,
}
