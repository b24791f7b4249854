//! How a run ends: summary, tables, report and index written, the same text printed, the exit code told.

use std::{
    collections::BTreeMap,
    io::{self, Write as _},
};

use soak_campaign::{
    status::{self, Ending, JudgedRun, judged_runs},
    step::{End, Progress},
};
use soak_crds::SoakCampaignStatus;
use soak_local::{
    ledger::{OutputError, OutputLedger, RunResult, document},
    unix_nanos,
};

use super::Output;
use crate::{
    Exit, report,
    tables::{self, Told},
};

/// Writes and prints what was measured. Exit: as the campaign ended; incomplete where it cannot be written.
pub fn finish(ledger: &OutputLedger, end: &End, output: Output) -> Exit {
    let results = match ledger.results() {
        Ok(results) => results,
        Err(error) => return failed(&error, Exit::Internal),
    };
    let campaign = ledger.campaign();
    let runs = judged_runs(&campaign.plan, ledger.state());
    let status = summary(ledger, &runs, &results, end);
    let told = Told { campaign, results: &results, status: &status };
    let text = tables::document(&told);
    let mut exit = exit(status::ending(&status, &runs, end));
    if let Err(error) = write(ledger, &told, &text, end) {
        exit = failed(&error, Exit::Incomplete);
    }
    if let End::StorageLost { words } = end {
        let _ = writeln!(io::stderr(), "soak run: {words}");
    }
    if print(&status, &text, output).is_err() {
        return Exit::Internal;
    }
    let _ = writeln!(io::stderr(), "results: {}", ledger.folder().root().display());
    exit
}

fn summary(ledger: &OutputLedger, runs: &[JudgedRun], results: &[RunResult], end: &End) -> SoakCampaignStatus {
    let plan = &ledger.campaign().plan;
    let digest = |result: &RunResult| Some((result.planned.arm.clone(), result.processes.first()?.sha256.clone()));
    let facts = status::Facts {
        digests: results.iter().filter_map(digest).collect::<BTreeMap<_, _>>(),
        machine: ledger.campaign().facts.machine.clone(),
        progress: Some(Progress::of(plan, ledger.state())),
        end: Some((last_instant(ledger), end.clone())),
    };
    status::status(plan, ledger.state(), runs, &facts)
}

/// When the last attempt ended, so that a folder that is taken up again says the same; now, where none has.
fn last_instant(ledger: &OutputLedger) -> i64 {
    let attempts = ledger.state().runs.iter().flat_map(|run| &run.attempts);
    attempts.filter_map(|attempt| attempt.end.as_ref()).map(|(at, _)| *at).max().unwrap_or_else(unix_nanos)
}

fn write(ledger: &OutputLedger, told: &Told<'_>, text: &str, end: &End) -> Result<(), OutputError> {
    ledger.write(&ledger.folder().summary(), &document(told.status)?)?;
    ledger.write(&ledger.folder().tables(), text.as_bytes())?;
    ledger.write(&ledger.folder().root().join(report::FILE), report::document(told).as_bytes())?;
    match end {
        End::Completed | End::Cancelled => ledger.seal(),
        End::Interrupted | End::StorageLost { .. } => Ok(()),
    }
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

fn exit(ending: Ending) -> Exit {
    match ending {
        Ending::Completed => Exit::Completed,
        Ending::Failed => Exit::Failed,
        Ending::Undecided => Exit::Undecided,
        Ending::NoValidNumber => Exit::NoValidNumber,
        Ending::Incomplete => Exit::Incomplete,
        Ending::Interrupted => Exit::Interrupted,
    }
}
