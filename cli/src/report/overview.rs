//! What comes before the single runs: the questions with their answers, the ladder, the runs at a glance. Pure; the same
//! numbers and words as in the tables.

use maud::{Markup, html};

use super::{grid, words};
use crate::tables::{
    Told,
    ladder::{self, Rungs},
    questions,
};

/// What was asked, each with its answer.
pub fn questions(told: &Told<'_>) -> Markup {
    let asked = questions::asked(told.status);
    html! {
        section id="questions" {
            h2 { "Questions" }
            @if asked.is_empty() {
                p { "Nothing was asked of the numbers: no comparison, prediction or threshold." }
            }
            @for (title, table) in &asked { (grid::table(title, table)) }
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
