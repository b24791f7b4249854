//! The exit codes of `soak`, as scripts rely on them.

use std::process::ExitCode;

use soak_campaign::status::Ending;

/// How a command ended. The numbers never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Exit {
    /// Completed, and nothing that was asked has failed.
    Completed = 0,
    /// An error of the product's own, or of the machine under it.
    Internal = 1,
    /// Wrong usage, or a campaign that is not valid.
    Usage = 2,
    /// A threshold or prediction failed.
    Failed = 3,
    /// A threshold or prediction is undecided.
    Undecided = 4,
    /// An arm has no valid number.
    NoValidNumber = 5,
    /// Results are incomplete.
    Incomplete = 6,
    /// The cluster cannot be reached, or forbids it.
    Unreachable = 7,
    /// It took too long.
    TimeOut = 8,
    /// Interrupted; partial results are kept.
    Interrupted = 130,
}

impl From<Ending> for Exit {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Completed => Self::Completed,
            Ending::Failed => Self::Failed,
            Ending::Undecided => Self::Undecided,
            Ending::NoValidNumber => Self::NoValidNumber,
            Ending::Incomplete => Self::Incomplete,
            Ending::Interrupted => Self::Interrupted,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
