//! A small campaign that was really run: two arms and a lever's variant of one, past the knee.

use std::{fs, path::Path, process::Command};

use soak_campaign::{
    status::{campaign_judgement, judged_runs},
    verdict::CampaignJudgement,
};
use soak_crds::SoakCampaignStatus;
use soak_local::ledger::{CampaignFile, OutputLedger, RunResult};

use super::document;
use crate::{
    documents,
    tables::{self, Told},
};

/// What the campaign gave; a test may change any of it.
#[derive(Clone)]
pub struct Small {
    pub campaign: CampaignFile,
    pub results: Vec<RunResult>,
    pub status: SoakCampaignStatus,
    pub judgement: CampaignJudgement,
}

impl Small {
    pub fn read() -> Self {
        let place = recorded();
        let ledger = OutputLedger::look(place.path()).unwrap();
        let campaign = ledger.campaign().clone();
        let runs = judged_runs(&campaign.plan, ledger.state());
        let judgement = campaign_judgement(&campaign.plan, &runs, &campaign.facts.machine);
        let status = documents::of(&ledger, &documents::end(&ledger)).unwrap().status;
        Self { campaign, results: ledger.results().unwrap(), status, judgement }
    }

    pub fn document(&self) -> String {
        self.told(document)
    }

    pub fn tables(&self) -> String {
        self.told(tables::document)
    }

    fn told(&self, tell: impl Fn(&Told<'_>) -> String) -> String {
        let Self { campaign, results, status, judgement } = self;
        tell(&Told { campaign, results, status, judgement })
    }
}

/// The recorded folder. Its plan gets the hash that it has now: a field that plans have gained since is no change of it.
fn recorded() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/folders/small"), place.path());
    let path = place.path().join("campaign.json");
    let mut campaign: CampaignFile = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    campaign.plan.hash = campaign.plan.computed_hash();
    fs::write(path, serde_json::to_vec(&campaign).unwrap()).unwrap();
    place
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-rT").args([from, to]).status().unwrap().success());
}
