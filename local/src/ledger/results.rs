//! What a run has given: rows measured from its windows, judged by the campaign's judge; its levers and processes.
//! In goes the ledger; out come values and the files that people read. It must not judge by itself.

use std::collections::BTreeMap;

use soak_campaign::{
    plan::{PlannedArm, PlannedRun, RunId},
    status::{JudgedRun, LeverEntry, judged_runs, lever_entries},
    step::{PodFacts, StepWindows},
    table::{Apart, Check, Isolation, OnPods, Provenance, Row, Setting, Signals, StepSamples, csv, measure},
    verdict::{fingerprint, fingerprint_hash},
};

use super::{
    CampaignFile, ExecutorFacts, Folder, OutputError, OutputLedger, PartPlace, PartProcesses, document, durable,
};
use crate::isolation::Sharing;

/// What a run has given so far, in its last attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The run.
    pub planned: PlannedRun,
    /// Its rows with their verdicts, what they mean, how it ended.
    pub judged: JudgedRun,
    /// Its levers, before load and after.
    pub levers: Vec<LeverEntry>,
    /// Where it ran, part by part.
    pub places: Vec<PartPlace>,
    /// What must be equal for two runs to be compared: names and values.
    pub fingerprint: BTreeMap<String, String>,
}

impl RunResult {
    /// The files that people read of the run, by name. From results alone, so that they can be made again.
    pub fn documents(&self) -> Result<Vec<(&'static str, Vec<u8>)>, OutputError> {
        let JudgedRun { rows, judgement, .. } = &self.judged;
        Ok(vec![
            ("rows.json", document(rows)?),
            ("rows.csv", csv(rows).into_bytes()),
            ("levers.json", document(&self.levers)?),
            ("judgement.json", document(judgement)?),
            ("fingerprint.json", document(&self.fingerprint)?),
        ])
    }
}

/// A step with its row.
pub(super) struct Measured<'a> {
    pub windows: &'a StepWindows,
    pub row: Row,
    pub signals: Signals,
}

/// The row of every step of a run, whichever attempt it belongs to.
pub(super) fn measure_all<'a>(
    ledger: &OutputLedger,
    run: &RunId,
    windows: &'a [StepWindows],
) -> Result<Vec<Measured<'a>>, OutputError> {
    let plan = &ledger.campaign().plan;
    let planned = plan.runs.iter().find(|planned| planned.id == *run);
    let found = planned.and_then(|run| Some((run, plan.arms.iter().find(|arm| arm.name == run.arm)?)));
    let Some((run, arm)) = found else { return Ok(Vec::new()) };
    let previous_end = |at: usize| {
        let before = windows[..at].iter().rfind(|before| before.key.part == windows[at].key.part);
        before.map(StepWindows::end_unix_nanos)
    };
    let steps = windows.iter().enumerate().map(|(at, step)| (step, previous_end(at)));
    match &ledger.campaign().facts.executor {
        ExecutorFacts::Machine(_) => {
            let processes = ledger.processes(&run.id)?;
            let pinned = ledger.pinned_digest(&arm.name)?;
            let here = Here { campaign: ledger.campaign(), run, arm, processes: &processes, pinned: pinned.as_deref() };
            let measured = steps.map(|(step, previous)| (step, here.measure(step, previous)));
            Ok(measured.map(|(windows, (row, signals))| Measured { windows, row, signals }).collect())
        }
        ExecutorFacts::Cluster { .. } => {
            let pods = ledger.all_pods()?;
            let first = PodFacts::first_of_arm(&pods, plan, &arm.name);
            let measured = steps.map(|(step, previous)| {
                let facts = PodFacts::of_part(&pods, &step.key.part);
                (step, OnPods { plan, run, arm, facts, first }.measure(step, previous))
            });
            Ok(measured.map(|(windows, (row, signals))| Measured { windows, row, signals }).collect())
        }
    }
}

/// A run on this machine.
struct Here<'a> {
    campaign: &'a CampaignFile,
    run: &'a PlannedRun,
    arm: &'a PlannedArm,
    processes: &'a [PartProcesses],
    pinned: Option<&'a str>,
}

