//! What a run has given: rows measured anew from its windows and judged by the campaign's judge, its levers, its
//! processes, its end. In goes the ledger; out come values and the files that people read. It must not judge by itself.

use soak_campaign::{
    plan::{PlannedRun, RunId},
    step::{AttemptEnd, AttemptRecord, ProofTime, Proofs},
    table::{Check, Row, Setting, Signals, StepSamples, measure},
    verdict::{RunJudgement, judge_run},
};

use super::{Folder, LeverEntry, OutputError, OutputLedger, PartProcesses, StepWindows, document, durable};

/// What a run has given so far, in its last attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The run.
    pub run: PlannedRun,
    /// The attempt that counts, from 1.
    pub attempt: u32,
    /// Its rows with their verdicts.
    pub rows: Vec<Row>,
    /// What they mean.
    pub judgement: RunJudgement,
    /// Its levers, before load and after.
    pub levers: Vec<LeverEntry>,
    /// Its processes, part by part.
    pub processes: Vec<PartProcesses>,
    /// How it ended; absent while it is open.
    pub end: Option<AttemptEnd>,
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
        Measured { windows: step, row, signals }
    });
    Ok(measured.collect())
}

/// What a run has given so far; `None` where it has not begun.
pub(super) fn of_run(ledger: &OutputLedger, run: &RunId) -> Result<Option<RunResult>, OutputError> {
    let plan = &ledger.campaign().plan;
    let planned = plan.runs.iter().find(|planned| planned.id == *run);
    let (Some(planned), Some(record)) = (planned, ledger.state().run(run)) else { return Ok(None) };
    let Some(last) = record.attempts.last() else { return Ok(None) };
    let attempt = u32::try_from(record.attempts.len()).unwrap_or(u32::MAX);
    let windows = ledger.windows(run)?;
    let pinned = ledger.pinned_digest(&planned.arm)?;
    let processes: Vec<PartProcesses> =
        ledger.processes(run)?.into_iter().filter(|part| part.part.attempt.attempt == attempt).collect();
    let levers = held(last);
    let digest = pinned.map(|pinned| same_digest(&processes, &pinned));
    let (rows, signals): (Vec<Row>, Vec<Signals>) = measure_all(ledger, run, &windows)?
        .into_iter()
        .filter(|measured| measured.windows.key.part.attempt.attempt == attempt)
        .map(|measured| {
            let signals = Signals { levers: levers.clone(), digest: digest.clone(), ..measured.signals };
            (measured.row, signals)
        })
        .unzip();
    let (rows, judgement) = judge_run(rows, &signals, &plan.bounds);
    Ok(Some(RunResult {
        run: planned.clone(),
        attempt,
        rows,
        judgement,
        levers: entries(planned, attempt, last),
        processes,
        end: last.end.as_ref().map(|(_, end)| end.clone()),
    }))
}

/// Writes what people read of a run.
pub(super) fn write(folder: &Folder, result: &RunResult) -> Result<(), OutputError> {
    let run = &result.run.id;
    let put = |file: &str, bytes: &[u8]| durable::replace(&folder.of_run(run, file), bytes);
    put("rows.json", &document(&result.rows)?)?;
    put("rows.csv", csv(&result.rows).as_bytes())?;
    put("levers.json", &document(&result.levers)?)?;
    Ok(put("judgement.json", &document(&result.judgement)?)?)
}

/// Whether every lever held wherever it was looked for; absent where it was not looked for.
fn held(attempt: &AttemptRecord) -> Option<Check> {
    let proofs: Vec<&Proofs> =
        attempt.parts.iter().flat_map(|part| part.before_load.iter().chain(&part.after_load)).collect();
    let miss = proofs.iter().find_map(|proofs| proofs.miss());
    match miss {
        Some(words) => Some(Check::Broken(words)),
        None if proofs.is_empty() => None,
        None => Some(Check::Holds),
    }
}

fn same_digest(processes: &[PartProcesses], pinned: &str) -> Check {
    match processes.iter().find(|part| part.sha256 != pinned) {
        Some(other) => Check::Broken(format!("{pinned} became {}", other.sha256)),
        None => Check::Holds,
    }
}

fn entries(run: &PlannedRun, attempt: u32, record: &AttemptRecord) -> Vec<LeverEntry> {
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

fn csv(_rows: &[Row]) -> String {
    String::new()
}
