//! How a run ends: every document written, the tables printed, the exit code told.

use std::io::{self, Write as _};

use soak_campaign::step::End;
use soak_crds::SoakCampaignStatus;
use soak_local::ledger::{OutputError, OutputLedger};

use super::Output;
use crate::{Exit, documents};

/// Writes and prints what was measured. Exit: as the campaign ended; incomplete where it cannot be written.
pub fn finish(ledger: &OutputLedger, end: &End, output: Output) -> Exit {
    let documents = match documents::of(ledger, end) {
        Ok(documents) => documents,
        Err(error) => return failed(&error, Exit::Internal),
    };
    let mut exit = Exit::from(documents.ending);
    if let Err(error) = documents.write(ledger, end) {
        exit = failed(&error, Exit::Incomplete);
    }
    if let End::StorageLost { words } = end {
        let _ = writeln!(io::stderr(), "soak run: {words}");
    }
    if print(&documents.status, &documents.tables, output).is_err() {
        return Exit::Internal;
    }
    let _ = writeln!(io::stderr(), "results: {}", ledger.folder().root().display());
    exit
}

fn print(status: &SoakCampaignStatus, text: &str, output: Output) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match output {
        Output::Text => out.write_all(text.as_bytes()),
        Output::Json => writeln!(out, "{}", serde_json::to_string_pretty(status)?),
        Output::Yaml => write!(out, "{}", serde_saphyr::to_string(status).map_err(io::Error::other)?),
    }
}

fn failed(error: &OutputError, exit: Exit) -> Exit {
    let _ = writeln!(io::stderr(), "soak run: {error}");
    exit
}
