//! `soak judge TABLE…`: reads step tables of others and says what each means: knee, plateau, capacity, the verdict on
//! every step. Tables are judged apart; `--together` joins them as one ramp of one arm.

mod document;
mod words;

use std::{
    fs,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use soak_campaign::{
    table::{
        Row,
        read::{OutsideTable, Reading, join},
    },
    verdict::{RunJudgement, judge_run},
};
use soak_crds::spec::JudgeBounds;

use crate::{Exit, output::Output};

/// Judges step tables from outside: Markdown, tab-separated, CSV or JSON.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Files with one or more tables, each titled by the line above it; `-` reads standard input.
    #[arg(required = true, value_name = "TABLE")]
    tables: Vec<PathBuf>,
    /// Judges all tables as one ramp of one arm, in the order given. The first step of each is a first step.
    #[arg(long)]
    together: bool,
    /// Sets a bound of the judge by its name in `spec.judge`, such as kneeP50Factor=20.
    #[arg(long = "bound", value_name = "NAME=VALUE", value_parser = bound)]
    bounds: Vec<(String, i64)>,
    /// How the result is printed.
    #[arg(long, short, value_enum, default_value_t = Output::Text)]
    output: Output,
}

/// A table with its verdicts.
struct Judged {
    table: OutsideTable,
    rows: Vec<Row>,
    judgement: RunJudgement,
}

/// Why a file gives no table.
#[derive(Debug, thiserror::Error)]
enum JudgeError {
    #[error("{}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: no step table: none has a column of offered and one of delivered calls per second", path.display())]
    NoTable { path: PathBuf },
    #[error("{name:?} is no bound of the judge; there are: {known}")]
    NoSuchBound { name: String, known: String },
}

/// Judges every table. Exit: usage where one cannot be read, no valid number where none of its steps can be judged.
pub fn run(args: &Args) -> Exit {
    let bounds = match with_bounds(&args.bounds) {
        Ok(bounds) => bounds,
        Err(error) => return refuse(&error.to_string()),
    };
    let (tables, all_read) = read_all(&args.tables);
    let tables = if args.together && tables.len() > 1 { vec![join(tables)] } else { tables };
    let judged: Vec<Judged> = tables.into_iter().map(|table| judge(table, &bounds)).collect();
    let text = match args.output {
        Output::Text => words::report(&judged, &bounds),
        Output::Json => document::of(&judged, &bounds),
    };
    if write!(io::stdout(), "{text}").is_err() {
        return Exit::Internal;
    }
    if !all_read {
        Exit::Usage
    } else if judged.iter().any(|judged| judged.judgement.capacity.is_none()) {
        Exit::NoValidNumber
    } else {
        Exit::Completed
    }
}

fn refuse(message: &str) -> Exit {
    complain(message);
    Exit::Usage
}

fn complain(message: &str) {
    // Nothing is left to tell it to where standard error is closed.
    let _ = writeln!(io::stderr(), "soak judge: {message}");
}

fn judge(mut table: OutsideTable, bounds: &JudgeBounds) -> Judged {
    let (rows, judgement) = judge_run(std::mem::take(&mut table.rows), &[], bounds);
    Judged { table, rows, judgement }
}

/// Every table of every file, and whether all could be read. What could not be, and what was passed over, is said.
fn read_all(paths: &[PathBuf]) -> (Vec<OutsideTable>, bool) {
    let mut tables = Vec::new();
    let mut all_read = true;
    for path in paths {
        match read(path) {
            Ok(reading) => {
                all_read &= reading.failed.is_empty();
                tables.extend(titled(reading, path));
            }
            Err(error) => {
                all_read = false;
                complain(&error.to_string());
            }
        }
    }
    (tables, all_read)
}

fn read(path: &Path) -> Result<Reading, JudgeError> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    let bytes = bytes.map_err(|source| JudgeError::Unreadable { path: path.to_owned(), source })?;
    let reading = Reading::of(&String::from_utf8_lossy(&bytes));
    for skipped in &reading.skipped {
        complain(&format!("{}: line {}: a table passed over: {}", path.display(), skipped.line, skipped.reason));
    }
    for error in &reading.failed {
        complain(&format!("{}: {error}", path.display()));
    }
    if reading.tables.is_empty() && reading.failed.is_empty() {
        return Err(JudgeError::NoTable { path: path.to_owned() });
    }
    Ok(reading)
}

/// A table without a title is called by its file and line.
fn titled(reading: Reading, path: &Path) -> Vec<OutsideTable> {
    let several = reading.tables.len() > 1;
    let name = |mut table: OutsideTable| {
        if table.title.is_empty() {
            let line = if several { format!(", line {}", table.line) } else { String::new() };
            table.title = format!("{}{line}", path.display());
        }
        table
    };
    reading.tables.into_iter().map(name).collect()
}

fn bound(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("a bound is written NAME=VALUE")?;
    let value = value.trim().parse().map_err(|_| format!("{value:?} is not a whole number"))?;
    Ok((name.trim().to_owned(), value))
}

fn with_bounds(changes: &[(String, i64)]) -> Result<JudgeBounds, JudgeError> {
    let mut document = serde_json::to_value(JudgeBounds::default()).unwrap_or_default();
    for (name, value) in changes {
        let known = document.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
        match document.get_mut(name) {
            Some(field) => *field = (*value).into(),
            None => return Err(JudgeError::NoSuchBound { name: name.clone(), known: known.join(", ") }),
        }
    }
    let names = || changes.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    serde_json::from_value(document)
        .map_err(|error| JudgeError::NoSuchBound { name: names(), known: error.to_string() })
}
