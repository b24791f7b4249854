//! `soak report DIR`: makes the HTML report again from an output folder, byte for byte the same. A folder that is sealed
//! is never changed: what is not in its index does not get into it. The page itself is made in `document`.

mod chart;
mod document;
mod grid;
mod head;
mod levers;
mod overview;
mod rows;
mod run;
mod style;
mod words;

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use soak_crds::SoakCampaignStatus;
use soak_local::ledger::{FolderError, OutputError, OutputLedger, durable};

use crate::{Exit, tables::Told};

pub use document::document;

/// The report's name in an output folder.
pub const FILE: &str = "report.html";

/// Makes the HTML report of a campaign again, from its output folder.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The output folder of a campaign.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Where the report goes; `-` is standard output. Default: report.html in the folder.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
enum ReportError {
    #[error(transparent)]
    Folder(#[from] OutputError),
    #[error("{}: the campaign has no summary yet; `soak run --resume {}` takes it to its end", path.display(), path.display())]
    NoSummary { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Summary { path: PathBuf, source: serde_json::Error },
    #[error("{}: the folder is sealed and holds another report; write this one elsewhere with --out FILE", path.display())]
    Sealed { path: PathBuf },
    #[error("the report cannot be written: {0}")]
    Output(#[from] io::Error),
}

/// Makes the report. Exit: usage where the folder is no campaign's or is sealed with another report.
pub fn run(args: &Args) -> Exit {
    match report(args) {
        Ok(()) => Exit::Completed,
        Err(error) => {
            let _ = writeln!(io::stderr(), "soak report: {error}");
            exit(&error)
        }
    }
}

fn report(args: &Args) -> Result<(), ReportError> {
    let ledger = OutputLedger::reopen(&args.folder)?;
    let text = of_folder(&ledger)?;
    let default = ledger.folder().root().join(FILE);
    match &args.out {
        Some(path) if path == Path::new("-") => Ok(io::stdout().lock().write_all(text.as_bytes())?),
        Some(path) => Ok(fs::write(path, text)?),
        None if fs::read(&default).is_ok_and(|found| found == text.as_bytes()) => Ok(()),
        None if ledger.folder().index().exists() => Err(ReportError::Sealed { path: default }),
        None => Ok(ledger.write(&default, text.as_bytes())?),
    }
}

/// The report of a folder, from its ledger and its summary.
fn of_folder(ledger: &OutputLedger) -> Result<String, ReportError> {
    let path = ledger.folder().summary();
    if !path.is_file() {
        return Err(ReportError::NoSummary { path: ledger.folder().root().to_owned() });
    }
    let bytes = durable::read(&path).map_err(OutputError::from)?;
    let status: SoakCampaignStatus =
        serde_json::from_slice(&bytes).map_err(|source| ReportError::Summary { path, source })?;
    let results = ledger.results()?;
    Ok(document(&Told { campaign: ledger.campaign(), results: &results, status: &status }))
}

fn exit(error: &ReportError) -> Exit {
    match error {
        ReportError::Folder(OutputError::Folder(FolderError::NotACampaign { .. }))
        | ReportError::NoSummary { .. }
        | ReportError::Sealed { .. } => Exit::Usage,
        ReportError::Folder(_) | ReportError::Summary { .. } | ReportError::Output(_) => Exit::Internal,
    }
}
