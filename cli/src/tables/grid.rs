//! A Markdown table that also reads well as plain text: cells padded, numbers to the right.

use std::fmt::Write;

/// Where the text of a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table under construction.
#[derive(Debug)]
pub struct Grid {
    heads: Vec<(String, Side)>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A table with these columns.
    pub fn new<const N: usize>(heads: [(&str, Side); N]) -> Self {
        Self { heads: heads.map(|(head, side)| (head.to_owned(), side)).into(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    /// The columns, each with the side on which its text stands.
    pub fn heads(&self) -> &[(String, Side)] {
        &self.heads
    }

    /// The rows, a cell a column.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// The table as Markdown, its last line ended. A bar within a cell would end it and is replaced.
    pub fn markdown(&self) -> String {
        let widths: Vec<usize> = (0..self.heads.len()).map(|column| self.width(column)).collect();
        let mut text = String::new();
        let heads: Vec<String> = self.heads.iter().map(|(head, _)| head.clone()).collect();
        self.line(&mut text, &heads, &widths);
        for ((_, side), width) in self.heads.iter().zip(&widths) {
            let dashes = "-".repeat(width.saturating_sub(1).max(2));
            let _ = match side {
                Side::Left => write!(text, "| :{dashes} "),
                Side::Right => write!(text, "| {dashes}: "),
            };
        }
        text.push_str("|\n");
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "¦").replace('\n', " ")).collect();
            self.line(&mut text, &cells, &widths);
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([self.heads[column].0.chars().count(), 3]).max().unwrap_or(3)
    }

    fn line(&self, text: &mut String, cells: &[String], widths: &[usize]) {
        for ((cell, width), (_, side)) in cells.iter().zip(widths).zip(&self.heads) {
            let _ = match side {
                Side::Left => write!(text, "| {cell:<width$} "),
                Side::Right => write!(text, "| {cell:>width$} "),
            };
        }
        text.push_str("|\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_bars_within_cells_replaced() {
        let mut grid = Grid::new([("arm", Side::Left), ("knee", Side::Right)]);
        grid.row(["rest|h1".to_owned(), "600".to_owned()]);
        grid.row(["grpc".to_owned(), "12,000".to_owned()]);
        let expected = "| arm     |   knee |\n| :------ | -----: |\n| rest¦h1 |    600 |\n| grpc    | 12,000 |\n";
        assert_eq!(grid.markdown(), expected);
    }
}
