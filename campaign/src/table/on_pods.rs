//! The row of a step that ran on pods: from its windows and from what is known of the pods. The operator measures by this
//! when it stores a step; whoever proves its results measures by it again.

use super::{Apart, Check, Isolation, Provenance, Row, Setting, Signals, StepSamples, measure};
use crate::{
    plan::{Plan, PlannedArm, PlannedRun},
    step::{PodFact, PodFacts, StepWindows},
    verdict::{fingerprint, fingerprint_hash},
};

/// A run on pods.
#[derive(Debug, Clone, Copy)]
pub struct OnPods<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The run.
    pub run: &'a PlannedRun,
    /// Its arm.
    pub arm: &'a PlannedArm,
    /// The pods of the part; absent where they were not proven.
    pub facts: Option<&'a PodFacts>,
    /// The arm's pod that ran first in this campaign.
    pub first: Option<&'a PodFact>,
}

impl OnPods<'_> {
    /// The row of a step, not judged yet, and what was observed beside it. `previous_end_unix_nanos`: the end of the step
    /// before in the same part.
    pub fn measure(&self, windows: &StepWindows, previous_end_unix_nanos: Option<i64>) -> (Row, Signals) {
        let setting = Setting {
            client: &self.arm.client,
            protocol: self.arm.protocol,
            arm_cpus: &[],
            irq_time_accounting: self.facts.and_then(|facts| facts.machine.irq_time_accounting),
            bounds: &self.plan.bounds,
        };
        let samples = StepSamples {
            step: windows.step,
            drivers: &windows.drivers,
            witness: windows.witness.as_ref(),
            previous_end_unix_nanos,
        };
        let (mut row, signals) = measure(&samples, &setting);
        row.provenance = self.facts.map(|facts| self.provenance(facts, windows));
        (row, Signals { digest: self.same_digest(), ..signals })
    }

    fn same_digest(&self) -> Option<Check> {
        let (found, first) = (self.facts?.arm.digest(), self.first?.digest());
        Some(if found == first { Check::Holds } else { Check::Broken(format!("{first} became {found}")) })
    }

    /// Where a step's row comes from: the pods as they were proven, and as they were seen when it was over.
    fn provenance(&self, facts: &PodFacts, windows: &StepWindows) -> Provenance {
        let of_run = fingerprint(self.run, &self.plan.planned_by, &facts.machine);
        // Requests equal to limits, each of them set: what the kubelet calls Guaranteed.
        let limited = facts.arm.qos_class == "Guaranteed";
        Provenance {
            fingerprint: fingerprint_hash(&of_run),
            digest_at_start: Some(facts.arm.digest().to_owned()),
            digest_at_end: windows.pod_digest_at_end.clone(),
            isolation: Isolation {
                apart: (facts.arm.node != facts.driver.node).then_some(Apart::DifferentNodes),
                cpu_limit: limited,
                memory_limit: limited,
                cpus_fixed: false,
            },
            observer: format!("soak-witness {} in the arm's pod", self.plan.planned_by),
        }
    }
}
