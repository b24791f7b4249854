//! What a run means: knee, plateau, capacity, collapse, extend. Each is a fact of its own, read off judged steps.

use soak_crds::spec::JudgeBounds;

use super::evidence::per_second;
use super::standing::is_saturated;
use super::step::{first_steps, floors, judged};
use super::{Capacity, Knee, Plateau, RunJudgement, Verdict};
use crate::table::Row;

/// Reads the facts off rows that have their verdicts.
pub(super) fn judge(rows: &[Row], bounds: &JudgeBounds) -> RunJudgement {
    let judged = judged(rows);
    let plateau = plateau(&judged, bounds).filter(|plateau| !outdone(rows, *plateau, bounds));
    let collapse = collapse(&judged, bounds);
    RunJudgement {
        first_step: first_steps(rows).first().map(|at| rows[*at].rate()),
        knee: knee(&judged),
        outliers: judged.iter().filter(|row| is_outlier(row)).map(|row| row.rate()).collect(),
        plateau: plateau.map(|(_, plateau)| plateau),
        capacity: capacity(rows, plateau.map(|(_, plateau)| plateau)),
        slo_capacity: None,
        collapse,
        extend: plateau.is_none() && collapse.is_none() && longer_helps(rows),
        split: split(rows, bounds),
        remarks: remarks(rows, &judged),
    }
}

fn is_outlier(row: &Row) -> bool {
    row.verdict == Some(Verdict::Outlier)
}

fn is_past_knee(row: &Row) -> bool {
    row.verdict == Some(Verdict::PastKnee)
}

fn keeps(row: &Row) -> bool {
    matches!(row.verdict, Some(Verdict::Clean | Verdict::AtKnee))
}

/// The highest step that delivers, and the lowest above it that does not. Unknown where there is no such pair.
fn knee(judged: &[&Row]) -> Option<Knee> {
    let last = judged.iter().filter(|row| keeps(row)).map(|row| row.rate()).max_by(f64::total_cmp)?;
    let broken = judged.iter().filter(|row| is_past_knee(row)).map(|row| row.rate()).filter(|rate| *rate > last);
    broken.min_by(f64::total_cmp).map(|first_broken| Knee { last, first_broken })
}

/// The longest run of saturated steps at the ramp's end within the spread, and the rate at which it begins.
fn plateau(judged: &[&Row], bounds: &JudgeBounds) -> Option<(f64, Plateau)> {
    let mut run: Vec<f64> = Vec::new();
    let mut begins = f64::NAN;
    for row in judged.iter().rev().take_while(|row| is_past_knee(row) && is_saturated(row, bounds)) {
        run.push(row.delivered.unwrap_or_default());
        if !within_spread(&run, bounds) {
            run.pop();
            break;
        }
        begins = row.rate();
    }
    let enough = usize::try_from(bounds.plateau_min_steps).unwrap_or(usize::MAX);
    let median = median(&run).filter(|_| run.len() >= enough)?;
    Some((begins, Plateau { low: lowest(&run), high: highest(&run), median }))
}

fn within_spread(delivered: &[f64], bounds: &JudgeBounds) -> bool {
    let least = highest(delivered) * (1.0 - f64::from(bounds.plateau_spread_percent) / 100.0);
    lowest(delivered) >= least
}

/// A step whose number is a floor delivered more at a rate of the plateau than the plateau: it is none.
fn outdone(rows: &[Row], (begins, plateau): (f64, Plateau), bounds: &JudgeBounds) -> bool {
    let most = plateau.high * (1.0 + f64::from(bounds.plateau_spread_percent) / 100.0);
    floors(rows).iter().any(|row| row.rate() >= begins && row.delivered.is_some_and(|delivered| delivered > most))
}

/// The plateau's median, else at least the highest delivered by any step that was judged or is a floor.
fn capacity(rows: &[Row], plateau: Option<Plateau>) -> Option<Capacity> {
    if let Some(plateau) = plateau {
        return Some(Capacity { per_second: plateau.median, at_least: false });
    }
    let delivered = judged(rows).into_iter().chain(floors(rows)).filter_map(|row| row.delivered);
    delivered.max_by(f64::total_cmp).map(|per_second| Capacity { per_second, at_least: true })
}

/// The first judged step that delivers less than its share of the best before it. An outlier is no collapse: a later,
/// higher step delivered.
fn collapse(judged: &[&Row], bounds: &JudgeBounds) -> Option<f64> {
    let share = f64::from(bounds.collapse_delivered_percent) / 100.0;
    let mut best: f64 = 0.0;
    for row in judged.iter().filter(|row| !is_outlier(row)) {
        let delivered = row.delivered?;
        if delivered < best * share {
            return Some(row.rate());
        }
        best = best.max(delivered);
    }
    None
}

/// More steps can show more: the ramp did not end at the limit of driver, host or client shape, nor in a void.
fn longer_helps(rows: &[Row]) -> bool {
    match rows.iter().rfind(|row| !row.warmup && row.withdrawn.is_none()).and_then(|row| row.verdict) {
        None | Some(Verdict::Void | Verdict::ClientLimited | Verdict::HostLimited | Verdict::ShapeLimited) => false,
        Some(
            Verdict::Contaminated
            | Verdict::FirstStep
            | Verdict::Outlier
            | Verdict::Clean
            | Verdict::AtKnee
            | Verdict::PastKnee,
        ) => true,
    }
}

/// Rates of the steps before which the ramp stood still beyond the bound.
fn split(rows: &[Row], bounds: &JudgeBounds) -> Vec<f64> {
    let late = |row: &&Row| row.gap_millis.is_some_and(|gap| gap > bounds.gap_millis);
    rows.iter().filter(|row| !row.warmup).filter(late).map(Row::rate).collect()
}

fn remarks(rows: &[Row], judged: &[&Row]) -> Vec<String> {
    let mut remarks = Vec::new();
    if !judged.is_empty() && judged.iter().all(|row| is_past_knee(row)) {
        remarks.push("no judged step delivers: the ramp starts past the knee".to_owned());
    }
    let falls = rows.iter().filter(|row| !row.warmup).map(Row::rate).collect::<Vec<_>>();
    if let Some(pair) = falls.windows(2).find(|pair| pair[1] < pair[0]) {
        remarks.push(format!("the ramp falls: {} follows {}", per_second(pair[1]), per_second(pair[0])));
    }
    remarks
}

fn lowest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn highest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The middle value; of an even count the mean of the middle two; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(f64::midpoint(sorted[(sorted.len() - 1) / 2], upper))
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_of_an_even_count_is_the_mean_of_the_middle_two_and_of_nothing_there_is_none() {
        let check =
            |values: &[f64], expected: f64| assert!((median(values).unwrap() - expected).abs() < 1e-12, "{values:?}");
        check(&[3.0], 3.0);
        check(&[5.0, 1.0, 2.0], 2.0);
        check(&[9.0, 1.0, 2.0, 4.0], 3.0);
        assert_eq!(median(&[]), None);
    }
}
