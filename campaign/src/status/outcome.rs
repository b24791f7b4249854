//! The outcome of a campaign, worst wins, and how a command that ran it ends.

use soak_crds::status::{ArmStatus, Outcome, PredictionOutcome, SoakCampaignStatus};

use super::JudgedRun;
use crate::step::End;

/// How a command that ran a campaign ends; each has an exit code of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Completed, and nothing that was asked has failed.
    Completed,
    /// A threshold or prediction failed, or a hold drifted.
    Failed,
    /// A threshold or prediction is undecided.
    Undecided,
    /// An arm has no valid number.
    NoValidNumber,
    /// Results are incomplete.
    Incomplete,
    /// Interrupted; partial results are kept.
    Interrupted,
}

/// The outcome: the worst of arms, thresholds and predictions.
pub(super) fn outcome(status: &SoakCampaignStatus) -> Outcome {
    let arms = status.arms.iter().filter_map(|arm| arm.verdict);
    let thresholds = status.thresholds.iter().filter_map(|threshold| threshold.outcome);
    let predictions = status.predictions.iter().filter_map(|prediction| prediction.outcome).map(of_prediction);
    arms.chain(thresholds).chain(predictions).max().unwrap_or(Outcome::Invalid)
}

fn of_prediction(outcome: PredictionOutcome) -> Outcome {
    match outcome {
        PredictionOutcome::Held => Outcome::Pass,
        PredictionOutcome::Failed => Outcome::Fail,
        PredictionOutcome::Undecidable => Outcome::Inconclusive,
    }
}

/// How the command ends. A campaign that asks nothing and has valid numbers completes, whatever its verdict.
pub fn ending(status: &SoakCampaignStatus, runs: &[JudgedRun], end: &End) -> Ending {
    match end {
        End::Interrupted | End::Cancelled => return Ending::Interrupted,
        End::StorageLost { .. } => return Ending::Incomplete,
        End::Completed => {}
    }
    let asked = || {
        let thresholds = status.thresholds.iter().filter_map(|threshold| threshold.outcome);
        thresholds.chain(status.predictions.iter().filter_map(|prediction| prediction.outcome).map(of_prediction))
    };
    let invalid = |arm: &ArmStatus| arm.verdict == Some(Outcome::Invalid);
    if status.arms.is_empty() || status.arms.iter().any(invalid) {
        Ending::NoValidNumber
    } else if asked().chain(status.arms.iter().filter_map(|arm| arm.verdict)).any(|outcome| outcome == Outcome::Fail) {
        Ending::Failed
    } else if asked().any(|outcome| outcome != Outcome::Pass) {
        Ending::Undecided
    } else if runs.iter().any(|run| !run.settled || !run.missing.is_empty()) {
        Ending::Incomplete
    } else {
        Ending::Completed
    }
}
