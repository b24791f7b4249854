//! Whether a ramp goes on past its last step: the judge says so from the rows so far.

use super::{AttemptRecord, decide::AtHand};
use crate::{
    plan::{Plan, PlannedStep},
    table::{Row, Signals},
    verdict::{extend, judge_run},
};

/// The step to add; absent where the ramp is long enough or may not be longer.
pub(super) fn next(plan: &Plan, at_hand: &AtHand<'_>) -> Option<PlannedStep> {
    let record = at_hand.record.filter(|_| at_hand.run.extend_max_steps > 0)?;
    let (rows, signals) = record.rows();
    let (_, judgement) = judge_run(rows, &signals, &plan.bounds);
    let steps: Vec<PlannedStep> = at_hand.run.steps.iter().chain(&record.added).copied().collect();
    extend(at_hand.run, &steps, &judgement)
}

impl AttemptRecord {
    /// The rows of the attempt in the order in which they were made, not judged yet, with what was observed beside each.
    pub fn rows(&self) -> (Vec<Row>, Vec<Signals>) {
        let stored = self.parts.iter().flat_map(|part| &part.steps);
        stored.map(|stored| (stored.row.clone(), stored.signals.clone())).unzip()
    }
}
