//! A step as it was sampled: everything that its row follows from, in the form in which an executor makes it durable.

use serde::{Deserialize, Serialize};
use soak_sample::{DriverWindow, WitnessWindow};

use super::{StepKey, StoredStep};
use crate::{
    plan::PlannedStep,
    table::{Row, Signals},
};

/// A step as it was sampled.
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
    /// The digest of the arm's image, as the kubelet told it once the step was over; absent on one machine, where the
    /// witness sees the process, and where the pod of the step's start was gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod_digest_at_end: Option<String>,
}

impl StepWindows {
    /// Start as realised.
    pub fn start_unix_nanos(&self) -> i64 {
        self.drivers.iter().map(|driver| driver.start_unix_nanos).min().unwrap_or_default()
    }

    /// End of the step before its drain, as realised.
    pub fn end_unix_nanos(&self) -> i64 {
        self.drivers.iter().map(|driver| driver.end_unix_nanos).max().unwrap_or_default()
    }

    /// The step with the row that was measured from these.
    pub fn stored(&self, row: Row, signals: Signals) -> StoredStep {
        let (start_unix_nanos, end_unix_nanos) = (self.start_unix_nanos(), self.end_unix_nanos());
        StoredStep { step: self.step, start_unix_nanos, end_unix_nanos, row, signals }
    }
}
