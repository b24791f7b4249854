//! A check, its result, and how all of them are printed. Pure.

use serde::Serialize;
use soak_cli::Exit;

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// It is as it must be.
    Ok,
    /// Worth knowing, and nothing is wrong.
    Note,
    /// It cannot be seen from here.
    Unknown,
    /// It is not as it must be.
    Failed,
}

/// A check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// What was looked at.
    pub what: String,
    /// What came of it.
    pub state: State,
    /// What was found, and the way out where it is wrong.
    pub words: String,
}

impl Check {
    /// A check with its result.
    pub fn new(what: &str, state: State, words: impl Into<String>) -> Self {
        Self { what: what.to_owned(), state, words: words.into() }
    }
}

/// The checks, a line each; `paint`: failures in red.
pub fn text(checks: &[Check], paint: bool) -> String {
    let width = checks.iter().map(|check| check.what.chars().count()).max().unwrap_or_default();
    let line = |check: &Check| {
        let (mark, colour) = match check.state {
            State::Ok => ("ok     ", "32"),
            State::Note => ("note   ", "0"),
            State::Unknown => ("unknown", "33"),
            State::Failed => ("FAILED ", "31"),
        };
        let mark = if paint { format!("\u{1b}[{colour}m{mark}\u{1b}[0m") } else { mark.to_owned() };
        format!("{mark}  {:<width$}  {}\n", check.what, check.words)
    };
    checks.iter().map(line).collect()
}

/// The exit code: what is unknown is no failure.
pub fn exit(checks: &[Check]) -> Exit {
    if checks.iter().any(|check| check.state == State::Failed) { Exit::Internal } else { Exit::Completed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_is_a_line_and_one_that_failed_decides() {
        let mut checks =
            vec![Check::new("nodes", State::Unknown, "forbidden"), Check::new("operator", State::Ok, "ready")];
        assert_eq!(text(&checks, false), "unknown  nodes     forbidden\nok       operator  ready\n");
        assert!(text(&checks, true).starts_with("\u{1b}[33munknown\u{1b}[0m"));
        assert_eq!(exit(&checks), Exit::Completed);
        checks.push(Check::new("rights", State::Failed, "none"));
        assert_eq!(exit(&checks), Exit::Internal);
    }
}
