//! What an executor does next, or why it waits. The words for the user are here; how it is done is the executor's.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{AttemptEnd, AttemptKey, PartKey, StepKey, StepOrder};
use crate::plan::PlannedStep;

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Do these in order; where one fails, leave the rest, look again and decide again.
    Act(Vec<Action>),
    /// Nothing to do now.
    Wait(Wait),
    /// Nothing to do any more; no process of the campaign is left.
    Finished(End),
}

/// One thing to do. Each may be asked for again after it was done: then it changes nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Make a fresh arm and driver, all or nothing, or keep those that are there; then record `PartBegan`.
    BeginPart {
        /// Which part.
        part: PartKey,
        /// Fresh or kept.
        processes: Processes,
        /// Why it is not the first one.
        cause: PartCause,
    },
    /// Look for each declared lever on the arm's process, then record `LeversProven`.
    ProveLevers {
        /// Which part.
        part: PartKey,
        /// Before or after the load.
        when: ProofTime,
    },
    /// Give the driver its order and tell the witness the step's edges.
    PlaceOrder(Box<StepOrder>),
    /// Fetch the windows of driver and witness, make them durable, then record `StepStored`.
    StoreStep {
        /// Which step; its [`StepKey::order_id`] names the order.
        key: StepKey,
    },
    /// Tell the driver that it may forget a finished order.
    Acknowledge {
        /// The order's id.
        order: String,
    },
    /// Take back an order that has not started.
    Disarm {
        /// The order's id.
        order: String,
    },
    /// Record `StepAdded`.
    AddStep {
        /// To which attempt.
        attempt: AttemptKey,
        /// The step.
        step: PlannedStep,
    },
    /// Record `AttemptEnded`.
    EndAttempt {
        /// Which attempt.
        attempt: AttemptKey,
        /// How it ended.
        end: AttemptEnd,
    },
    /// End arm and driver and all that they started, load first.
    StopProcesses {
        /// Of which part.
        part: PartKey,
    },
}

/// Whether a part has processes of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Processes {
    /// Made for it.
    Fresh,
    /// Those of the part before.
    Kept,
}

/// Why a part began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PartCause {
    /// It is the first one.
    Start,
    /// The processes of the part before were gone when the executor came back.
    ProcessesLost,
    /// The next step could not follow in time: the campaign was suspended, or the executor was away.
    Gap,
}

/// When levers are proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProofTime {
    /// Before any load.
    BeforeLoad,
    /// After the last step.
    AfterLoad,
}

/// A wait.
#[derive(Debug, Clone, PartialEq)]
pub struct Wait {
    /// What for.
    pub reason: WaitReason,
    /// When to decide again, though nothing new was seen; absent: only something new ends the wait.
    pub until_unix_nanos: Option<i64>,
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitReason {
    /// The arm is not ready.
    ArmStarting {
        /// What it waits for itself, where that is known.
        words: Option<String>,
    },
    /// The driver is not ready.
    DriverStarting {
        /// What it waits for itself, where that is known.
        words: Option<String>,
    },
    /// The next step is armed and has not started.
    StepArmed(StepKey),
    /// A step is under way.
    StepRunning(StepKey),
    /// A step is over; answers are awaited.
    StepDraining(StepKey),
    /// A run is attempted again after a pause.
    NextAttempt(AttemptKey),
    /// Arm or driver cannot be seen.
    Unseen {
        /// Why.
        words: String,
    },
    /// Results cannot be stored for now.
    StorageRefused {
        /// Why.
        words: String,
    },
    /// The user wants it to hold.
    Suspended,
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ArmStarting { words: Some(words) } => write!(f, "the arm is starting: {words}"),
            Self::ArmStarting { words: None } => f.write_str("the arm is starting"),
            Self::DriverStarting { words: Some(words) } => write!(f, "the driver is starting: {words}"),
            Self::DriverStarting { words: None } => f.write_str("the driver is starting"),
            Self::StepArmed(key) => write!(f, "step {} of {} is about to start", key.step, key.part.attempt.run),
            Self::StepRunning(key) => write!(f, "step {} of {} is running", key.step, key.part.attempt.run),
            Self::StepDraining(key) => write!(f, "step {} of {} is draining", key.step, key.part.attempt.run),
            Self::NextAttempt(key) => write!(f, "attempt {} of {} follows after a pause", key.attempt, key.run),
            Self::Unseen { words } => write!(f, "arm or driver cannot be seen: {words}"),
            Self::StorageRefused { words } => write!(f, "results cannot be stored: {words}"),
            Self::Suspended => f.write_str("suspended"),
        }
    }
}

/// How a campaign ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Every run is settled.
    Completed,
    /// The user stopped it; it may be taken up again.
    Interrupted,
    /// The user cancelled it.
    Cancelled,
    /// Results could not be stored any more.
    StorageLost {
        /// Why.
        words: String,
    },
}
