//! `soak verify DIR`: proves an output folder from its files alone: sums match the index, rows follow from the windows,
//! every planned row is accounted for, and every document comes out byte for byte again.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::Serialize;
use soak_campaign::status::{AccountedRow, RowState, accounted};
use soak_local::{
    digest,
    ledger::{ExecutorFacts, OutputError, OutputLedger, Proof, index_holds, rows_follow},
};

use crate::{
    Exit, documents, folder,
    output::Output,
    tables::{facts::count, number},
};

/// Proves an output folder from its files alone.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The output folder of `soak run`.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// How the result is printed.
    #[arg(long, short, value_enum, default_value_t = Output::Text)]
    output: Output,
}

/// What was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The campaign.
    pub campaign: String,
    /// sha256 of its plan.
    pub plan_hash: String,
    /// This is the build of `soak` that made the folder, or for one copied from a cluster its version; another may give
    /// documents another form.
    pub same_build: bool,
    /// The campaign is over and has its index.
    pub sealed: bool,
    /// Nothing is wrong: the folder is sealed and every proof holds.
    pub verified: bool,
    /// Files held against the index.
    pub files: usize,
    /// Rows measured again.
    pub steps: usize,
    /// Documents made again.
    pub documents: usize,
    /// What became of each planned row.
    pub runs: Vec<RunRows>,
    /// What does not hold.
    pub faults: Vec<String>,
}

/// The rows of a run.
#[derive(Debug, Serialize)]
pub struct RunRows {
    /// The run.
    pub run: String,
    /// Its planned rows.
    pub rows: Vec<AccountedRow>,
}

/// Proves the folder. Exit: incomplete where anything does not hold or the campaign is not over.
pub fn run(args: &Args) -> Exit {
    match prove(&args.folder) {
        Ok(found) => {
            let text = match args.output {
                Output::Text => words(&found),
                Output::Json => serde_json::to_string_pretty(&found).unwrap_or_default() + "\n",
            };
            match io::stdout().write_all(text.as_bytes()) {
                Err(_) => Exit::Internal,
                Ok(()) if found.verified => Exit::Completed,
                Ok(()) => Exit::Incomplete,
            }
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "soak verify: {error}");
            folder::exit(&error)
        }
    }
}

/// Proves a folder.
pub fn prove(folder: &Path) -> Result<Finding, OutputError> {
    let ledger = OutputLedger::look(folder)?;
    let index = index_holds(&ledger)?;
    let rows = rows_follow(&ledger)?;
    let documents = documents::of(&ledger, &documents::end(&ledger))?;
    let again = come_out_again(&ledger, &documents.files);
    let sealed = index.is_some();
    let (files, mut faults) = index.map_or((0, Vec::new()), |proof| (proof.looked_at, proof.faults));
    if !sealed {
        faults.push(not_over(&ledger.campaign().facts.executor));
    }
    faults.extend(rows.faults);
    faults.extend(again.faults);
    let plan = &ledger.campaign().plan;
    let runs = documents.runs.iter().map(|run| RunRows { run: run.run.0.clone(), rows: accounted(run) });
    Ok(Finding {
        campaign: plan.name.clone(),
        plan_hash: plan.hash.clone(),
        same_build: is_same_build(&ledger.campaign().facts.executor)?,
        sealed,
        verified: faults.is_empty(),
        files,
        steps: rows.looked_at,
        documents: again.looked_at,
        runs: runs.collect(),
        faults,
    })
}

fn is_same_build(executor: &ExecutorFacts) -> Result<bool, OutputError> {
    match executor {
        ExecutorFacts::Machine(facts) => Ok(digest::of_file(Path::new("/proc/self/exe"))? == facts.soak_sha256),
        ExecutorFacts::Cluster { cluster } => Ok(cluster.copied_by == env!("CARGO_PKG_VERSION")),
    }
}

/// That there is no index, and the way out.
fn not_over(executor: &ExecutorFacts) -> String {
    let way_out = match executor {
        ExecutorFacts::Machine(_) => "go on with soak run --resume".to_owned(),
        ExecutorFacts::Cluster { cluster } => {
            format!("copy it again once it is, with kubectl soak results --namespace {}", cluster.namespace)
        }
    };
    format!("there is no index: the campaign is not over; {way_out}")
}

