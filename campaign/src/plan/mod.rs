//! From the spec to the plan: every default resolved, every run and step spelled out, nothing left to the executor.

mod planned;
mod refusal;

pub use planned::{
    Plan, PlannedArm, PlannedBody, PlannedClient, PlannedRun, PlannedServer, PlannedStep, Program, RunId, StepKind,
};
pub use refusal::{FieldPath, PathPart, Refusal};
