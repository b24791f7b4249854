//! `soak run FILE`: carries out a campaign on this machine. In: a campaign, or the folder of one that was begun. Out:
//! progress on standard error, tables on standard output, everything measured in a folder.

mod begin;
mod differences;
mod finish;
mod preflight;
mod progress;
mod words;

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use clap::ValueEnum;
use soak_local::{Executor, Means, signal::Interrupt};

use crate::{
    Exit,
    input::{Paint, faults_as_text},
};

use begin::BeginError;
use progress::Progress;

/// Runs a campaign on this machine.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The campaign, as YAML or JSON.
    #[arg(value_name = "FILE", required_unless_present = "resume")]
    file: Option<PathBuf>,
    /// The folder for the results; it must not exist or be empty. Default: soak-NAME-TIME in the current folder.
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// Goes on with a campaign that was interrupted, in its folder. Nothing that is finished is measured again.
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// What is printed at the end.
    #[arg(long, short, value_enum, default_value_t = Output::Text)]
    output: Output,
}

/// What is printed at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// The tables.
    Text,
    /// The summary as JSON.
    Json,
    /// The summary as YAML.
    Yaml,
}

/// Carries the campaign out. Exit: as the campaign ended.
pub fn run(args: &Args) -> Exit {
    match carry_out(args) {
        Ok(exit) => exit,
        Err(error) => {
            let text = match &error {
                BeginError::Rejected(rejected) => faults_as_text(rejected, Paint::for_stderr()),
                other => format!("soak run: {other}\n"),
            };
            let _ = io::stderr().write_all(text.as_bytes());
            error.exit()
        }
    }
}

fn carry_out(args: &Args) -> Result<Exit, BeginError> {
    let interrupt = Interrupt::from_signals().map_err(BeginError::Signals)?;
    let loaded = args.file.as_deref().map(begin::load).transpose()?;
    let means = Means::find()?;
    let mut ledger = match (&args.resume, loaded) {
        (Some(folder), loaded) => begin::resume(folder, loaded.as_ref(), &means)?,
        (None, Some(loaded)) => begin::create(args.out.as_deref(), &loaded, &means)?,
        (None, None) => return Err(BeginError::NoFile),
    };
    let mut progress = Progress::new(&ledger.campaign().plan);
    progress.begins(&ledger);
    let end = Executor::new(&mut ledger, &means, &mut progress, interrupt).execute();
    progress.finish();
    Ok(finish::finish(&ledger, &end, args.output))
}