/// Holds every document against its file.
fn come_out_again(ledger: &OutputLedger, documents: &[(PathBuf, Vec<u8>)]) -> Proof {
    let fault = |(path, bytes): &(PathBuf, Vec<u8>)| match fs::read(ledger.folder().root().join(path)) {
        Ok(found) if found == *bytes => None,
        Ok(_) => Some(format!("{} does not come out of the windows", path.display())),
        Err(error) => Some(format!("{} cannot be read: {error}", path.display())),
    };
    Proof { looked_at: documents.len(), faults: documents.iter().filter_map(fault).collect() }
}

fn words(found: &Finding) -> String {
    let mut lines = vec![
        format!("campaign {}, plan sha256 {}", found.campaign, found.plan_hash),
        format!("{} held against the index", count(found.files, "file")),
        format!("{} measured again from the windows", count(found.steps, "row")),
        format!("{} made again", count(found.documents, "document")),
    ];
    if !found.same_build {
        lines.push("made by another build of soak, which may have given its documents another form".to_owned());
    }
    for run in &found.runs {
        lines.push(format!("{}: {}", run.run, counted(&run.rows)));
        lines.extend(run.rows.iter().filter_map(notable));
    }
    lines.extend(found.faults.iter().map(|fault| format!("NOT PROVEN: {fault}")));
    lines.push(if found.verified { "verified".to_owned() } else { "not verified".to_owned() });
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// How many rows there are of each kind.
fn counted(rows: &[AccountedRow]) -> String {
    let kinds = [
        (RowState::Valid, "valid"),
        (RowState::Floor, "a floor"),
        (RowState::Shown, "first step"),
        (RowState::Invalid, "invalid"),
        (RowState::Withdrawn, "withdrawn"),
        (RowState::Missing, "missing"),
    ];
    let of = |state: RowState| rows.iter().filter(|row| row.state == state).count();
    let counts = kinds.iter().map(|(state, name)| (of(*state), name)).filter(|(number, _)| *number > 0);
    let counts: Vec<String> = counts.map(|(number, name)| format!("{number} {name}")).collect();
    format!("{} planned: {}", count(rows.len(), "row"), counts.join(", "))
}

/// A row that is no valid number, with its reason.
fn notable(row: &AccountedRow) -> Option<String> {
    let reason = row.reason.as_ref()?;
    let state = match (row.state, row.verdict) {
        (RowState::Withdrawn, _) => "withdrawn".to_owned(),
        (RowState::Missing, _) | (_, None) => "missing".to_owned(),
        (_, Some(verdict)) => verdict.to_string(),
    };
    Some(format!("  {}/s {state}: {reason}", number::whole(row.rate)))
}

#[cfg(test)]
mod tests {
    use soak_campaign::verdict::Verdict;

    use super::*;

    fn row(state: RowState, verdict: Option<Verdict>, reason: Option<&str>) -> AccountedRow {
        AccountedRow { rate: 1200, state, verdict, reason: reason.map(str::to_owned) }
    }

    #[test]
    fn rows_are_counted_by_what_became_of_them() {
        let rows = [
            row(RowState::Valid, Some(Verdict::Clean), None),
            row(RowState::Valid, Some(Verdict::PastKnee), None),
            row(RowState::Missing, None, Some("the arm ended")),
        ];
        assert_eq!(counted(&rows), "3 rows planned: 2 valid, 1 missing");
        assert_eq!(counted(&[]), "0 rows planned: ");
    }

    #[test]
    fn a_row_that_is_no_valid_number_tells_why() {
        let check = |row: AccountedRow, expected: Option<&str>| assert_eq!(notable(&row).as_deref(), expected);
        check(row(RowState::Valid, Some(Verdict::Clean), None), None);
        check(row(RowState::Missing, None, Some("the arm ended")), Some("  1,200/s missing: the arm ended"));
        let limited = row(RowState::Floor, Some(Verdict::HostLimited), Some("host idle 0 %"));
        check(limited, Some("  1,200/s host-limited: host idle 0 %"));
        check(row(RowState::Withdrawn, Some(Verdict::Clean), Some("typo")), Some("  1,200/s withdrawn: typo"));
    }
}
