//! How a command prints what it found, where there is a text for people and a document for scripts.

use clap::ValueEnum;

/// For people or for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people.
    Text,
    /// For scripts.
    Json,
}
