//! An output folder made from a ledger that lies elsewhere: its lines as they were written there, so that no digit is lost.
//! In go lines; out comes the folder. What a folder holds already is brought up to date, and never lost.

use std::path::Path;

use soak_campaign::plan::RunId;

use super::{
    CampaignFile, ExecutorFacts, Folder, FolderError, OutputError, OutputLedger, document, durable, run_files,
};

/// The lines of a ledger that lies elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Copied {
    /// Every record, in order.
    pub records: Vec<String>,
    /// What was sampled of each run that has begun.
    pub runs: Vec<CopiedRun>,
}

/// What was sampled of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedRun {
    /// The run.
    pub run: RunId,
    /// Each step's windows.
    pub windows: Vec<String>,
    /// Each part's pods.
    pub pods: Vec<String>,
}

impl OutputLedger {
    /// Makes the folder of a campaign that was carried out elsewhere, or brings an earlier copy up to date. A folder that
    /// holds anything else is refused, and so is one with a record that the copy has not.
    pub fn copy(root: &Path, campaign: &CampaignFile, copied: &Copied) -> Result<Self, OutputError> {
        let folder = match Folder::create(root) {
            Err(FolderError::NotEmpty { .. }) => earlier_copy(root, campaign, copied)?,
            made => made?,
        };
        durable::replace(&folder.campaign(), &document(campaign)?)?;
        for run in &copied.runs {
            folder.make_run(&run.run)?;
            durable::replace(&folder.of_run(&run.run, run_files::WINDOWS), &lines(&run.windows))?;
            durable::replace(&folder.of_run(&run.run, run_files::PODS), &lines(&run.pods))?;
        }
        durable::replace(&folder.ledger(), &lines(&copied.records))?;
        Self::of(folder)
    }
}

fn earlier_copy(root: &Path, campaign: &CampaignFile, copied: &Copied) -> Result<Folder, OutputError> {
    let other = |what: &str| OutputError::OtherResults { path: root.display().to_string(), what: what.to_owned() };
    let before = match OutputLedger::look(root) {
        Err(OutputError::Folder(FolderError::NotACampaign { .. })) => return Err(other("it is no campaign's folder")),
        before => before?,
    };
    if before.campaign().plan.hash != campaign.plan.hash {
        return Err(other("it is of another plan"));
    }
    if place(before.campaign()).is_none() || place(before.campaign()) != place(campaign) {
        return Err(other("it was not copied from there"));
    }
    let known = durable::whole_lines(&before.folder().ledger())?;
    if !known.iter().all(|line| copied.records.contains(line)) {
        return Err(other("it has a record that the copy has not, such as a withdrawal made in the folder"));
    }
    Ok(Folder::reopen(root)?)
}

/// Where a campaign's ledger lies, if on a cluster.
fn place(campaign: &CampaignFile) -> Option<(&str, &str)> {
    match &campaign.facts.executor {
        ExecutorFacts::Cluster { cluster } => Some((&cluster.namespace, &cluster.results)),
        ExecutorFacts::Machine(_) => None,
    }
}

fn lines(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>().into_bytes()
}
