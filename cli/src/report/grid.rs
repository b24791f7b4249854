//! A table of `tables` as HTML: the same cells, in the same order. Pure.

use maud::{Markup, html};

use super::words::sentence;
use crate::tables::grid::{Grid, Side};

/// The table under its caption; the first cell of a row heads it.
pub fn table(caption: &str, grid: &Grid) -> Markup {
    let sides: Vec<&str> = grid.heads().iter().map(|(_, side)| class(*side)).collect();
    html! {
        div.scroll {
            table {
                caption { (caption) }
                thead {
                    tr {
                        @for ((head, _), side) in grid.heads().iter().zip(&sides) {
                            th scope="col" class=(side) { (head) }
                        }
                    }
                }
                tbody {
                    @for row in grid.rows() {
                        tr {
                            @for (at, (cell, side)) in row.iter().zip(&sides).enumerate() {
                                @if at == 0 {
                                    th scope="row" class=(side) { (cell) }
                                } @else {
                                    td class=(side) { (sentence(cell)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The class of cells whose text stands on this side.
pub fn class(side: Side) -> &'static str {
    match side {
        Side::Left => "word",
        Side::Right => "number",
    }
}
