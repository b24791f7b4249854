//! One run's section: what it means, its charts, its rows with their evidence, its levers, its settings. Pure.

use maud::{Markup, html};
use soak_local::ledger::{CampaignFile, RunResult};

use super::{chart, levers, places, rows, words};
use crate::tables::run_table;

/// The section of a run.
pub fn section(campaign: &CampaignFile, result: &RunResult) -> Markup {
    let RunResult { planned, judged, levers, places, .. } = result;
    let name = &planned.id.0;
    let id = words::id("run", name);
    let findings = run_table::findings(judged, levers);
    let (meaning, rest) = findings.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    html! {
        section.run id=(id) aria-labelledby={(id) "-name"} {
            h2 id={(id) "-name"} { (name) " " a.self href={"#" (id)} aria-label={"link to " (name)} { "#" } }
            p.meaning { (words::sentence(meaning)) }
            @if !rest.is_empty() { (words::list(rest)) }
            @if !judged.rows.is_empty() { (chart::of_run(judged, &id, meaning)) }
            (rows::table(judged))
            @if !judged.rows.is_empty() { (rows::evidence(&judged.rows)) }
            (levers::levers(levers))
            (places::places(places))
            h3 { "Settings" }
            (words::list(&run_table::head(campaign, result)))
        }
    }
}
