//! Runs with their verdicts, and the rows that are missing, each with its reason.

use soak_crds::spec::Withdrawal;

use crate::{
    plan::{Plan, PlannedRun, PlannedStep, RunId, StepKind},
    step::{AttemptEnd, AttemptKey, AttemptRecord, EndReason, Ledger, PartCause, PartRecord, Proofs, is_settled},
    table::{Check, Row, Signals, Withdrawn},
    verdict::{Capacity, Drift, RunJudgement, Verdict, Worth, drift, judge_run, slo_capacity, withdraw},
};

/// A run as far as it has come, judged: the last attempt that counts.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedRun {
    /// The run.
    pub run: RunId,
    /// The arm.
    pub arm: String,
    /// The body.
    pub body: String,
    /// The attempt whose rows these are; absent: it has not begun.
    pub attempt: Option<u32>,
    /// How that attempt ended; absent while it is open.
    pub end: Option<AttemptEnd>,
    /// True once there will be no further row, nor another attempt.
    pub settled: bool,
    /// The rows in the order in which they were made, each with its verdict.
    pub rows: Vec<Row>,
    /// What was observed beside each row.
    pub signals: Vec<Signals>,
    /// What the run means.
    pub judgement: RunJudgement,
    /// What a hold means; absent for a ramp.
    pub drift: Option<Drift>,
    /// Planned steps without a row.
    pub missing: Vec<MissingRow>,
    /// What of it was taken back.
    pub withdrawn: Vec<TakenBack>,
}

/// A number that was taken back, as it was.
#[derive(Debug, Clone, PartialEq)]
pub struct TakenBack {
    /// The step's rate, calls per second; absent: the whole run.
    pub step: Option<i64>,
    /// When, nanoseconds since the Unix epoch.
    pub at_unix_nanos: i64,
    /// Why, and what stands in its place.
    pub words: Withdrawn,
    /// What the step delivered, or the run's capacity, before; absent where there was no number.
    pub was: Option<Capacity>,
}

/// A planned step without a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingRow {
    /// The step.
    pub step: PlannedStep,
    /// Why there is no row.
    pub reason: String,
}

/// Every run of the plan, in its order, judged.
pub fn judged_runs(plan: &Plan, ledger: &Ledger) -> Vec<JudgedRun> {
    plan.runs.iter().map(|run| judged(plan, run, ledger)).collect()
}

fn judged(plan: &Plan, run: &PlannedRun, ledger: &Ledger) -> JudgedRun {
    let attempts = ledger.run(&run.id).map_or(&[][..], |record| &record.attempts[..]);
    let record = attempts.last();
    let (rows, signals) = record.map(AttemptRecord::proven_rows).unwrap_or_default();
    let withdrawn = taken_back(run, &rows, &signals, (plan, ledger));
    let rows = marked(run, rows, ledger);
    let (rows, mut judgement) = judge_run(rows, &signals, &plan.bounds);
    judgement.slo_capacity = plan.slo.as_ref().and_then(|slo| slo_capacity(&rows, slo));
    let drift = is_hold(run).then(|| drift(&rows, &plan.bounds));
    judgement.extend &= drift.is_none();
    judgement.split.extend(record.map(splits).unwrap_or_default());
    judgement.split.sort_by(f64::total_cmp);
    judgement.split.dedup();
    let end = record.and_then(|record| record.end.as_ref()).map(|(_, end)| end.clone());
    JudgedRun {
        run: run.id.clone(),
        arm: run.arm.clone(),
        body: run.body.clone(),
        attempt: record.and_then(|_| u32::try_from(attempts.len()).ok()),
        missing: missing(run, record),
        end,
        settled: record.is_some_and(|record| is_settled(record, attempts.len())),
        rows,
        signals,
        judgement,
        drift,
        withdrawn,
    }
}

/// The rows with the marks of what was taken back.
fn marked(run: &PlannedRun, mut rows: Vec<Row>, ledger: &Ledger) -> Vec<Row> {
    let withdrawals: Vec<Withdrawal> = ledger.withdrawals.iter().map(|(_, withdrawal)| withdrawal.clone()).collect();
    withdraw(&run.id.0, &mut rows, &withdrawals);
    rows
}

/// What was taken back of a run, with the numbers as they were before anything was.
fn taken_back(run: &PlannedRun, rows: &[Row], signals: &[Signals], (plan, ledger): (&Plan, &Ledger)) -> Vec<TakenBack> {
    let own = || ledger.withdrawals.iter().filter(|(_, withdrawal)| withdrawal.run == run.id.0);
    if own().next().is_none() {
        return Vec::new();
    }
    let (rows, judgement) = judge_run(rows.to_vec(), signals, &plan.bounds);
    let was = |step: Option<i64>| match step {
        None => judgement.capacity,
        Some(step) => {
            let row = rows.iter().find(|row| !row.warmup && row.planned == Some(step))?;
            let floor = row.verdict.is_some_and(|verdict| verdict.worth() == Worth::Floor);
            Some(Capacity { per_second: row.delivered?, at_least: floor })
        }
    };
    let told = own().map(|(at, withdrawal)| TakenBack {
        step: withdrawal.step,
        at_unix_nanos: *at,
        words: Withdrawn { reason: withdrawal.reason.clone(), superseded_by: withdrawal.superseded_by.clone() },
        was: was(withdrawal.step),
    });
    told.collect()
}

