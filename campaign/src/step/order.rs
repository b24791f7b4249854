//! Names of attempts, parts and steps, and the order for one step: all that a driver is told but what only an executor
//! knows (the arm's address, the driver's share, the CPUs).

use std::fmt;

use serde::{Deserialize, Serialize};
use soak_sample::{ClientShape, Idle, LoadOrder, Pace, Protocol, Request, Share, Target, VERSION};

use crate::plan::{PlannedStep, RunId};

/// What tells a process from every other, also from a later one in its place: process id and start, or a pod's uid.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity(pub String);

/// One attempt at a run, from 1. A run is attempted again when its arm or driver died.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptKey {
    /// The run.
    pub run: RunId,
    /// From 1.
    pub attempt: u32,
}

/// A stretch of an attempt without a gap, from 1. Each part begins with the warm-up; a second one marks the ramp as
/// split.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartKey {
    /// The attempt.
    #[serde(flatten)]
    pub attempt: AttemptKey,
    /// From 1.
    pub part: u32,
}

/// One step of one part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepKey {
    /// The part.
    #[serde(flatten)]
    pub part: PartKey,
    /// The step's index in the run, the warm-up being 0 where there is one.
    pub step: u32,
}

impl AttemptKey {
    /// A part of this attempt.
    pub fn part(&self, part: u32) -> PartKey {
        PartKey { attempt: self.clone(), part }
    }
}

impl PartKey {
    /// A step of this part.
    pub fn step(&self, step: u32) -> StepKey {
        StepKey { part: self.clone(), step }
    }
}

impl StepKey {
    /// The id of the step's order: `run.attempt.part.step`, of letters, digits, dots and dashes alone.
    pub fn order_id(&self) -> String {
        self.to_string()
    }

    /// The step that an order's id names; absent where the id is not of this form.
    pub fn from_order_id(id: &str) -> Option<Self> {
        let mut fields = id.rsplitn(4, '.');
        let mut number = || fields.next()?.parse::<u32>().ok();
        let (step, part, attempt) = (number()?, number()?, number()?);
        let run = RunId(fields.next()?.to_owned());
        Some(AttemptKey { run, attempt }.part(part).step(step))
    }
}

impl fmt::Display for AttemptKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.run, self.attempt)
    }
}

impl fmt::Display for PartKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.attempt, self.part)
    }
}

impl fmt::Display for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.part, self.step)
    }
}

/// One step's load, complete but for what only the executor knows.
#[derive(Debug, Clone, PartialEq)]
pub struct StepOrder {
    /// The step; its [`StepKey::order_id`] is the order's id.
    pub key: StepKey,
    /// Rate and length, for a reader.
    pub step: PlannedStep,
    /// What is spoken.
    pub protocol: Protocol,
    /// What each call carries.
    pub request: Request,
    /// The client's shape over all drivers.
    pub shape: ClientShape,
    /// How fast, over all drivers.
    pub pace: Pace,
    /// Drivers that share the order; driver `i` takes the share `i` of `drivers`.
    pub drivers: u32,
    /// Threads that send in each driver.
    pub workers: u32,
    /// Between two sends.
    pub idle: Idle,
    /// Start of the step.
    pub start_unix_nanos: i64,
    /// Time-out of a call from its due time.
    pub timeout_nanos: i64,
    /// The wait for answers after the step's end.
    pub drain_nanos: i64,
}

impl StepOrder {
    /// End of the step, before the drain.
    pub fn end_unix_nanos(&self) -> i64 {
        self.start_unix_nanos.saturating_add(self.step.duration_nanos)
    }

    /// The order as driver `index` gets it.
    #[must_use]
    pub fn for_driver(&self, index: u32, target: Target, pin_cpus: Vec<u32>) -> LoadOrder {
        LoadOrder {
            version: VERSION.to_owned(),
            id: self.key.order_id(),
            target,
            protocol: self.protocol,
            request: self.request.clone(),
            shape: self.shape.clone(),
            pace: self.pace,
            share: Share { index, of: self.drivers },
            workers: self.workers,
            idle: self.idle,
            pin_cpus,
            start_unix_nanos: self.start_unix_nanos,
            duration_nanos: self.step.duration_nanos,
            timeout_nanos: self.timeout_nanos,
            drain_nanos: self.drain_nanos,
        }
    }
}
