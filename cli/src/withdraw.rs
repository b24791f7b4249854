//! `soak withdraw DIR`: takes back a run, or a step of one. The record stays; every table and report shows the old number
//! struck through beside its reason and what stands in its place, and no comparison uses it.

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use soak_campaign::{
    status::{WithdrawalError, check_withdrawal, withdrawn_in_words},
    step::Record,
};
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
    #[error("{0}")]
    Withdrawal(#[from] WithdrawalError),
}

impl WithdrawError {
    fn exit(&self) -> Exit {
        match self {
            Self::Output(error) => folder::exit(error),
            Self::Withdrawal(_) => Exit::Usage,
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
        check_withdrawal(&ledger.campaign().plan, ledger.state(), &withdrawal)?;
        ledger.record(&Record::Withdrawn { at_unix_nanos: unix_nanos(), withdrawal })?;
    }
    let end = documents::end(&ledger);
    let documents = documents::of(&ledger, &end)?;
    documents.write(&ledger, &end)?;
    Ok(told(args))
}

fn told(args: &Args) -> String {
    let place = args.superseded_by.as_ref().map(|place| format!("; in its place: {place}")).unwrap_or_default();
    let what = withdrawn_in_words(&args.run, args.step);
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
