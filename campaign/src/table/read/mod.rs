//! Step tables of others: text in, rows out. Markdown, tab-separated, CSV and JSON; columns in any order, with units in
//! headers or cells; several tables in one text, each titled by the line above it. What was not understood is said.

mod assemble;
mod block;
mod cell;
mod column;
mod delimiter;
mod json;

use super::Row;

/// A step table as it was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutsideTable {
    /// The line above it; empty where there is none.
    pub title: String,
    /// The line of its header, from 1.
    pub line: usize,
    /// Its rows, in its order.
    pub rows: Vec<Row>,
    /// Columns that mean nothing here, as written.
    pub ignored: Vec<String>,
    /// Columns of a full step table that it lacks.
    pub missing: Vec<&'static str>,
    /// What was assumed.
    pub remarks: Vec<String>,
}

/// A table that holds no steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The line above it.
    pub title: String,
    /// The line of its header, from 1.
    pub line: usize,
    /// Why it holds no steps.
    pub reason: String,
}

/// All tables of one text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// Step tables.
    pub tables: Vec<OutsideTable>,
    /// Tables of something else.
    pub skipped: Vec<Skipped>,
    /// Step tables that cannot be read.
    pub failed: Vec<TableError>,
}

/// Why a step table cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// A cell is not a number.
    #[error("line {line}: column {column:?} holds {cell:?}, which is neither a number nor n/a")]
    NotANumber {
        /// From 1.
        line: usize,
        /// As written.
        column: String,
        /// As written.
        cell: String,
    },
    /// A row has another number of cells than the header.
    #[error("line {line}: {cells} cells under {columns} columns; numbers with commas need quotes in CSV")]
    Ragged {
        /// From 1.
        line: usize,
        /// Cells of the row.
        cells: usize,
        /// Columns of the header.
        columns: usize,
    },
    /// A row has no offered rate.
    #[error("line {line}: the row has no offered rate")]
    NoOffered {
        /// From 1.
        line: usize,
    },
    /// There is a header and nothing below it.
    #[error("line {line}: the table has no rows")]
    NoRows {
        /// From 1.
        line: usize,
    },
    /// JSON that is not a table.
    #[error("{0}")]
    Json(String),
}

impl Reading {
    /// Reads every table of a text.
    pub fn of(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with(['{', '[']) { json::read(text) } else { block::read(text) }
    }
}

/// Joins the tables of one arm, in their order, as one ramp continued: the first row of each is a first step.
pub fn join(tables: Vec<OutsideTable>) -> OutsideTable {
    let mut titles = Vec::new();
    let mut joined = OutsideTable::default();
    for mut table in tables {
        if let Some(first) = table.rows.first_mut() {
            first.part_start = true;
        }
        titles.push(table.title);
        joined.rows.append(&mut table.rows);
        joined.ignored.extend(table.ignored);
        joined.missing.extend(table.missing);
        joined.remarks.extend(table.remarks);
        joined.line = joined.line.max(1);
    }
    joined.title = titles.join(" + ");
    for names in [&mut joined.ignored, &mut joined.remarks] {
        names.sort_unstable();
        names.dedup();
    }
    joined.missing.sort_unstable();
    joined.missing.dedup();
    joined
}
