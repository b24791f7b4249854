//! The records of the ledger, one JSON line each. In go records; out comes the state that they add up to.
//! It must not decide which record follows.

use std::path::Path;

use serde::{Serialize, de::DeserializeOwned};

use super::durable::{self, DurableError};

/// Why lines cannot be read back or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Durable(#[from] DurableError),
    /// A line is not what it should be.
    #[error("{path}: line {line}: {source}")]
    Line {
        /// The file.
        path: String,
        /// From 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A record cannot be written as JSON.
    #[error("{path}: a record cannot be written: {source}")]
    Record {
        /// The file.
        path: String,
        /// What is wrong.
        source: serde_json::Error,
    },
}

/// Every line of a file.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, JournalError> {
    let lines = durable::whole_lines(path)?;
    let parse = |(at, line): (usize, &String)| {
        let wrong = |source| JournalError::Line { path: path.display().to_string(), line: at + 1, source };
        serde_json::from_str(line).map_err(wrong)
    };
    lines.iter().enumerate().map(parse).collect()
}

/// Appends a line; it is on the disk when this returns.
pub fn append<T: Serialize>(path: &Path, record: &T) -> Result<(), JournalError> {
    let wrong = |source| JournalError::Record { path: path.display().to_string(), source };
    let mut line = serde_json::to_vec(record).map_err(wrong)?;
    line.push(b'\n');
    Ok(durable::append(path, &line)?)
}
