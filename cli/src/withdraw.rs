//! `soak withdraw DIR`: takes back a run, or a step of one. The record stays; every table and report shows the old number
//! struck through beside its reason and what stands in its place, and no comparison uses it.

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use soak_campaign::{plan::Plan, step::Record};
use soak_crds::spec::Withdrawal;
use soak_local::{
    ledger::{OutputError, OutputLedger},
    unix_nanos,
};

use crate::{Exit, documents, folder};

/// The longest reason, as in the resource.
const REASON_MOST: usize = 1024;
/// The longest pointer, as in the resource.
const POINTER_MOST: usize = 256;

/// Takes back a run, or a step of one: the old number stays, struck through, and counts no more.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The output folder of `soak run`.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The run, such as rest-tiny-r1.
    #[arg(long, value_name = "RUN")]
    run: String,
    /// The step, by its offered rate in calls per second. Default: the whole run.
    #[arg(long, value_name = "RATE", value_parser = clap::value_parser!(i64).range(1..=10_000_000))]
    step: Option<i64>,
    /// Why, for whoever reads the old number.
    #[arg(long, value_name = "WORDS", value_parser = words::<REASON_MOST>)]
    reason: String,
    /// What stands in its place, such as another run or the folder of another campaign.
    #[arg(long, value_name = "POINTER", value_parser = words::<POINTER_MOST>)]
    superseded_by: Option<String>,
}

/// Why nothing is taken back.
#[derive(Debug, thiserror::Error)]
enum WithdrawError {
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("--run {run}: no such run; there are: {}", known.join(", "))]
    NoSuchRun { run: String, known: Vec<String> },
    #[error("--step {step}: {run} has no row at this rate; it has rows at: {}", known.join(", "))]
    NoSuchStep { step: i64, run: String, known: Vec<String> },
    #[error("--run {run}: it has no row that could be taken back")]
    NoRow { run: String },
    #[error("{what} was withdrawn before: {reason}; a withdrawal is never changed")]
    Already { what: String, reason: String },
}

impl WithdrawError {
    fn exit(&self) -> Exit {
        match self {
            Self::Output(error) => folder::exit(error),
            Self::NoSuchRun { .. } | Self::NoSuchStep { .. } | Self::NoRow { .. } | Self::Already { .. } => Exit::Usage,
        }
    }
}

/// Takes it back and writes every document again. Exit: usage where there is no such row.
pub fn run(args: &Args) -> Exit {
    match take_back(args) {
        Ok(words) => {
            let _ = io::stdout().write_all(words.as_bytes());
            Exit::Completed
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "soak withdraw: {error}");
            error.exit()
        }
    }
}

fn take_back(args: &Args) -> Result<String, WithdrawError> {
    let mut ledger = OutputLedger::reopen(&args.folder)?;
    let withdrawal = Withdrawal {
        run: args.run.clone(),
        step: args.step,
        reason: args.reason.clone(),
        superseded_by: args.superseded_by.clone(),
    };
    // Told twice, it is recorded once: what did not get written the first time is written now.
    if !ledger.state().withdrawals.iter().any(|(_, known)| *known == withdrawal) {
        check(&ledger, &withdrawal)?;
        ledger.record(&Record::Withdrawn { at_unix_nanos: unix_nanos(), withdrawal })?;
    }
    let end = documents::end(&ledger);
    let documents = documents::of(&ledger, &end)?;
    documents.write(&ledger, &end)?;
    Ok(told(args))
}

fn check(ledger: &OutputLedger, asked: &Withdrawal) -> Result<(), WithdrawError> {
    let run = asked.run.clone();
    if !is_planned(&ledger.campaign().plan, &run) {
        let known = ledger.campaign().plan.runs.iter().map(|run| run.id.0.clone()).collect();
        return Err(WithdrawError::NoSuchRun { run, known });
    }
    let rates = rates(ledger, &run)?;
    if rates.is_empty() {
        return Err(WithdrawError::NoRow { run });
    }
    if let Some(step) = asked.step.filter(|step| !rates.contains(step)) {
        let known = rates.iter().map(i64::to_string).collect();
        return Err(WithdrawError::NoSuchStep { step, run, known });
    }
    let covers = |known: &Withdrawal| known.run == asked.run && (known.step.is_none() || known.step == asked.step);
    match ledger.state().withdrawals.iter().find(|(_, known)| covers(known)) {
        Some((_, known)) => {
            Err(WithdrawError::Already { what: named(&known.run, known.step), reason: known.reason.clone() })
        }
        None => Ok(()),
    }
}

fn is_planned(plan: &Plan, run: &str) -> bool {
    plan.runs.iter().any(|planned| planned.id.0 == run)
}

/// The rates at which a run has judged rows.
fn rates(ledger: &OutputLedger, run: &str) -> Result<Vec<i64>, OutputError> {
    let results = ledger.results()?;
    let rows = results.iter().filter(|result| result.planned.id.0 == run).flat_map(|result| &result.judged.rows);
    Ok(rows.filter(|row| !row.warmup).filter_map(|row| row.planned).collect())
}

fn named(run: &str, step: Option<i64>) -> String {
    match step {
        Some(step) => format!("the step of {step}/s of {run}"),
        None => run.to_owned(),
    }
}

fn told(args: &Args) -> String {
    let place = args.superseded_by.as_ref().map(|place| format!("; in its place: {place}")).unwrap_or_default();
    let what = named(&args.run, args.step);
    format!("{what} is withdrawn: {}{place}\nwritten again: {}\n", args.reason, args.folder.display())
}

/// A text of one line within a bound of characters.
fn words<const MOST: usize>(text: &str) -> Result<String, String> {
    let length = text.chars().count();
    match text {
        _ if text.trim().is_empty() => Err("must not be empty".to_owned()),
        _ if length > MOST => Err(format!("has {length} characters; at most {MOST} are allowed")),
        _ if text.chars().any(char::is_control) => Err("must be one line without control characters".to_owned()),
        _ => Ok(text.to_owned()),
    }
}