fn is_hold(run: &PlannedRun) -> bool {
    run.steps.iter().any(|step| step.kind == StepKind::Hold)
}

/// Rates of the steps with which later parts begin, their warm-up aside.
fn splits(record: &AttemptRecord) -> Vec<f64> {
    let first = |part: &PartRecord| Some(part.steps.iter().find(|stored| !stored.row.warmup)?.row.rate());
    record.parts.iter().skip(1).filter_map(first).collect()
}

fn missing(run: &PlannedRun, record: Option<&AttemptRecord>) -> Vec<MissingRow> {
    let reason = match record {
        None => "not begun".to_owned(),
        Some(AttemptRecord { end: None, .. }) => "not measured yet".to_owned(),
        Some(AttemptRecord { end: Some((_, end)), .. }) => end.to_string(),
    };
    let added = record.map_or(&[][..], |record| &record.added[..]);
    let parts = record.map_or(&[][..], |record| &record.parts[..]);
    let has_row =
        |step: &PlannedStep| parts.iter().flat_map(|part| &part.steps).any(|row| row.step.index == step.index);
    let judged = run.steps.iter().chain(added).filter(|step| step.kind != StepKind::Warmup);
    judged.filter(|step| !has_row(step)).map(|step| MissingRow { step: *step, reason: reason.clone() }).collect()
}

impl AttemptRecord {
    /// The rows of the attempt in the order in which they were made, not judged yet, with what was observed beside each.
    pub fn rows(&self) -> (Vec<Row>, Vec<Signals>) {
        let stored = self.parts.iter().flat_map(|part| &part.steps);
        stored.map(|stored| (stored.row.clone(), stored.signals.clone())).unzip()
    }

    /// The rows, with the proof of the levers beside them.
    fn proven_rows(&self) -> (Vec<Row>, Vec<Signals>) {
        let proven = self.parts.iter().enumerate().flat_map(|(at, part)| {
            let levers = self.levers(at, part);
            part.steps.iter().map(move |stored| {
                let signals = Signals { levers: levers.clone(), ..stored.signals.clone() };
                (stored.row.clone(), signals)
            })
        });
        proven.unzip()
    }

    /// Whether the levers held on the process of this part, before its load and after; unknown until both are known.
    /// A part that was followed by one on the same process is proven by that one's end.
    fn levers(&self, at: usize, part: &PartRecord) -> Option<Check> {
        let later = self.parts[at + 1..].iter().take_while(|next| next.cause == PartCause::Gap);
        let same_process: Vec<&PartRecord> = std::iter::once(part).chain(later).collect();
        let mut proofs = same_process.iter().flat_map(|part| [&part.before_load, &part.after_load]).flatten();
        if let Some(words) = proofs.find_map(Proofs::miss) {
            return Some(Check::Broken(words));
        }
        let after = same_process.last().is_some_and(|last| last.after_load.is_some());
        (part.before_load.is_some() && after).then_some(Check::Holds)
    }
}

impl JudgedRun {
    /// Why the run has no number that counts; absent where it has one, or where it is under way.
    pub fn without_number(&self) -> Option<String> {
        let end = self.end.as_ref().filter(|_| self.settled)?;
        if self.has_number() {
            return None;
        }
        if let Some(whole) = self.withdrawn.iter().find(|taken| taken.step.is_none()) {
            return Some(format!("withdrawn: {}", whole.words.reason));
        }
        match end.reason {
            EndReason::Completed => Some(self.verdicts_in_words()),
            _ => Some(end.to_string()),
        }
    }

    /// Why the run does not count so far; absent where it does. One that is under way counts as far as it has come.
    pub fn why_not_counted(&self) -> Option<String> {
        (!self.has_number()).then(|| self.without_number().unwrap_or_else(|| "under way".to_owned()))
    }

    /// Whether at least one judged step counts.
    pub fn has_number(&self) -> bool {
        let judged = |verdict: Verdict| verdict.worth() == Worth::Judged;
        let counts = |row: &Row| row.withdrawn.is_none() && row.verdict.is_some_and(judged);
        self.judgement.capacity.is_some() && self.rows.iter().any(|row| !row.warmup && counts(row))
    }

    /// Whether a hold did not drift, each of its stretches but the first was clean, and that can be told; absent for a
    /// ramp.
    pub fn held(&self) -> Option<bool> {
        let drift = self.drift.as_ref()?;
        let clean = |at: &usize| self.rows.get(*at).is_some_and(|row| row.verdict == Some(Verdict::FirstStep));
        Some(drift.unknown.is_none() && drift.drifted.is_empty() && drift.unclean.iter().all(clean))
    }

    fn verdicts_in_words(&self) -> String {
        let mut names: Vec<&str> = self.rows.iter().filter_map(|row| row.verdict).map(Verdict::name).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() { "no row".to_owned() } else { format!("every step is {}", names.join(" or ")) }
    }

    /// The attempt's name.
    pub fn key(&self) -> Option<AttemptKey> {
        self.attempt.map(|attempt| AttemptKey { run: self.run.clone(), attempt })
    }
}
