//! The files of one run: windows as they came, processes as they were found, and rows and levers drawn from both.
//! In go documents; out come files. It must not judge; verdicts come from the campaign's judge.

use serde::{Deserialize, Serialize};
use soak_campaign::{
    plan::PlannedStep,
    step::{PartKey, ProofTime, StepKey},
};
use soak_sample::{DriverWindow, LeverProof, WitnessWindow};

use crate::isolation::{Enforced, Sharing};

/// The file of a run's windows.
pub(super) const WINDOWS: &str = "windows.jsonl";
/// The file of a run's processes.
pub(super) const PROCESSES: &str = "processes.jsonl";

/// A step as it was sampled: a line of `windows.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepWindows {
    /// Which step.
    pub key: StepKey,
    /// As it was ordered.
    pub step: PlannedStep,
    /// What each driver saw.
    pub drivers: Vec<DriverWindow>,
    /// What the witness saw; absent where it was lost.
    pub witness: Option<WitnessWindow>,
}

impl StepWindows {
    /// End of the step before its drain, as realised.
    pub fn end_unix_nanos(&self) -> i64 {
        self.drivers.iter().map(|driver| driver.end_unix_nanos).max().unwrap_or_default()
    }
}

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

/// A lever as it was found: an item of `levers.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeverEntry {
    /// The arm.
    pub arm: String,
    /// The proof.
    #[serde(flatten)]
    pub proof: LeverProof,
    /// When it was looked for.
    pub at: ProofTime,
    /// In which attempt, from 1.
    pub attempt: u32,
    /// In which part of it, from 1.
    pub part: u32,
}
