//! From plan, ledger and what is observed to the next decision. In: `Plan`, `Ledger`, `Observed`, the time. Out: what to
//! do, or why to wait and until when. Nothing is remembered between two decisions: whoever carries them out may die at
//! any point, read its ledger again and go on. Knows no clock, no process, no file.

mod attempt;
mod decide;
mod decision;
mod extension;
mod ledger;
mod observed;
mod order;
mod pods;
mod progress;
mod replay;
mod steps;
mod timing;
mod windows;

pub(crate) use decide::is_settled;
pub use decide::{MAX_ATTEMPTS, decide};
pub use decision::{Action, Decision, End, PartCause, Processes, ProofTime, Wait, WaitReason};
pub use ledger::{AttemptEnd, AttemptRecord, EndReason, Ledger, PartRecord, Proofs, Record, RunRecord, StoredStep};
pub use observed::{Observed, ObservedOrder, ObservedPart, OrderState, ProcessState, StartFailure, Storage, Wish};
pub use order::{AttemptKey, Identity, PartKey, StepKey, StepOrder};
pub use pods::{PodFact, PodFacts, image_digest};
pub use progress::{AtHandProgress, Progress, end_of};
pub use replay::LedgerError;
pub(crate) use timing::LEAD;
pub use windows::StepWindows;
