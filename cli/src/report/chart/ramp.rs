//! The charts of a ramp: delivered, latency and CPU per request against offered. In: rows with their verdicts and what they
//! mean; out: charts. Pure.

use soak_campaign::{
    table::{AtLeast, Row},
    verdict::RunJudgement,
};

use super::{
    drawing::{ACROSS, Axis, Chart, Guide, Series, UP},
    mark::Mark,
    points::{Value, description, highest, points, with_room},
    scale::Scale,
};
use crate::tables::number::{rate, three_digits};

/// Room above the highest point, for words.
const HEADROOM: f64 = 1.3;
/// What is said of latency where calls wait in the client.
const QUEUE: &str = "past the knee: the client's queue";

/// A ramp as it is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Ramp<'a> {
    /// With which the charts' ids begin.
    pub id: &'a str,
    /// The rows.
    pub rows: &'a [Row],
    /// What they mean.
    pub judgement: &'a RunJudgement,
    /// … in words.
    pub meaning: &'a str,
}

impl Ramp<'_> {
    /// Its charts.
    pub fn charts(&self) -> [Chart; 3] {
        [self.delivered(), self.latency(), self.cpu()]
    }

    fn delivered(&self) -> Chart {
        let points = points(
            self.rows,
            offered,
            |row| Some(Value::exactly(row.delivered?)),
            |y| format!("delivered {}/s", rate(y)),
        );
        let RunJudgement { plateau, capacity, .. } = self.judgement;
        let levels = [plateau.map(|plateau| plateau.high), capacity.map(|capacity| capacity.per_second)];
        let highest = highest(&points).into_iter().chain(levels.into_iter().flatten()).fold(0.0, f64::max);
        let mut guides = vec![Guide::Diagonal];
        guides.extend(plateau.map(|plateau| Guide::Band { low: plateau.low, high: plateau.high }));
        guides.extend(capacity.map(|capacity| {
            let words = if capacity.at_least { "at least" } else { "capacity" };
            Guide::Level { at: capacity.per_second, label: format!("{words} {}/s", rate(capacity.per_second)) }
        }));
        guides.extend(self.knee());
        Chart {
            y: Axis { title: "delivered, calls/s", scale: Scale::linear(highest * HEADROOM, UP) },
            guides,
            ..self.chart("delivered", "Delivered against offered", vec![Series { name: "", class: "a", points }])
        }
    }

    fn latency(&self) -> Chart {
        let percentile = |read: fn(&Row) -> Option<f64>, which: AtLeast, name: &'static str| {
            let value =
                move |row: &Row| Some(Value { value: read(row)? / 1e3, at_least: row.at_least.contains(&which) });
            points(self.rows, offered, value, move |y| format!("{name} {} ms", three_digits(y)))
        };
        let series = vec![
            Series { name: "p50", class: "a", points: percentile(|row| row.p50_micros, AtLeast::P50, "p50") },
            Series { name: "p99", class: "b", points: percentile(|row| row.p99_micros, AtLeast::P99, "p99") },
        ];
        let values: Vec<f64> = series.iter().flat_map(|series| &series.points).flat_map(with_room).collect();
        let mut guides: Vec<Guide> = self.queue().into_iter().collect();
        guides.extend(self.knee());
        Chart {
            y: Axis { title: "latency, ms", scale: Scale::log(&values, UP) },
            guides,
            ..self.chart("latency", "Latency against offered, from the time a call was due", series)
        }
    }

    fn cpu(&self) -> Chart {
        let value = |row: &Row| Some(Value::exactly(row.cpu_nanos_per_request? / 1e6));
        let points = points(self.rows, offered, value, |y| format!("CPU {} ms/req", three_digits(y)));
        let highest = highest(&points).unwrap_or_default();
        Chart {
            y: Axis { title: "CPU, ms/req", scale: Scale::linear(highest * HEADROOM, UP) },
            guides: self.knee(),
            ..self.chart("cpu", "CPU per request against offered", vec![Series { name: "", class: "a", points }])
        }
    }

    /// What all charts of a ramp share.
    fn chart(&self, name: &str, title: &str, series: Vec<Series>) -> Chart {
        let drawn = |row: &&Row| Mark::of(row).is_some();
        let highest = self.rows.iter().filter(drawn).map(|row| row.offered).fold(0.0, f64::max);
        Chart {
            id: format!("{}-{name}", self.id),
            title: title.to_owned(),
            description: description(&series, self.meaning),
            x: Axis { title: "offered, calls/s", scale: Scale::linear(highest * 1.04, ACROSS) },
            y: Axis { title: "", scale: Scale::linear(1.0, UP) },
            series,
            guides: Vec::new(),
        }
    }

    /// The knee lies between two steps.
    fn knee(&self) -> Vec<Guide> {
        let Some(knee) = self.judgement.knee else { return Vec::new() };
        let step = |at: f64, class: &'static str, words: &str| Guide::Step {
            at: self.offered_at(at),
            class,
            label: format!("{words} {}", rate(at)),
        };
        vec![step(knee.last, "knee", "knee"), step(knee.first_broken, "broken", "first broken")]
    }

    /// From where on calls wait in the client.
    fn queue(&self) -> Option<Guide> {
        let past = self.rows.iter().filter(|row| Mark::of(row) == Some(Mark::PastKnee));
        let at = past.map(|row| row.offered).min_by(f64::total_cmp)?;
        Some(Guide::From { at, label: QUEUE })
    }

    /// What was offered in the step of this rate.
    fn offered_at(&self, rate: f64) -> f64 {
        let step = self.rows.iter().find(|row| !row.warmup && (row.rate() - rate).abs() < 0.5);
        step.map_or(rate, |row| row.offered)
    }
}

fn offered(_: usize, row: &Row) -> f64 {
    row.offered
}
