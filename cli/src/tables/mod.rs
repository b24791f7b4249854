//! The tables of a campaign: what is printed at its end is what `tables.md` holds, from the same lines of code.
//! Pure: results in, text out; so the text can be made again from an output folder, byte for byte.

mod align;
pub mod facts;
pub mod grid;
pub mod ladder;
pub mod number;
pub mod questions;
pub mod run_table;
pub mod settings;
mod slo;
mod withdrawn;

use soak_campaign::verdict::CampaignJudgement;
use soak_crds::SoakCampaignStatus;
use soak_local::ledger::{CampaignFile, RunResult};

/// Everything that the tables tell.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// The plan, and the facts under which it was carried out.
    pub campaign: &'a CampaignFile,
    /// What each run has given.
    pub results: &'a [RunResult],
    /// The results in short.
    pub status: &'a SoakCampaignStatus,
    /// What was asked of them, answered in full.
    pub judgement: &'a CampaignJudgement,
}

/// The tables as Markdown.
pub fn document(told: &Told<'_>) -> String {
    let mut text = format!("# {}\n\n{}", told.campaign.plan.name, facts::listed(&facts::campaign(told.campaign)));
    for result in told.results {
        text += "\n";
        text += &run_table::section(told.campaign, result);
    }
    text += "\n";
    text += &ladder::section(told);
    text += &questions::sections(told);
    align::aligned(&text)
}
