//! A run's rows as HTML: every column, the same cells as in the tables; beside them what each verdict rests on. Pure.

use maud::{Markup, html};
use soak_campaign::{
    status::{JudgedRun, MissingRow},
    table::{Row, text},
    verdict::Verdict,
};

use super::words;
use crate::tables::{number, run_table};

/// The rows, and the planned steps that have none.
pub fn table(run: &JudgedRun) -> Markup {
    let shown = columns(&run.rows);
    html! {
        div.scroll {
            table.rows {
                caption { "Rows of " (run.run) }
                thead {
                    tr { @for at in &shown { th scope="col" class=[class(*at)] { (text::HEADS[*at]) } } }
                }
                tbody {
                    @for row in &run.rows { (line(row, &shown)) }
                    @for missing in &run.missing { (no_row(missing, shown.len())) }
                }
            }
        }
        @if run.rows.iter().any(|row| row.verdict == Some(Verdict::PastKnee)) { p.note { (text::QUEUE_NOTE) } }
    }
}

/// Every column, the verdict first, where it is seen on a narrow screen; that of withdrawals only where there is one.
fn columns(rows: &[Row]) -> Vec<usize> {
    let withdrawn = rows.iter().any(|row| row.withdrawn.is_some());
    let mut shown: Vec<usize> =
        (0..text::HEADS.len()).filter(|at| withdrawn || text::HEADS[*at] != "withdrawn").collect();
    shown.sort_by_key(|at| match text::HEADS[*at] {
        "offered" => 0,
        "verdict" => 1,
        _ => 2,
    });
    shown
}

fn line(row: &Row, shown: &[usize]) -> Markup {
    let cells = text::marked(row);
    html! {
        tr class=(state(row)) {
            @for at in shown {
                @if *at == 0 {
                    th scope="row" class=[class(*at)] { (cell(row, *at, &cells[*at])) }
                } @else {
                    td class=[class(*at)] { (cell(row, *at, &cells[*at])) }
                }
            }
        }
    }
}

/// A cell; struck through where the row was taken back, but for the words that say so.
fn cell(row: &Row, at: usize, text: &str) -> Markup {
    match (text::HEADS[at], row.verdict) {
        ("verdict", Some(verdict)) => badge(verdict),
        ("verdict" | "withdrawn", _) => html! { (text) },
        _ if row.withdrawn.is_some() && text != number::NOT_KNOWN => html! { s { (text) } },
        _ => html! { (text) },
    }
}

/// A verdict: its word, on a colour of its own.
fn badge(verdict: Verdict) -> Markup {
    html! { span.verdict.(verdict.name()) { (verdict.name()) } }
}

fn state(row: &Row) -> &'static str {
    match (&row.withdrawn, row.warmup) {
        (Some(_), _) => "withdrawn",
        (None, true) => "warmup",
        (None, false) => "step",
    }
}

fn no_row(missing: &MissingRow, columns: usize) -> Markup {
    html! {
        tr.missing {
            th.number scope="row" { (number::whole(missing.step.rate)) }
            td colspan=(columns - 1) { "no row: " (missing.reason) }
        }
    }
}

/// Columns of numbers have no class: they are most of the page.
fn class(at: usize) -> Option<&'static str> {
    text::is_word(text::HEADS[at]).then_some("word")
}

/// What the verdict on each step rests on, how its calls failed, and why a number is not there.
pub fn evidence(rows: &[Row]) -> Markup {
    html! {
        div.scroll {
            table {
                caption { "Evidence" }
                thead {
                    tr { @for head in ["offered", "verdict", "evidence"] { th.word scope="col" { (head) } } }
                }
                tbody {
                    @for row in rows.iter().filter(|row| !row.warmup) {
                        tr {
                            th.number scope="row" { (number::rate(row.rate())) }
                            td { @if let Some(verdict) = row.verdict { (badge(verdict)) } }
                            td { (words::sentence(&sentences(row))) }
                        }
                    }
                }
            }
        }
    }
}

fn sentences(row: &Row) -> String {
    let mut parts: Vec<String> = row.evidence.iter().map(run_table::evidence).collect();
    if !row.errors.is_empty() {
        let kinds = row.errors.iter().map(|(kind, calls)| format!("{} {kind}", number::whole(*calls)));
        parts.push(format!("errors: {}", kinds.collect::<Vec<_>>().join(", ")));
    }
    parts.extend(
        row.in_flight
            .filter(|calls| *calls > 0)
            .map(|calls| format!("{} in flight after the drain", number::whole(calls))),
    );
    parts.extend(row.not_available.iter().map(|(name, reason)| format!("{name} n/a: {reason}")));
    parts.join("; ")
}
