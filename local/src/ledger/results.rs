//! What a run has given: rows measured from its windows, judged by the campaign's judge; its levers and processes.
//! In goes the ledger; out come values and the files that people read. It must not judge by itself.

use soak_campaign::{
    plan::{PlannedRun, RunId},
    status::{JudgedRun, judged_runs},
    step::{AttemptRecord, ProofTime},
    table::{Check, Row, Setting, Signals, StepSamples, csv, measure},
};

use super::{Folder, LeverEntry, OutputError, OutputLedger, PartProcesses, StepWindows, document, durable};

/// What a run has given so far, in its last attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The run.
    pub planned: PlannedRun,
    /// Its rows with their verdicts, what they mean, how it ended.
    pub judged: JudgedRun,
    /// Its levers, before load and after.
    pub levers: Vec<LeverEntry>,
    /// Its processes, part by part.
    pub processes: Vec<PartProcesses>,
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
    let campaign = ledger.campaign();
    let processes = ledger.processes(run)?;
    let planned = campaign.plan.runs.iter().find(|planned| planned.id == *run);
    let Some(arm) = planned.and_then(|run| campaign.plan.arms.iter().find(|arm| arm.name == run.arm)) else {
        return Ok(Vec::new());
    };
    let pinned = ledger.pinned_digest(&arm.name)?;
    let measured = windows.iter().enumerate().map(|(at, step)| {
        let part = processes.iter().find(|part| part.part == step.key.part);
        let before = windows[..at].iter().rfind(|before| before.key.part == step.key.part);
        let setting = Setting {
            client: &arm.client,
            protocol: arm.protocol,
            arm_cpus: part.map_or(&[][..], |part| &part.arm_cpus),
            irq_time_accounting: campaign.facts.machine.irq_time_accounting,
            bounds: &campaign.plan.bounds,
        };
        let samples = StepSamples {
            step: step.step,
            drivers: &step.drivers,
            witness: step.witness.as_ref(),
            previous_end_unix_nanos: before.map(StepWindows::end_unix_nanos),
        };
        let (row, signals) = measure(&samples, &setting);
        let digest = part.zip(pinned.as_ref()).map(|(part, pinned)| same_digest(&part.sha256, pinned));
        Measured { windows: step, row, signals: Signals { digest, ..signals } }
    });
    Ok(measured.collect())
}

/// What every run has given so far; those that have not begun are left out.
pub(super) fn of_runs(ledger: &OutputLedger) -> Result<Vec<RunResult>, OutputError> {
    let plan = &ledger.campaign().plan;
    let judged = judged_runs(plan, ledger.state());
    let begun =
        judged.into_iter().zip(&plan.runs).filter_map(|(judged, planned)| Some((judged.key()?, judged, planned)));
    begun
        .map(|(key, judged, planned)| {
            let of_attempt = |part: &PartProcesses| part.part.attempt == key;
            Ok(RunResult {
                planned: planned.clone(),
                judged,
                levers: ledger
                    .state()
                    .attempt(&key)
                    .map(|record| levers(planned, key.attempt, record))
                    .unwrap_or_default(),
                processes: ledger.processes(&planned.id)?.into_iter().filter(of_attempt).collect(),
            })
        })
        .collect()
}

/// Writes what people read of a run.
pub(super) fn write(folder: &Folder, result: &RunResult) -> Result<(), OutputError> {
    let JudgedRun { run, rows, judgement, .. } = &result.judged;
    let put = |file: &str, bytes: &[u8]| durable::replace(&folder.of_run(run, file), bytes);
    put("rows.json", &document(rows)?)?;
    put("rows.csv", csv(rows).as_bytes())?;
    put("levers.json", &document(&result.levers)?)?;
    Ok(put("judgement.json", &document(judgement)?)?)
}

fn same_digest(found: &str, pinned: &str) -> Check {
    if found == pinned { Check::Holds } else { Check::Broken(format!("{pinned} became {found}")) }
}

fn levers(run: &PlannedRun, attempt: u32, record: &AttemptRecord) -> Vec<LeverEntry> {
    let mut entries = Vec::new();
    for (part, number) in record.parts.iter().zip(1..) {
        for (proofs, at) in [(&part.before_load, ProofTime::BeforeLoad), (&part.after_load, ProofTime::AfterLoad)] {
            let found = proofs.iter().flat_map(|proofs| &proofs.proofs);
            entries.extend(found.map(|proof| LeverEntry {
                arm: run.arm.clone(),
                proof: proof.clone(),
                at,
                attempt,
                part: number,
            }));
        }
    }
    entries
}
