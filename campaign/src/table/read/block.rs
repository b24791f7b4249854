//! Finds the tables in a text: a header that is understood, the lines below it that are cut alike, the title above it.

use super::assemble::{self, Header, Line};
use super::column::Measure;
use super::delimiter::{Delimiter, is_rule};
use super::{Reading, Skipped};

/// Longer lines, and lines that end in a full stop, are prose and no title, where another line may be one.
const LONGEST_TITLE: usize = 120;
/// Non-blank lines above a header among which the title is looked for.
const TITLE_REACH: usize = 3;

/// Reads every table of a text.
pub(super) fn read(text: &str) -> Reading {
    let lines: Vec<&str> = text.lines().collect();
    let mut reading = Reading::default();
    let mut at = 0;
    let mut free = 0;
    while at < lines.len() {
        let Some((delimiter, header)) = header(lines[at]) else {
            at += 1;
            continue;
        };
        let title = title(&lines[free..at]);
        let (rows, next) = rows(&lines, at + 1, delimiter, &header);
        let line = at + 1;
        if header.is_of_steps() {
            match assemble::table(title, line, &header, &rows) {
                Ok(table) => reading.tables.push(table),
                Err(error) => reading.failed.push(error),
            }
        } else {
            let reason = "it has no column of delivered calls per second".to_owned();
            reading.skipped.push(Skipped { title, line, reason });
        }
        at = next;
        free = next;
    }
    reading
}

/// The line as a header, where one of its cells is the offered rate.
fn header(line: &str) -> Option<(Delimiter, Header)> {
    Delimiter::ALL.into_iter().find_map(|delimiter| {
        let cells = delimiter.cells(line);
        let short = cells.len() > 1 && cells.iter().all(|cell| cell.len() <= 60 && !starts_as_number(cell));
        let header = short.then(|| Header::of(cells))?;
        header.has(Measure::Offered).then_some((delimiter, header))
    })
}

fn starts_as_number(cell: &str) -> bool {
    cell.trim_start_matches(['~', '*', '≥', ' ']).starts_with(|letter: char| letter.is_ascii_digit())
        && super::column::Column::named(cell).is_none()
}

/// The lines below a header that belong to it, and the line after the last of them. Blank lines and rules between rows
/// are passed over.
fn rows(lines: &[&str], from: usize, delimiter: Delimiter, head: &Header) -> (Vec<Line>, usize) {
    let mut rows = Vec::new();
    let mut next = from;
    for (at, text) in lines.iter().enumerate().skip(from) {
        let cells = delimiter.cells(text);
        if text.trim().is_empty() || is_rule(&cells) {
            continue;
        }
        if !belongs(&cells, head, at > next) || header(text).is_some() {
            break;
        }
        rows.push(Line { number: at + 1, cells });
        next = at + 1;
    }
    (rows, next)
}

/// A line is a row where it is cut into cells; past a blank line it must also begin like one.
fn belongs(cells: &[String], head: &Header, past_a_gap: bool) -> bool {
    let enough = cells.len() > 1 && cells.len() * 2 > head.names.len();
    let begins = cells.iter().any(|cell| matches!(super::cell::parse(cell), Ok(Some(_))));
    enough && (begins || !past_a_gap) && (!past_a_gap || cells.len() == head.names.len())
}

/// The line above a table, without its marks: the nearest one, prose passed over where another is near.
fn title(above: &[&str]) -> String {
    let near: Vec<_> =
        above.iter().rev().map(|line| unmarked(line)).filter(|line| !line.is_empty()).take(TITLE_REACH).collect();
    let is_prose = |line: &&String| line.len() > LONGEST_TITLE || line.ends_with('.');
    near.iter().find(|line| !is_prose(line)).or(near.first()).cloned().unwrap_or_default()
}

fn unmarked(line: &str) -> String {
    let line = line.trim().trim_start_matches(['#', '>', ' ']).trim();
    let line = line.trim_matches(['*', '_']).trim_end_matches(':').trim();
    if line.chars().all(|letter| matches!(letter, '-' | '=' | '`' | '|' | ' ')) {
        String::new()
    } else {
        line.to_owned()
    }
}
