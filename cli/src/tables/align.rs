//! A Markdown table as it stands in a terminal: every column as wide as its widest cell. Pure: the cells stay as they
//! are, so that what is printed reads back as the same table.

/// Pads the cells of every table in a text; other lines stay as they are.
pub fn aligned(markdown: &str) -> String {
    let mut text = String::new();
    let mut table: Vec<Vec<&str>> = Vec::new();
    for line in markdown.lines() {
        if let Some(cells) = cells(line) {
            table.push(cells);
        } else {
            text += &padded(&std::mem::take(&mut table));
            text += line;
            text.push('\n');
        }
    }
    text + &padded(&table)
}

/// The cells of a table's line. A bar behind a backslash belongs to its cell.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in inner.match_indices('|').filter(|(at, _)| !inner[..*at].ends_with('\\')) {
        cells.push(inner[start..at].trim());
        start = at + 1;
    }
    cells.push(inner[start..].trim());
    Some(cells)
}

fn padded(table: &[Vec<&str>]) -> String {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = table.iter().filter_map(|row| row.get(column)).filter(|cell| !is_rule(cell));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let right: Vec<bool> = (0..columns)
        .map(|column| table.iter().filter_map(|row| row.get(column)).any(|cell| is_rule(cell) && cell.ends_with(':')))
        .collect();
    table.iter().map(|row| line(row, &widths, &right)).collect()
}

fn line(row: &[&str], widths: &[usize], right: &[bool]) -> String {
    let cells = row.iter().zip(widths).zip(right).map(|((cell, &width), &right)| match (is_rule(cell), right) {
        (true, true) => format!("{}:", "-".repeat(width - 1)),
        (true, false) => format!(":{}", "-".repeat(width - 1)),
        (false, true) => format!("{cell:>width$}"),
        (false, false) => format!("{cell:<width$}"),
    });
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// A cell of the line between heads and rows, such as `---:`.
fn is_rule(cell: &str) -> bool {
    cell.len() >= 3 && cell.contains("--") && cell.chars().all(|c| c == '-' || c == ':')
}

#[cfg(test)]
mod tests {
    use super::aligned;

    #[test]
    fn columns_are_padded_and_other_lines_left() {
        let text = "above\n| a | verdict |\n| ---: | :--- |\n| 12,000 | ok \\| so |\n\nbelow\n";
        let expected = "above\n|      a | verdict  |\n| -----: | :------- |\n| 12,000 | ok \\| so |\n\nbelow\n";
        assert_eq!(aligned(text), expected);
    }

    #[test]
    fn an_aligned_table_stays_as_it_is() {
        let once = aligned("| a | b |\n|---:|:---|\n| 1 | x |");
        assert_eq!(aligned(&once), once);
    }
}
