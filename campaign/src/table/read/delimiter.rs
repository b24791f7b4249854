//! How a line is cut into cells.

/// What stands between cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Pipe,
    Tab,
    Comma,
    Semicolon,
    /// Two or more spaces, as in text aligned by hand.
    Spaces,
}

impl Delimiter {
    /// In the order in which they are tried: the rarer in prose first.
    pub(super) const ALL: [Self; 5] = [Self::Tab, Self::Pipe, Self::Semicolon, Self::Comma, Self::Spaces];

    /// The cells of a line, trimmed; one where the delimiter is not in it.
    pub(super) fn cells(self, line: &str) -> Vec<String> {
        match self {
            Self::Pipe => pipes(line),
            Self::Tab => quoted(line, '\t'),
            Self::Comma => quoted(line, ','),
            Self::Semicolon => quoted(line, ';'),
            Self::Spaces => {
                line.trim().split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
            }
        }
    }
}

/// `| a | b |`: outer pipes are no cells, `\|` is a pipe in a cell.
fn pipes(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for letter in line.chars() {
        match letter {
            '|' if !escaped => cells.push(String::new()),
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            letter => cells.last_mut().into_iter().for_each(|cell| cell.push(letter)),
        }
        escaped = false;
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

/// RFC 4180 without line breaks in cells.
fn quoted(line: &str, delimiter: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut inside = false;
    let mut letters = line.trim_end_matches(['\r', '\n']).chars().peekable();
    while let Some(letter) = letters.next() {
        let Some(cell) = cells.last_mut() else { break };
        match letter {
            '"' if inside && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' if inside || cell.trim().is_empty() => inside = !inside,
            letter if letter == delimiter && !inside => cells.push(String::new()),
            letter => cell.push(letter),
        }
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

/// The line under a Markdown header: dashes and colons alone.
pub(super) fn is_rule(cells: &[String]) -> bool {
    let ruled =
        |cell: &String| cell.contains('-') && cell.chars().all(|letter| matches!(letter, '-' | ':' | ' ' | '='));
    !cells.is_empty() && cells.iter().all(ruled)
}

#[cfg(test)]
mod tests {
    use super::{Delimiter, is_rule};

    #[test]
    fn a_line_is_cut_at_its_delimiter_alone() {
        let check =
            |delimiter: Delimiter, line, expected: &[&str]| assert_eq!(delimiter.cells(line), expected, "{line}");
        check(Delimiter::Pipe, "| a | b |  |", &["a", "b", ""]);
        check(Delimiter::Pipe, r"a | b\|c", &["a", "b|c"]);
        check(Delimiter::Tab, "a\t\tb\r", &["a", "", "b"]);
        check(Delimiter::Comma, r#"a,"1,000","say ""hi""","#, &["a", "1,000", "say \"hi\"", ""]);
        check(Delimiter::Semicolon, "1,5; 2", &["1,5", "2"]);
        check(Delimiter::Spaces, "  offered   p50 ms    p99 ms ", &["offered", "p50 ms", "p99 ms"]);
    }

    #[test]
    fn a_rule_is_no_row() {
        let check = |line, expected| assert_eq!(is_rule(&Delimiter::Pipe.cells(line)), expected, "{line}");
        check("|---|:--:|", true);
        check("| --- | ---: |", true);
        check("| - | 1 |", false);
        check("| | |", false);
    }
}
