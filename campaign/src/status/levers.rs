//! The levers of an attempt as they were found: the items of `levers.json`.

use serde::{Deserialize, Serialize};
use soak_sample::LeverProof;

use crate::step::{AttemptRecord, ProofTime};

/// A lever as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeverEntry {
    /// The arm.
    pub arm: String,
    /// The proof.
    #[serde(flatten)]
    pub proof: LeverProof,
    /// When it was looked for.
    pub at: ProofTime,
    /// In which attempt, from 1.
    pub attempt: u32,
    /// In which part of it, from 1.
    pub part: u32,
}

/// Every lever of an attempt, part by part, before load and after.
pub fn lever_entries(arm: &str, attempt: u32, record: &AttemptRecord) -> Vec<LeverEntry> {
    let mut entries = Vec::new();
    for (part, number) in record.parts.iter().zip(1..) {
        for (proofs, at) in [(&part.before_load, ProofTime::BeforeLoad), (&part.after_load, ProofTime::AfterLoad)] {
            let found = proofs.iter().flat_map(|proofs| &proofs.proofs);
            entries.extend(found.map(|proof| LeverEntry {
                arm: arm.to_owned(),
                proof: proof.clone(),
                at,
                attempt,
                part: number,
            }));
        }
    }
    entries
}
