//! What the operator remembers of a campaign between two looks: a cache of what is durable, and what it has seen fail.
//! Dropped at any time, it is read again from the cluster.

use std::collections::BTreeMap;

use soak_campaign::{
    plan::{Plan, PlannedArm, PlannedRun, RunId},
    step::{AttemptKey, Ledger, PartKey, PodFact, PodFacts, StartFailure},
};

use crate::names::Base;

/// One campaign's memory.
#[derive(Debug, Clone)]
pub(crate) struct Desk {
    /// What its objects' names begin with.
    pub base: Base,
    /// What is carried out.
    pub plan: Plan,
    /// What is durable.
    pub ledger: Ledger,
    /// Records of each run so far, by the run's place in the plan.
    pub records: BTreeMap<usize, usize>,
    /// The pods of each part that was proven.
    pub pods: Vec<PodFacts>,
    /// The last beginning that failed.
    pub start_failed: Option<StartFailure>,
    /// Since when the driver has not answered, and its words.
    pub silent: Option<(i64, String)>,
}

impl Desk {
    /// A run's place in the plan.
    pub fn place(&self, run: &RunId) -> Option<usize> {
        self.plan.runs.iter().position(|planned| planned.id == *run)
    }

    /// A run.
    pub fn run(&self, id: &RunId) -> Option<&PlannedRun> {
        self.plan.runs.iter().find(|run| run.id == *id)
    }

    /// The number of the next record of a run, by the run's place.
    pub fn next_record(&self, place: usize) -> usize {
        self.records.get(&place).copied().unwrap_or_default()
    }

    /// The arm of a run.
    pub fn arm_of(&self, id: &RunId) -> Option<&PlannedArm> {
        let run = self.run(id)?;
        self.plan.arms.iter().find(|arm| arm.name == run.arm)
    }

    /// The arm's pod that ran first in this campaign.
    pub fn pinned(&self, arm: &str) -> Option<&PodFact> {
        PodFacts::first_of_arm(&self.pods, &self.plan, arm)
    }

    /// The last part of the attempt that goes on.
    pub fn open_part(&self) -> Option<PartKey> {
        self.plan.runs.iter().find_map(|run| {
            let attempts = &self.ledger.run(&run.id)?.attempts;
            let (last, attempt) = (attempts.last()?, u32::try_from(attempts.len()).ok()?);
            let part = u32::try_from(last.parts.len()).ok().filter(|part| *part > 0 && last.end.is_none())?;
            Some(AttemptKey { run: run.id.clone(), attempt }.part(part))
        })
    }
}
