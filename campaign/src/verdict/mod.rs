//! From rows to verdicts on steps, runs and campaigns. Every verdict carries its evidence in numbers and its bound.

mod judgement;

pub use judgement::{Capacity, Evidence, Knee, Plateau, RunJudgement, Verdict};
