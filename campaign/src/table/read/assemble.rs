//! From a header and its lines of cells to a table of rows. Knows no delimiter.

use std::collections::BTreeSet;

use super::cell::{self, Cell, Unit};
use super::column::{Column, Measure};
use super::{OutsideTable, TableError};
use crate::table::number::thousandth;
use crate::table::{AtLeast, Row, Withdrawn};

/// A header that was understood.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Header {
    /// As written.
    pub names: Vec<String>,
    /// What each holds; a measure counts once.
    columns: Vec<Option<Column>>,
}

/// One line of cells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// From 1.
    pub number: usize,
    pub cells: Vec<String>,
}

impl Header {
    pub(super) fn of(names: Vec<String>) -> Self {
        let mut seen = BTreeSet::new();
        let columns =
            names.iter().map(|name| Column::named(name).filter(|column| seen.insert(column.measure))).collect();
        Self { names, columns }
    }

    pub(super) fn has(&self, measure: Measure) -> bool {
        self.columns.iter().flatten().any(|column| column.measure == measure)
    }

    /// It heads a table of steps.
    pub(super) fn is_of_steps(&self) -> bool {
        self.has(Measure::Offered) && self.has(Measure::Delivered)
    }
}

/// Reads the rows below a header.
pub(super) fn table(title: String, line: usize, header: &Header, lines: &[Line]) -> Result<OutsideTable, TableError> {
    if lines.is_empty() {
        return Err(TableError::NoRows { line });
    }
    let rows = lines.iter().map(|line| row(header, line)).collect::<Result<Vec<_>, _>>()?;
    let unread = header.names.iter().zip(&header.columns).filter(|(name, column)| column.is_none() && !name.is_empty());
    let missing = Measure::FULL.into_iter().filter(|(measure, _)| !header.has(*measure)).map(|(_, name)| name);
    Ok(OutsideTable {
        title,
        line,
        rows,
        ignored: unread.map(|(name, _)| name.clone()).collect(),
        missing: missing.collect(),
        remarks: assumed(header, lines),
    })
}

/// Units that were assumed, since neither header nor cells name one.
fn assumed(header: &Header, lines: &[Line]) -> Vec<String> {
    let mut remarks = Vec::new();
    for (at, (name, column)) in header.names.iter().zip(&header.columns).enumerate() {
        let Some(Column { measure, unit: None }) = column else { continue };
        let bare = |line: &Line| matches!(line.cells.get(at).map(|cell| cell::parse(cell)), Some(Ok(Some(cell))) if cell.unit.is_none());
        let unit = match measure.usual_unit() {
            Some(Unit::Millis) => "milliseconds",
            Some(Unit::Seconds) => "seconds",
            Some(_) => "megabytes",
            None => continue,
        };
        if lines.iter().any(bare) {
            remarks.push(format!("column {name:?} names no unit: read as {unit}"));
        }
    }
    remarks
}

fn row(header: &Header, line: &Line) -> Result<Row, TableError> {
    let (cells, columns) = (line.cells.len(), header.names.len());
    let surplus = line.cells.iter().skip(columns).any(|cell| !cell.is_empty());
    if surplus || cells == 0 {
        return Err(TableError::Ragged { line: line.number, cells, columns });
    }
    let mut row = Row { offered: f64::NAN, warmup: line.cells.iter().any(|cell| is_warmup(cell)), ..Row::default() };
    let mut never_sent_share = None;
    for ((name, column), cell) in header.names.iter().zip(&header.columns).zip(&line.cells) {
        let Some(column) = column else { continue };
        if column.measure == Measure::Warmup {
            row.warmup |= matches!(cell.trim().to_lowercase().as_str(), "true" | "yes" | "1" | "x");
            continue;
        }
        let number = cell::parse(cell).map_err(|()| not_a_number(line.number, name, cell))?;
        let Some(number) = number else { continue };
        if column.measure == Measure::Knee && number.unit.or(column.unit).is_some() {
            never_sent_share = Some(scaled(number, *column));
        } else {
            set(&mut row, *column, number);
        }
    }
    if row.offered.is_nan() {
        return Err(TableError::NoOffered { line: line.number });
    }
    if let Some(share) = never_sent_share {
        row.knee_per_second = Some(thousandth(share * row.offered));
    }
    let struck = line.cells.iter().any(|cell| cell::is_struck(cell));
    row.withdrawn = struck.then(|| Withdrawn { reason: "struck through in the table".to_owned(), superseded_by: None });
    Ok(row)
}

fn not_a_number(line: usize, column: &str, cell: &str) -> TableError {
    TableError::NotANumber { line, column: column.to_owned(), cell: cell.to_owned() }
}

fn is_warmup(cell: &str) -> bool {
    let lower = cell.to_lowercase();
    lower.contains("warmup") || lower.contains("warm-up") || lower.contains("warm up")
}

/// In nanoseconds, bytes, shares of one or CPUs, by the cell's unit, else the header's, else the usual one.
fn scaled(number: Cell, column: Column) -> f64 {
    let unit = number.unit.or(column.unit).or(column.measure.usual_unit());
    number.value * unit.map_or(1.0, Unit::factor)
}

fn set(row: &mut Row, column: Column, number: Cell) {
    let value = scaled(number, column);
    let micros = Some(thousandth(value / 1e3));
    let whole = whole(value);
    let percentiles = [(Measure::P50, AtLeast::P50), (Measure::P99, AtLeast::P99), (Measure::P999, AtLeast::P999)];
    let mark = percentiles.iter().find(|(measure, _)| *measure == column.measure).map(|(_, mark)| *mark);
    row.at_least.extend(mark.filter(|_| number.at_least));
    match column.measure {
        Measure::Offered => row.offered = value,
        Measure::Delivered => row.delivered = Some(value),
        Measure::Answered => row.answered_permille = answered(value, number.unit.or(column.unit)),
        Measure::P50 => row.p50_micros = micros,
        Measure::P99 => row.p99_micros = micros,
        Measure::P999 => row.p999_micros = micros,
        Measure::Knee => row.knee_per_second = Some(value),
        Measure::Cpu => row.cpu_nanos_per_request = Some(thousandth(value)),
        Measure::Throttled => row.throttled_micros = whole.map(|nanos| nanos / 1000),
        Measure::Heap => row.heap_bytes = whole,
        Measure::Rss => row.rss_bytes = whole,
        Measure::Connections => row.connections = whole,
        Measure::Cores => row.cores_milli = Some(thousandth(value * 1000.0)),
        Measure::Gap => row.gap_millis = whole.and_then(|nanos| i64::try_from(nanos / 1_000_000).ok()),
        Measure::Warmup => {}
    }
}

/// A share in thousandths; without a unit 0–1 is a share and up to 100 a percentage.
fn answered(value: f64, unit: Option<Unit>) -> Option<f64> {
    let permille = match unit {
        Some(_) => value * 1000.0,
        None if value <= 1.0 => value * 1000.0,
        None if value <= 100.0 => value * 10.0,
        None => return None,
    };
    Some(thousandth(permille))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked against the range")]
fn whole(value: f64) -> Option<u64> {
    let value = value.round();
    (0.0..9e18).contains(&value).then_some(value as u64)
}
