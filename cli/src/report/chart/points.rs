//! Rows as points of a chart: the steps that have a value, each with its mark and its words. Pure. The warm-up is no
//! point, nor is what is no number.

use soak_campaign::table::Row;

use super::{
    drawing::{Point, Series},
    mark::Mark,
};
use crate::tables::number::rate;

/// A value of a row.
#[derive(Debug, Clone, Copy)]
pub struct Value {
    /// The value.
    pub value: f64,
    /// It is a lower bound.
    pub at_least: bool,
}

impl Value {
    /// A value that is no bound.
    pub fn exactly(value: f64) -> Self {
        Self { value, at_least: false }
    }
}

/// The steps that have a value, each with its words. What is no number is left out.
pub fn points(
    rows: &[Row],
    across: impl Fn(usize, &Row) -> f64,
    read: impl Fn(&Row) -> Option<Value>,
    words: impl Fn(f64) -> String,
) -> Vec<Point> {
    let judged = rows.iter().filter_map(|row| Some((row, Mark::of(row)?))).enumerate();
    let point = |(at, (row, mark)): (usize, (&Row, Mark))| {
        let Value { value, at_least } = read(row).filter(|value| value.value.is_finite())?;
        let bound = if at_least { " or more" } else { "" };
        let verdict = row.verdict.map_or("not judged", |verdict| verdict.name());
        let withdrawn = if row.withdrawn.is_some() { ", withdrawn" } else { "" };
        Some(Point {
            x: across(at, row),
            y: value,
            mark,
            at_least,
            words: format!("offered {}/s: {}{bound}, {verdict}{withdrawn}", rate(row.rate()), words(value)),
        })
    };
    judged.filter_map(point).collect()
}

/// The highest value.
pub fn highest(points: &[Point]) -> Option<f64> {
    points.iter().map(|point| point.y).max_by(f64::total_cmp)
}

/// A value with room around it on a logarithmic axis, more above than below: for the marks of bounds, and for words.
pub fn with_room(point: &Point) -> [f64; 2] {
    [point.y * 0.8, point.y * 2.0]
}

/// What a chart shows, in words.
pub fn description(series: &[Series], meaning: &str) -> String {
    let counts = series.iter().map(|series| {
        let name = if series.name.is_empty() { String::new() } else { format!("{}: ", series.name) };
        format!("{name}{} points", series.points.len())
    });
    format!("{}. {meaning}. The numbers are in the table below.", counts.collect::<Vec<_>>().join(", "))
}