impl Here<'_> {
    fn measure(&self, step: &StepWindows, previous_end_unix_nanos: Option<i64>) -> (Row, Signals) {
        let part = self.processes.iter().find(|part| part.part == step.key.part);
        let setting = Setting {
            client: &self.arm.client,
            protocol: self.arm.protocol,
            arm_cpus: part.map_or(&[][..], |part| &part.arm_cpus),
            irq_time_accounting: self.campaign.facts.machine.irq_time_accounting,
            bounds: &self.campaign.plan.bounds,
        };
        let samples = StepSamples {
            step: step.step,
            drivers: &step.drivers,
            witness: step.witness.as_ref(),
            previous_end_unix_nanos,
        };
        let (mut row, signals) = measure(&samples, &setting);
        row.provenance = part.map(|part| self.provenance(part, step));
        let digest = part.zip(self.pinned).map(|(part, pinned)| same_digest(&part.sha256, pinned));
        (row, Signals { digest, ..signals })
    }

    /// Where a step's row comes from.
    fn provenance(&self, part: &PartProcesses, step: &StepWindows) -> Provenance {
        Provenance {
            fingerprint: fingerprint_hash(&of_run(self.campaign, self.run)),
            digest_at_start: Some(part.sha256.clone()),
            digest_at_end: same_process(part, step).then(|| part.sha256.clone()),
            isolation: Isolation {
                apart: Some(match part.sharing {
                    Sharing::DifferentCores => Apart::DifferentCores,
                    Sharing::OneCore => Apart::OneCore,
                    Sharing::OneCpu => Apart::OneCpu,
                }),
                cpu_limit: part.enforced.cpu,
                memory_limit: part.enforced.memory,
                cpus_fixed: part.enforced.cpuset,
            },
            observer: format!("soak {} on this machine", self.campaign.facts.soak_version),
        }
    }
}

/// What every run has given so far; those that have not begun are left out.
pub(super) fn of_runs(ledger: &OutputLedger) -> Result<Vec<RunResult>, OutputError> {
    let plan = &ledger.campaign().plan;
    let judged = judged_runs(plan, ledger.state());
    let begun =
        judged.into_iter().zip(&plan.runs).filter_map(|(judged, planned)| Some((judged.key()?, judged, planned)));
    begun
        .map(|(key, judged, planned)| {
            let of_attempt = |place: &PartPlace| place.part().attempt == key;
            Ok(RunResult {
                planned: planned.clone(),
                judged,
                levers: ledger
                    .state()
                    .attempt(&key)
                    .map(|record| lever_entries(&planned.arm, key.attempt, record))
                    .unwrap_or_default(),
                places: ledger.places(&planned.id)?.into_iter().filter(of_attempt).collect(),
                fingerprint: of_run(ledger.campaign(), planned),
            })
        })
        .collect()
}

/// Writes what people read of a run.
pub(super) fn write(folder: &Folder, result: &RunResult) -> Result<(), OutputError> {
    for (file, bytes) in result.documents()? {
        durable::replace(&folder.of_run(&result.judged.run, file), &bytes)?;
    }
    Ok(())
}

fn of_run(campaign: &CampaignFile, run: &PlannedRun) -> BTreeMap<String, String> {
    fingerprint(run, &campaign.plan.planned_by, &campaign.facts.machine)
}

/// Whether the arm's process of the step's start was seen at its end.
fn same_process(part: &PartProcesses, step: &StepWindows) -> bool {
    let readings = step.witness.iter().flat_map(|window| &window.readings);
    let mut seen = readings.filter_map(|reading| reading.arm.as_ref()).map(|arm| {
        let process = arm.processes.iter().find(|process| process.pid == part.pid);
        process.map(|process| process.start_ticks)
    });
    let first = seen.next().flatten();
    first.is_some() && seen.next_back().flatten() == first
}

fn same_digest(found: &str, pinned: &str) -> Check {
    if found == pinned { Check::Holds } else { Check::Broken(format!("{pinned} became {found}")) }
}
