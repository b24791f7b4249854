//! What comes before the single runs: the questions with their answers, the ladder, the runs at a glance. Pure; the same
//! numbers and words as in the tables.

use maud::{Markup, html};
use soak_campaign::{plan::Plan, step::EndReason};
use soak_local::ledger::RunResult;

use super::{grid, words};
use crate::tables::{
    Told,
    ladder::{self, Rungs},
    number,
    questions::{self, Answers},
    run_table,
};

/// What was asked, each with its answer.
pub fn questions(told: &Told<'_>) -> Markup {
    let asked = questions::asked(told);
    html! {
        section id="questions" {
            h2 { "Questions" }
            @if asked.is_empty() { p { "Nothing was asked of the numbers: no comparison, prediction or threshold." } }
            @for Answers { title, grid, notes } in &asked {
                (grid::table(title, grid))
                @if !notes.is_empty() { (words::list(notes)) }
            }
        }
    }
}

/// Each arm's knee and capacity, by body.
pub fn ladder(told: &Told<'_>) -> Markup {
    html! {
        section id="ladder" {
            h2 { "Ladder" }
            @for Rungs { body, grid, notes } in ladder::of_bodies(told) {
                @let caption = format!("body {body}");
                @match grid {
                    Some(grid) => (grid::table(&caption, &grid)),
                    None => p { (caption) ": " (ladder::NOT_BEGUN) },
                }
                @if !notes.is_empty() { (words::list(&notes)) }
            }
        }
    }
}

/// The runs in the order in which they were made, each with a link to its section; those that have not begun are told.
pub fn runs(told: &Told<'_>) -> Markup {
    let not_begun = not_begun(&told.campaign.plan, told.results);
    html! {
        section id="runs" {
            h2 { "Runs" }
            div.scroll {
                table {
                    caption { "In the order in which they were made" }
                    thead { tr { @for head in ["run", "steps", "what it means"] { th.word scope="col" { (head) } } } }
                    tbody { @for result in told.results { (line(result)) } }
                }
            }
            @if !not_begun.is_empty() { p { "Not begun: " (not_begun.join(", ")) } }
        }
    }
}

fn line(result: &RunResult) -> Markup {
    let judged = &result.judged;
    let name = &judged.run.0;
    let ended = judged.end.as_ref().filter(|end| end.reason != EndReason::Completed);
    let rows = judged.rows.iter().filter(|row| !row.warmup).count();
    html! {
        tr {
            th.word scope="row" { a href={"#" (words::id("run", name))} { (name) } }
            td.number { (number::whole(rows)) " of " (number::whole(rows + judged.missing.len())) }
            td {
                (run_table::meaning(&judged.judgement))
                @if let Some(end) = ended { "; ended: " (end) }
            }
        }
    }
}

fn not_begun<'a>(plan: &'a Plan, results: &[RunResult]) -> Vec<&'a str> {
    let begun = |id: &str| results.iter().any(|result| result.planned.id.0 == id);
    plan.runs.iter().map(|run| run.id.0.as_str()).filter(|id| !begun(id)).collect()
}
