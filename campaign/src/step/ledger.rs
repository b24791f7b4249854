//! What is durable: an append-only list of records, and the state that they add up to. Knows not where it is stored.

use std::fmt;

use serde::{Deserialize, Serialize};
use soak_crds::spec::Withdrawal;
use soak_sample::LeverProof;

use super::{AttemptKey, Identity, PartCause, PartKey, ProofTime, StepKey};
use crate::{
    plan::{PlannedStep, RunId},
    table::{Row, Signals},
};

/// One line of the ledger. Each is written before anything that follows from it is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Record {
    /// Arm and driver are there, or were kept.
    PartBegan {
        /// Which part.
        part: PartKey,
        /// When.
        at_unix_nanos: i64,
        /// Why it is not the first one.
        cause: PartCause,
        /// The arm.
        arm: Identity,
        /// The driver.
        driver: Identity,
    },
    /// Each declared lever was looked for on the running process.
    LeversProven {
        /// Which part.
        part: PartKey,
        /// When.
        at_unix_nanos: i64,
        /// Before or after the load.
        when: ProofTime,
        /// What was found.
        proofs: Vec<LeverProof>,
    },
    /// The ramp was extended by a step.
    StepAdded {
        /// Which attempt.
        attempt: AttemptKey,
        /// The step.
        step: PlannedStep,
    },
    /// A step's windows are durable.
    StepStored {
        /// Which step.
        key: StepKey,
        /// What it gave.
        stored: Box<StoredStep>,
    },
    /// An attempt is over.
    AttemptEnded {
        /// Which attempt.
        attempt: AttemptKey,
        /// When.
        at_unix_nanos: i64,
        /// How.
        end: AttemptEnd,
    },
    /// A row, or all rows of a run, were taken back: they stay, and count no more.
    Withdrawn {
        /// When.
        at_unix_nanos: i64,
        /// Which, why, and what stands in their place.
        withdrawal: Withdrawal,
    },
}

/// All that is durable of a campaign.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// Runs of which there is any record, in the order of their first one.
    pub runs: Vec<RunRecord>,
    /// What was taken back, and when (nanoseconds since the Unix epoch).
    pub withdrawals: Vec<(i64, Withdrawal)>,
}

/// All that is durable of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// Which run.
    pub run: RunId,
    /// Its attempts; the last one counts.
    pub attempts: Vec<AttemptRecord>,
}

/// One attempt at a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AttemptRecord {
    /// Its parts; more than one: the ramp is split.
    pub parts: Vec<PartRecord>,
    /// Steps added past the ramp's end.
    pub added: Vec<PlannedStep>,
    /// How it ended, and when; absent while it is open.
    pub end: Option<(i64, AttemptEnd)>,
}

/// One part of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct PartRecord {
    /// When it began.
    pub began_unix_nanos: i64,
    /// Why it is not the first one.
    pub cause: PartCause,
    /// The arm.
    pub arm: Identity,
    /// The driver.
    pub driver: Identity,
    /// Levers before the load.
    pub before_load: Option<Proofs>,
    /// Levers after the last step.
    pub after_load: Option<Proofs>,
    /// Steps whose windows are durable, in the order in which they were made.
    pub steps: Vec<StoredStep>,
}

/// Levers as they were found.
#[derive(Debug, Clone, PartialEq)]
pub struct Proofs {
    /// When.
    pub at_unix_nanos: i64,
    /// Each declared lever.
    pub proofs: Vec<LeverProof>,
}

/// A step whose windows are durable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredStep {
    /// The step as it was ordered.
    pub step: PlannedStep,
    /// Start as realised.
    pub start_unix_nanos: i64,
    /// End, before the drain, as realised.
    pub end_unix_nanos: i64,
    /// Its row, not judged yet.
    pub row: Row,
    /// What was observed beside the row, for the judge.
    pub signals: Signals,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptEnd {
    /// How.
    pub reason: EndReason,
    /// The last words of whoever failed, or the lever that did not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EndReason {
    /// Every step has a row and every lever held.
    Completed,
    /// Arm and driver could not be made.
    StartFailed,
    /// The arm ended before it was ready.
    ArmExitedEarly,
    /// The arm did not get ready in time.
    ArmNeverReady,
    /// The arm ended under load.
    ArmDied,
    /// Another process stands in the arm's place.
    ArmReplaced,
    /// The driver ended.
    DriverDied,
    /// Another process stands in the driver's place.
    DriverReplaced,
    /// The driver could not carry out an order.
    DriverFailed,
    /// The driver did not finish an order in time.
    DriverStuck,
    /// Arm or driver could not be seen for too long.
    Unseen,
    /// The ramp was split too often.
    SplitTooOften,
    /// A lever does not hold on the running process.
    LeverNotHeld,
    /// The arm was gone before its levers were proven after the load.
    LeversUnproven,
    /// The user cancelled.
    Cancelled,
}

impl Record {
    /// This record as it will be read back: numbers lose what their text does not hold. An executor takes it into memory
    /// in this form, so that one that was interrupted and one that was not come to the same digits.
    pub fn as_read_back(&self) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(&serde_json::to_vec(self)?)
    }
}

impl fmt::Display for AttemptEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.words {
            Some(words) => write!(f, "{}: {words}", self.reason.words()),
            None => f.write_str(self.reason.words()),
        }
    }
}

impl Proofs {
    /// The levers that do not hold, in words; absent where all hold or may not be enforced here.
    pub fn miss(&self) -> Option<String> {
        let misses = self.proofs.iter().filter(|proof| proof.held == Some(false));
        let words: Vec<String> = misses.map(LeverProof::in_words).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }
}

impl EndReason {
    /// Whether another attempt may do better.
    pub fn worth_another_attempt(self) -> bool {
        match self {
            Self::ArmDied
            | Self::ArmReplaced
            | Self::DriverDied
            | Self::DriverReplaced
            | Self::DriverFailed
            | Self::DriverStuck
            | Self::Unseen => true,
            Self::Completed
            | Self::StartFailed
            | Self::ArmExitedEarly
            | Self::ArmNeverReady
            | Self::SplitTooOften
            | Self::LeverNotHeld
            | Self::LeversUnproven
            | Self::Cancelled => false,
        }
    }

    /// In words for a reader.
    pub fn words(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::StartFailed => "arm and driver could not be started",
            Self::ArmExitedEarly => "the arm ended before it was ready",
            Self::ArmNeverReady => "the arm did not get ready in time",
            Self::ArmDied => "the arm ended under load",
            Self::ArmReplaced => "another process stands in the arm's place",
            Self::DriverDied => "the driver ended",
            Self::DriverReplaced => "another process stands in the driver's place",
            Self::DriverFailed => "the driver could not carry out an order",
            Self::DriverStuck => "the driver did not finish an order in time",
            Self::Unseen => "arm or driver could not be seen for too long",
            Self::SplitTooOften => "the ramp was split too often",
            Self::LeverNotHeld => "a lever does not hold on the running process",
            Self::LeversUnproven => "the arm was gone before its levers were proven after the load",
            Self::Cancelled => "cancelled",
        }
    }
}
