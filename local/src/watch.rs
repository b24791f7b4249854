//! What a watcher is told while a campaign runs: facts and numbers, as they come. It must not hold words for people;
//! those are the watcher's.

use soak_campaign::{
    plan::{PlannedRun, PlannedStep},
    step::{AttemptEnd, AttemptKey, WaitReason},
    table::Row,
};
use soak_sample::LeverProof;

/// Somebody who is told.
pub trait Watch {
    /// Something has come.
    fn see(&mut self, event: &Event<'_>);
}

/// What has come.
#[derive(Debug)]
pub enum Event<'a> {
    /// Fresh processes for a run are being made.
    PartBegins {
        /// The run.
        run: &'a PlannedRun,
        /// Which attempt, from 1.
        attempt: u32,
        /// Which part, from 1; more than one: the ramp is split.
        part: u32,
        /// Time left for all runs, milliseconds.
        left_millis: i64,
    },
    /// Nothing can be done now.
    Waits(&'a WaitReason),
    /// Levers were looked for on the arm's process.
    LeversProven(&'a [LeverProof]),
    /// Load is on.
    Live(&'a Live<'a>),
    /// A step is durable; its row is judged as far as the run has come.
    StepStored {
        /// The run.
        run: &'a PlannedRun,
        /// Its row.
        row: &'a Row,
        /// Steps of the run that are stored.
        number: usize,
        /// Steps of the run.
        of: usize,
    },
    /// An attempt is over.
    AttemptEnded {
        /// Which.
        attempt: &'a AttemptKey,
        /// How.
        end: &'a AttemptEnd,
    },
    /// Something that a reader should know at once.
    Warning(&'a str),
}

/// A step under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Live<'a> {
    /// The run.
    pub run: &'a PlannedRun,
    /// The step.
    pub step: &'a PlannedStep,
    /// Its place among the run's steps, from 1.
    pub number: usize,
    /// Steps of the run.
    pub of: usize,
    /// Calls due per second so far.
    pub offered: f64,
    /// Calls answered well per second so far.
    pub delivered: f64,
    /// p99 of late, milliseconds; absent where it is not known.
    pub p99_millis: Option<f64>,
    /// Calls never sent so far.
    pub never_sent: u64,
    /// Time left for all runs, milliseconds.
    pub left_millis: i64,
}
