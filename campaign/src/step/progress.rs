//! How far a campaign has come: the run and step at hand, and the time that is left by the plan.

use std::fmt;

use super::{End, EndReason, Ledger, decide, timing::LEAD};
use crate::plan::{Plan, PlannedStep, RunId};

/// How far a campaign has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Runs that are settled.
    pub runs_settled: usize,
    /// Runs in all.
    pub runs: usize,
    /// What is at hand; absent: every run is settled.
    pub at_hand: Option<AtHandProgress>,
    /// Time left by the plan, without extensions and further attempts, milliseconds.
    pub remaining_millis: i64,
}

/// The run and step at hand.
#[derive(Debug, Clone, PartialEq)]
pub struct AtHandProgress {
    /// The run.
    pub run: RunId,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The step that has no row yet, from 1, the warm-up included.
    pub step: usize,
    /// Steps in all, added ones included.
    pub steps: usize,
    /// The step; absent: all have their row.
    pub planned: Option<PlannedStep>,
}

impl Progress {
    /// How far the ledger has come with the plan.
    pub fn of(plan: &Plan, ledger: &Ledger) -> Self {
        let at_hand = decide::at_hand(plan, ledger);
        let place = at_hand.as_ref().and_then(|at_hand| plan.runs.iter().position(|run| run.id == at_hand.run.id));
        let runs_settled = place.unwrap_or(plan.runs.len());
        let whole: i64 = plan.runs.iter().skip(runs_settled + 1).map(|run| run.expected_millis).sum();
        let at_hand = at_hand.map(|at_hand| {
            let record = at_hand.record;
            let added = record.map_or(&[][..], |record| &record.added[..]);
            let steps: Vec<&PlannedStep> = at_hand.run.steps.iter().chain(added).collect();
            let stored =
                |step: &PlannedStep| record.is_some_and(|record| record.parts.iter().any(|part| part.has(step.index)));
            let place = steps.iter().position(|step| !stored(step));
            let drain =
                plan.arms.iter().find(|arm| arm.name == at_hand.run.arm).map_or(0, |arm| arm.client.drain_nanos);
            let left =
                steps.iter().filter(|step| !stored(step)).map(|step| step.duration_nanos + drain + LEAD).sum::<i64>();
            let progress = AtHandProgress {
                run: at_hand.run.id.clone(),
                attempt: at_hand.key.attempt,
                step: place.map_or(steps.len(), |place| place + 1),
                steps: steps.len(),
                planned: place.map(|place| *steps[place]),
            };
            (progress, left / 1_000_000)
        });
        let left = at_hand.as_ref().map_or(0, |(_, left)| *left);
        Self {
            runs_settled,
            runs: plan.runs.len(),
            at_hand: at_hand.map(|(progress, _)| progress),
            remaining_millis: whole + left,
        }
    }
}

/// How a campaign that is over ended, by its ledger: cancelled where an attempt was, or where a run was never settled.
pub fn end_of(plan: &Plan, ledger: &Ledger) -> End {
    let attempts = ledger.runs.iter().flat_map(|run| &run.attempts);
    let mut ends = attempts.filter_map(|attempt| attempt.end.as_ref());
    let cancelled = ends.any(|(_, end)| end.reason == EndReason::Cancelled);
    if cancelled || decide::at_hand(plan, ledger).is_some() { End::Cancelled } else { End::Completed }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at_hand {
            None => write!(f, "all {} runs are settled", self.runs),
            Some(at_hand) => write!(
                f,
                "run {} of {}: {}, step {} of {}",
                self.runs_settled + 1,
                self.runs,
                at_hand.run,
                at_hand.step,
                at_hand.steps
            ),
        }
    }
}
