//! `soak report DIR`: makes the HTML report again from an output folder, byte for byte the same. A folder that is sealed
//! is never changed: what is not in its index does not get into it. The page itself is made in `document`.

mod chart;
mod document;
mod grid;
mod head;
mod levers;
mod overview;
mod places;
mod rows;
mod run;
mod style;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
mod words;

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use soak_local::ledger::{OutputError, OutputLedger};

use crate::{Exit, documents, folder};

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
    #[error("{}: the folder is sealed and does not hold this report; write it elsewhere with --out FILE", path.display())]
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
    let ledger = OutputLedger::look(&args.folder)?;
    let text = of_folder(&ledger)?;
    let folder = ledger.folder();
    let path = args.out.clone().unwrap_or_else(|| folder.root().join(FILE));
    if path == Path::new("-") {
        return Ok(io::stdout().lock().write_all(&text)?);
    }
    if fs::read(&path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    if folder.index().exists() && lies_within(&path, folder.root()) {
        return Err(ReportError::Sealed { path });
    }
    Ok(fs::write(&path, text)?)
}

/// Whether a file would lie within a folder, wherever links lead.
fn lies_within(path: &Path, folder: &Path) -> bool {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::canonicalize(parent).is_ok_and(|parent| parent.starts_with(folder))
}

/// The report of a folder, from its ledger alone.
fn of_folder(ledger: &OutputLedger) -> Result<Vec<u8>, ReportError> {
    Ok(documents::of(ledger, &documents::end(ledger))?.report().to_vec())
}

/// The exit code of an error.
fn exit(error: &ReportError) -> Exit {
    match error {
        ReportError::Folder(error) => folder::exit(error),
        ReportError::Sealed { .. } => Exit::Usage,
        ReportError::Output(_) => Exit::Internal,
    }
}
