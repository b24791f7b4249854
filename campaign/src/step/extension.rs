//! Whether a ramp goes on past its last step: the judge says so from the rows so far.

use super::decide::AtHand;
use crate::{
    plan::{Plan, PlannedStep},
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
