//! The files of one run: windows as they came, processes or pods as they were found. Plain data: rows and levers are
//! drawn from them elsewhere.

use serde::{Deserialize, Serialize};
use soak_campaign::step::{PartKey, PodFacts};

use crate::isolation::{Enforced, Sharing};

/// The file of a run's windows.
pub(super) const WINDOWS: &str = "windows.jsonl";
/// The file of a run's processes.
pub(super) const PROCESSES: &str = "processes.jsonl";
/// The file of a run's pods.
pub(super) const PODS: &str = "pods.jsonl";

/// The processes of a part: a line of `processes.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartProcesses {
    /// Which part.
    pub part: PartKey,
    /// The arm's command line, as the process has it.
    pub command: Vec<String>,
    /// The arm's process.
    pub pid: u32,
    /// sha256 of the program that the process executes.
    pub sha256: String,
    /// The port that is loaded.
    pub port: u16,
    /// The arm's CPUs.
    pub arm_cpus: Vec<u32>,
    /// The driver's CPUs.
    pub driver_cpus: Vec<u32>,
    /// The CPUs of executor and witness.
    pub rest_cpus: Vec<u32>,
    /// How far arm and driver are apart.
    pub sharing: Sharing,
    /// What is enforced on the arm.
    pub enforced: Enforced,
}

/// Where a part of a run ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartPlace {
    /// As processes of one machine.
    Processes(PartProcesses),
    /// On pods.
    Pods(Box<PodFacts>),
}

impl PartPlace {
    /// Which part.
    pub fn part(&self) -> &PartKey {
        match self {
            Self::Processes(processes) => &processes.part,
            Self::Pods(pods) => &pods.part,
        }
    }

    /// What was executed: the program's sha256, or the image as the kubelet reported it.
    pub fn executed(&self) -> &str {
        match self {
            Self::Processes(processes) => &processes.sha256,
            Self::Pods(pods) => &pods.arm.image_id,
        }
    }
}
