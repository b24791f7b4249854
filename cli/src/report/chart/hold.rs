//! The charts of a hold: latency, CPU per request, delivered and memory from stretch to stretch. In: rows with their
//! verdicts; out: charts. Pure.

use soak_campaign::table::{AtLeast, Row};

use super::{
    drawing::{ACROSS, Axis, Chart, Point, Series, UP},
    mark::Mark,
    points::{Value, description, highest, points, with_room},
    scale::Scale,
};
use crate::tables::number::{rate, three_digits};

/// Room above the highest point.
const HEADROOM: f64 = 1.15;

/// A hold as it is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Hold<'a> {
    /// With which the charts' ids begin.
    pub id: &'a str,
    /// The rows.
    pub rows: &'a [Row],
    /// What they mean, in words.
    pub meaning: &'a str,
}

impl Hold<'_> {
    /// Its charts.
    pub fn charts(&self) -> [Chart; 4] {
        [self.latency(), self.cpu(), self.delivered(), self.memory()]
    }

    fn latency(&self) -> Chart {
        let percentile = |read: fn(&Row) -> Option<f64>, which: AtLeast, name: &'static str| {
            let value =
                move |row: &Row| Some(Value { value: read(row)? / 1e3, at_least: row.at_least.contains(&which) });
            points(self.rows, stretch, value, move |y| format!("{name} {} ms", three_digits(y)))
        };
        let series = vec![
            Series { name: "p50", class: "a", points: percentile(|row| row.p50_micros, AtLeast::P50, "p50") },
            Series { name: "p99", class: "b", points: percentile(|row| row.p99_micros, AtLeast::P99, "p99") },
        ];
        let values: Vec<f64> = series.iter().flat_map(|series| &series.points).flat_map(with_room).collect();
        let y = Axis { title: "latency, ms", scale: Scale::log(&values, UP) };
        Chart { y, ..self.chart("latency", "Latency over time, from the time a call was due", series) }
    }

    fn cpu(&self) -> Chart {
        let value = |row: &Row| Some(Value::exactly(row.cpu_nanos_per_request? / 1e6));
        let points = points(self.rows, stretch, value, |y| format!("CPU {} ms/req", three_digits(y)));
        self.linear("cpu", ["CPU per request over time", "CPU, ms/req"], points)
    }

    fn delivered(&self) -> Chart {
        let value = |row: &Row| Some(Value::exactly(row.delivered?));
        let points = points(self.rows, stretch, value, |y| format!("delivered {}/s", rate(y)));
        self.linear("delivered", ["Delivered over time", "delivered, calls/s"], points)
    }

    fn memory(&self) -> Chart {
        let value = |row: &Row| Some(Value::exactly(row.rss_bytes? as f64 / 1e6));
        let points = points(self.rows, stretch, value, |y| format!("resident memory {} MB", three_digits(y)));
        self.linear("memory", ["Resident memory over time", "memory, MB"], points)
    }

    fn linear(&self, name: &str, [title, unit]: [&'static str; 2], points: Vec<Point>) -> Chart {
        let y = Axis { title: unit, scale: Scale::linear(highest(&points).unwrap_or_default() * HEADROOM, UP) };
        Chart { y, ..self.chart(name, title, vec![Series { name: "", class: "a", points }]) }
    }

    /// What all charts of a hold share.
    fn chart(&self, name: &str, title: &str, series: Vec<Series>) -> Chart {
        let stretches = self.rows.iter().filter(|row| Mark::of(row).is_some()).count();
        Chart {
            id: format!("{}-{name}", self.id),
            title: title.to_owned(),
            description: description(&series, self.meaning),
            x: Axis { title: "stretch", scale: Scale::linear(stretches as f64, ACROSS) },
            y: Axis { title: "", scale: Scale::linear(1.0, UP) },
            series,
            guides: Vec::new(),
        }
    }
}

/// The stretches are numbered from 1.
fn stretch(at: usize, _: &Row) -> f64 {
    at as f64 + 1.0
}
