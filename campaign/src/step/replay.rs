//! From records to the state that they add up to. A record told twice changes nothing, so that a writer that died between
//! writing and knowing may write again.

use soak_crds::spec::Withdrawal;

use super::{AttemptKey, AttemptRecord, Ledger, PartKey, PartRecord, ProofTime, Proofs, Record, RunRecord};
use crate::plan::RunId;

/// Why a record cannot follow those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// It speaks of an attempt that was not the next one.
    #[error("the ledger speaks of attempt {0}, and the one before is missing")]
    AttemptMissing(AttemptKey),
    /// It speaks of a part that never began.
    #[error("the ledger speaks of part {0}, which never began")]
    PartMissing(PartKey),
}

impl Ledger {
    /// The state that records add up to.
    pub fn replay(records: impl IntoIterator<Item = Record>) -> Result<Self, LedgerError> {
        let mut ledger = Self::default();
        for record in records {
            ledger.apply(record)?;
        }
        Ok(ledger)
    }

    /// Adds a record. One that was told before changes nothing.
    pub fn apply(&mut self, record: Record) -> Result<(), LedgerError> {
        match record {
            Record::PartBegan { part, at_unix_nanos, cause, arm, driver } => {
                let began = PartRecord {
                    began_unix_nanos: at_unix_nanos,
                    cause,
                    arm,
                    driver,
                    before_load: None,
                    after_load: None,
                    steps: Vec::new(),
                };
                self.begin(&part, began)
            }
            Record::LeversProven { part, at_unix_nanos, when, proofs } => {
                let part = self.part_mut(&part)?;
                let proven = match when {
                    ProofTime::BeforeLoad => &mut part.before_load,
                    ProofTime::AfterLoad => &mut part.after_load,
                };
                proven.get_or_insert(Proofs { at_unix_nanos, proofs });
                Ok(())
            }
            Record::StepAdded { attempt, step } => {
                let added = &mut self.attempt_mut(&attempt)?.added;
                if added.iter().all(|known| known.index != step.index) {
                    added.push(step);
                }
                Ok(())
            }
            Record::StepStored { key, stored } => {
                let steps = &mut self.part_mut(&key.part)?.steps;
                if steps.iter().all(|known| known.step.index != key.step) {
                    steps.push(*stored);
                }
                Ok(())
            }
            Record::AttemptEnded { attempt, at_unix_nanos, end } => {
                self.attempt_mut(&attempt)?.end.get_or_insert((at_unix_nanos, end));
                Ok(())
            }
            Record::Withdrawn { at_unix_nanos, withdrawal } => {
                let same = |known: &Withdrawal| known.run == withdrawal.run && known.step == withdrawal.step;
                if !self.withdrawals.iter().any(|(_, known)| same(known)) {
                    self.withdrawals.push((at_unix_nanos, withdrawal));
                }
                Ok(())
            }
        }
    }

    fn begin(&mut self, key: &PartKey, began: PartRecord) -> Result<(), LedgerError> {
        let parts = &mut self.attempt_mut(&key.attempt)?.parts;
        let next = length(parts.len()) + 1;
        if key.part == next {
            parts.push(began);
        } else if key.part > next || key.part == 0 {
            return Err(LedgerError::PartMissing(key.clone()));
        }
        Ok(())
    }

    /// The attempt; made where it is the next one.
    fn attempt_mut(&mut self, key: &AttemptKey) -> Result<&mut AttemptRecord, LedgerError> {
        let attempts = &mut self.run_mut(&key.run).attempts;
        if key.attempt == length(attempts.len()) + 1 {
            attempts.push(AttemptRecord::default());
        }
        place(key.attempt).and_then(|at| attempts.get_mut(at)).ok_or_else(|| LedgerError::AttemptMissing(key.clone()))
    }

    fn part_mut(&mut self, key: &PartKey) -> Result<&mut PartRecord, LedgerError> {
        let parts = &mut self.attempt_mut(&key.attempt)?.parts;
        place(key.part).and_then(|at| parts.get_mut(at)).ok_or_else(|| LedgerError::PartMissing(key.clone()))
    }

    fn run_mut(&mut self, run: &RunId) -> &mut RunRecord {
        let at = self.runs.iter().position(|record| record.run == *run).unwrap_or_else(|| {
            self.runs.push(RunRecord { run: run.clone(), attempts: Vec::new() });
            self.runs.len() - 1
        });
        &mut self.runs[at]
    }

    /// When the last attempt to end did, nanoseconds since the Unix epoch, so that the same ledger always says the same.
    pub fn last_end(&self) -> Option<i64> {
        let attempts = self.runs.iter().flat_map(|run| &run.attempts);
        attempts.filter_map(|attempt| attempt.end.as_ref()).map(|(at, _)| *at).max()
    }

    /// What is durable of a run.
    pub fn run(&self, run: &RunId) -> Option<&RunRecord> {
        self.runs.iter().find(|record| record.run == *run)
    }

    /// What is durable of an attempt.
    pub fn attempt(&self, key: &AttemptKey) -> Option<&AttemptRecord> {
        self.run(&key.run)?.attempts.get(place(key.attempt)?)
    }
}

/// The place in a list of what is counted from 1.
fn place(number: u32) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

/// A list's length as a count.
fn length(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}
