//! Faults as a reader sees them: one line each with the source line under it; or as JSON for tools.

use std::{
    env,
    fmt::Write as _,
    io::{IsTerminal, stderr},
};

use serde_json::{Value, json};

use super::{Fault, Place, Rejected};

/// The most characters shown of a source line, and of a value.
const WINDOW: usize = 100;

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Plain.
    Plain,
    /// For a terminal.
    Colour,
}

impl Paint {
    /// Colour where standard error is a terminal and `NO_COLOR` is not set.
    pub fn for_stderr() -> Self {
        let wanted = env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        if wanted && stderr().is_terminal() { Self::Colour } else { Self::Plain }
    }

    fn error(self, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colour => format!("\x1b[1;31m{text}\x1b[0m"),
        }
    }
}

/// The most faults shown to a reader; tools get all.
const SHOWN: usize = 50;

/// Every fault of a file: `file:line:column: error: field: what is wrong; allowed: …`, the line and a mark under it.
pub fn faults_as_text(rejected: &Rejected, paint: Paint) -> String {
    let mut text = String::new();
    for fault in rejected.faults.iter().take(SHOWN) {
        let _ = writeln!(text, "{}", headline(&rejected.source.name, fault, paint));
        if let Some(place) = fault.place {
            text.push_str(&snippet(&rejected.source.text, place, paint));
        }
    }
    if rejected.faults.len() > SHOWN {
        let _ = writeln!(text, "{}: {} more errors", printable(&rejected.source.name), rejected.faults.len() - SHOWN);
    }
    text
}

/// Every fault of a file as `[{line, column, field, value, message, allowed}]`; null for what there is not.
pub fn faults_as_json(rejected: &Rejected) -> Value {
    rejected.faults.iter().map(fault_as_json).collect()
}

fn fault_as_json(fault: &Fault) -> Value {
    let Fault { place, field, value, message, allowed } = fault;
    json!({
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "field": Some(field.to_string()).filter(|field| !field.is_empty()),
        "value": value,
        "message": message,
        "allowed": allowed,
    })
}

fn headline(file: &str, fault: &Fault, paint: Paint) -> String {
    let Fault { place, field, value, message, allowed } = fault;
    let mut line = printable(file);
    if let Some(Place { line: at, column, .. }) = place {
        let _ = write!(line, ":{at}:{column}");
    }
    let _ = write!(line, ": {} ", paint.error("error:"));
    let field = printable(&field.to_string());
    if !field.is_empty() {
        let _ = write!(line, "{field}: ");
    }
    if let Some(value) = value {
        let _ = write!(line, "{} ", shortened(value));
    }
    line.push_str(&printable(message));
    if let Some(allowed) = allowed {
        let _ = write!(line, "; allowed: {allowed}");
    }
    line
}

/// The source line and a mark under the place; of a long line the part around the place.
fn snippet(text: &str, place: Place, paint: Paint) -> String {
    let Some(line) = text.lines().nth(place.line.saturating_sub(1)) else {
        return String::new();
    };
    let letters: Vec<char> = line.chars().collect();
    let column = place.column.saturating_sub(1).min(letters.len());
    let start = if letters.len() <= WINDOW { 0 } else { column.saturating_sub(WINDOW / 2) };
    let end = (start + WINDOW).min(letters.len());
    let shown: String = letters[start..end].iter().collect();
    let width = place.width.min(end.saturating_sub(column)).max(1);
    let gutter = format!("{:>4} | ", place.line);
    let mark = paint.error(&"^".repeat(width));
    format!("{gutter}{}\n{}{}{mark}\n", printable(&shown), " ".repeat(gutter.len()), " ".repeat(column - start))
}

/// A value in one short line.
fn shortened(value: &str) -> String {
    let letters = value.chars().count();
    let head: String = value.chars().take(WINDOW).collect();
    let dots = if letters > WINDOW { "…" } else { "" };
    format!("`{}{dots}`", printable(&head))
}

/// Text without control characters, letter for letter: what a user wrote must not steer a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}
