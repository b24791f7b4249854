//! The documents that people read of an output folder, made from its ledger alone: so that they are written at a run's
//! end, written again after a withdrawal, and held against the files by `soak verify`. In goes a ledger; out come bytes.
//! It must not write.

use std::{collections::BTreeMap, path::PathBuf};

use soak_campaign::{
    plan::RunId,
    status::{self, Ending, JudgedRun, campaign_judgement, judged_runs},
    step::{End, Progress},
};
use soak_crds::SoakCampaignStatus;
use soak_local::{
    ledger::{CampaignFile, ExecutorFacts, OutputError, OutputLedger, RunResult, document},
    unix_nanos,
};

use crate::{
    report,
    tables::{self, Told},
};

/// What an output folder tells.
#[derive(Debug)]
pub struct Documents {
    /// The campaign in short: `summary.json`.
    pub status: SoakCampaignStatus,
    /// The runs, judged, those that have not begun included.
    pub runs: Vec<JudgedRun>,
    /// How the campaign ended.
    pub ending: Ending,
    /// The tables: `tables.md`.
    pub tables: String,
    /// Every file, by its path in the folder.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

/// All documents of a campaign that ended this way.
pub fn of(ledger: &OutputLedger, end: &End) -> Result<Documents, OutputError> {
    let campaign = ledger.campaign();
    let results = ledger.results()?;
    let runs = judged_runs(&campaign.plan, ledger.state());
    let judgement = campaign_judgement(&campaign.plan, &runs, &campaign.facts.machine);
    let status = summary(ledger, &runs, &results, end);
    let told = Told { campaign, results: &results, status: &status, judgement: &judgement };
    let tables = tables::document(&told);
    let mut files = vec![
        (PathBuf::from("summary.json"), document(&status)?),
        (PathBuf::from("judgement.json"), document(&judgement)?),
        (PathBuf::from("tables.md"), tables.clone().into_bytes()),
        (PathBuf::from(report::FILE), report::document(&told).into_bytes()),
    ];
    for result in &results {
        let RunId(run) = &result.planned.id;
        let own = result.documents()?;
        files.extend(own.into_iter().map(|(file, bytes)| (PathBuf::from("runs").join(run).join(file), bytes)));
    }
    let ending = status::ending(&status, &runs, end);
    Ok(Documents { status, runs, ending, tables, files })
}

/// How a campaign ended, as far as its ledger tells: completed once every run is settled, else interrupted; on a cluster
/// that says it is over, cancelled.
pub fn end(ledger: &OutputLedger) -> End {
    let CampaignFile { plan, facts, .. } = ledger.campaign();
    match (Progress::of(plan, ledger.state()).at_hand, &facts.executor) {
        (None, _) => End::Completed,
        (Some(_), ExecutorFacts::Cluster { cluster }) if cluster.over => End::Cancelled,
        (Some(_), ExecutorFacts::Cluster { .. } | ExecutorFacts::Machine(_)) => End::Interrupted,
    }
}

impl Documents {
    /// The report as HTML.
    pub fn report(&self) -> &[u8] {
        let own = self.files.iter().find(|(path, _)| path.as_os_str() == report::FILE);
        own.map_or(&[], |(_, text)| text.as_slice())
    }

    /// Writes every document, and the index where the campaign is over.
    pub fn write(&self, ledger: &OutputLedger, end: &End) -> Result<(), OutputError> {
        for (path, bytes) in &self.files {
            ledger.write(&ledger.folder().root().join(path), bytes)?;
        }
        match end {
            End::Completed | End::Cancelled => ledger.seal(),
            End::Interrupted | End::StorageLost { .. } => Ok(()),
        }
    }
}

fn summary(ledger: &OutputLedger, runs: &[JudgedRun], results: &[RunResult], end: &End) -> SoakCampaignStatus {
    let plan = &ledger.campaign().plan;
    let digest = |result: &RunResult| Some((result.planned.arm.clone(), result.places.first()?.executed().to_owned()));
    let facts = status::Facts {
        digests: results.iter().filter_map(digest).collect::<BTreeMap<_, _>>(),
        machine: ledger.campaign().facts.machine.clone(),
        progress: Some(Progress::of(plan, ledger.state())),
        end: Some((ledger.state().last_end().unwrap_or_else(unix_nanos), end.clone())),
    };
    status::status(plan, ledger.state(), runs, &facts)
}
