//! What the operator remembers of a campaign between two looks: a cache of what is durable, and what it has seen fail.
//! Dropped at any time, it is read again from the cluster.

use std::collections::BTreeMap;

use soak_campaign::{
    plan::{Plan, PlannedArm, PlannedRun, RunId},
    step::{Ledger, PartKey, StartFailure},
};

use crate::{facts::PodFacts, names::Base};

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

    /// The pods of a part, where it was proven.
    pub fn facts(&self, part: &PartKey) -> Option<&PodFacts> {
        self.pods.iter().find(|facts| facts.part == *part)
    }

    /// The image that an arm ran first in this campaign, as the kubelet reported it.
    pub fn pinned(&self, arm: &str) -> Option<&crate::facts::PodFact> {
        let runs = self.plan.runs.iter().filter(|run| run.arm == arm);
        let first = runs.into_iter().find_map(|run| self.pods.iter().find(|facts| facts.part.attempt.run == run.id));
        first.map(|facts| &facts.arm)
    }
}
