//! One run's section: its settings, its rows, what they mean. Pure.

use maud::{Markup, html};
use soak_local::ledger::{CampaignFile, RunResult};

use super::words;
use crate::tables::run_table;

/// The section of a run.
pub fn section(campaign: &CampaignFile, result: &RunResult) -> Markup {
    let name = &result.planned.id.0;
    html! {
        section.run id=(words::id("run", name)) {
            h2 { (name) }
            (words::list(&run_table::findings(&result.judged, &result.levers)))
            (words::list(&run_table::head(campaign, result)))
        }
    }
}
