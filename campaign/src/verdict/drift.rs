//! A hold: one rate for hours, judged for drift between its first and last quarter, and for every minute that was not
//! clean. In: its rows in the order of time, each a stretch of equal length.

use serde::{Deserialize, Serialize};

use super::noise::{Floor, Ratio, Side};
use super::standing::answered;
use super::{Evidence, Verdict};
use crate::table::Row;

/// Drift smaller than this is not called so, however certain it is.
const LEAST: f64 = 0.05;
/// Errors that rise by more than this share of the calls due are drift.
const LEAST_ERRORS: f64 = 0.001;
/// Rows that each quarter needs.
const FEWEST: usize = 3;

/// What a hold means.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Drift {
    /// Last quarter over first: p99.
    pub p99: Ratio,
    /// CPU per request.
    pub cpu: Ratio,
    /// Resident memory.
    pub rss: Ratio,
    /// Share of calls not answered well in the last quarter less that in the first, thousandths.
    pub errors_permille: Option<f64>,
    /// The measures that drifted.
    pub drifted: Vec<Evidence>,
    /// Rows that were not clean, by their place from 0.
    pub unclean: Vec<usize>,
    /// Why drift cannot be told; absent where it can.
    pub unknown: Option<String>,
}

/// Judges the rows of a hold.
pub fn drift(rows: &[Row]) -> Drift {
    let held: Vec<(usize, &Row)> = rows.iter().enumerate().filter(|(_, row)| !row.warmup).collect();
    let unclean = held.iter().filter(|(_, row)| row.verdict.is_some_and(|verdict| verdict != Verdict::Clean));
    let mut found = Drift { unclean: unclean.map(|(at, _)| *at).collect(), ..Drift::default() };
    let quarter = held.len() / 4;
    if quarter < FEWEST {
        found.unknown = Some(format!("{} rows: each quarter needs {FEWEST}", held.len()));
        return found;
    }
    let part = |rows: &[(usize, &Row)]| rows.iter().map(|(_, row)| (*row).clone()).filter(counts).collect::<Vec<Row>>();
    let (first, last) = (part(&held[..quarter]), part(&held[held.len() - quarter..]));
    found.p99 = ratio(&first, &last, |row| row.p99_micros);
    found.cpu = ratio(&first, &last, |row| row.cpu_nanos_per_request);
    found.rss = ratio(&first, &last, |row| row.rss_bytes.map(|bytes| bytes as f64));
    found.errors_permille = errors(&last).zip(errors(&first)).map(|(last, first)| (last - first) * 1000.0);
    found.drifted = drifted(&found);
    found
}

fn counts(row: &Row) -> bool {
    row.withdrawn.is_none() && row.verdict != Some(Verdict::Void)
}

fn ratio(first: &[Row], last: &[Row], measure: fn(&Row) -> Option<f64>) -> Ratio {
    let side = |rows: &[Row]| Side {
        logs: rows.iter().filter_map(measure).filter(|value| *value > 0.0).map(f64::ln).collect(),
        at_least: false,
    };
    let (first, last) = (side(first), side(last));
    let floor = Floor::pooled([first.logs.as_slice(), last.logs.as_slice()]);
    Ratio::between(&first, &last, floor.as_ref(), Some(LEAST))
}

fn errors(rows: &[Row]) -> Option<f64> {
    let shares: Vec<f64> = rows.iter().filter_map(answered).map(|share| 1.0 - share).collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

fn drifted(drift: &Drift) -> Vec<Evidence> {
    let ratios = [("p99", drift.p99), ("CPU per request", drift.cpu), ("RSS", drift.rss)];
    let moved = |(measure, ratio): &(&str, Ratio)| {
        let value = format!("{} from first to last quarter", super::question::ratio_words(ratio));
        (ratio.nil == Some(false)).then(|| Evidence::held(measure, value, format!("within {} %", LEAST * 100.0)))
    };
    let errors = drift.errors_permille.filter(|permille| *permille > LEAST_ERRORS * 1000.0);
    let errors = errors.map(|permille| {
        let value = format!("{} more", super::evidence::percent(permille / 1000.0));
        Evidence::held("errors", value, format!("≤ {}", super::evidence::percent(LEAST_ERRORS)))
    });
    ratios.iter().filter_map(moved).chain(errors).collect()
}

#[cfg(test)]
mod tests {
    use super::drift;
    use crate::table::Row;
    use crate::verdict::Verdict;

    /// Forty minutes; each measure wobbles by a percent and moves as told.
    fn hold(p99: f64, cpu: f64, rss: f64, errors: f64) -> Vec<Row> {
        let minute = |at: u32| {
            let along = f64::from(at) / 39.0;
            let wobble = if at.is_multiple_of(2) { 1.01 } else { 0.99 };
            let moved = |from: f64, by: f64| Some(from * by.powf(along) * wobble);
            Row {
                offered: 1000.0,
                delivered: Some(1000.0),
                answered_permille: Some(1000.0 - errors * along),
                p99_micros: moved(5000.0, p99),
                cpu_nanos_per_request: moved(100_000.0, cpu),
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                rss_bytes: moved(1e8, rss).map(|bytes| bytes as u64),
                verdict: Some(Verdict::Clean),
                ..Row::default()
            }
        };
        (0..40).map(minute).collect()
    }

    #[test]
    fn what_moves_between_first_and_last_quarter_is_drift() {
        let check = |rows: &[Row], expected: &[&str]| {
            let found = drift(rows);
            let drifted: Vec<_> = found.drifted.iter().map(|evidence| evidence.measure.as_str()).collect();
            assert_eq!(drifted, expected, "{found:?}");
        };
        check(&hold(1.0, 1.0, 1.0, 0.0), &[]);
        check(&hold(1.5, 1.0, 1.0, 0.0), &["p99"]);
        check(&hold(1.0, 1.2, 1.0, 0.0), &["CPU per request"]);
        check(&hold(1.0, 1.0, 2.0, 0.0), &["RSS"]);
        check(&hold(1.0, 1.0, 0.7, 0.0), &["RSS"]);
        check(&hold(1.03, 1.03, 1.03, 0.5), &[]);
        check(&hold(1.0, 1.0, 1.0, 5.0), &["errors"]);
    }

    #[test]
    fn every_minute_that_was_not_clean_is_named() {
        let mut rows = hold(1.0, 1.0, 1.0, 0.0);
        rows[0].warmup = true;
        rows[0].verdict = None;
        rows[7].verdict = Some(Verdict::PastKnee);
        rows[30].verdict = Some(Verdict::Contaminated);
        assert_eq!(drift(&rows).unclean, [7, 30]);
    }

    #[test]
    fn a_hold_too_short_for_quarters_says_so() {
        let found = drift(&hold(9.0, 1.0, 1.0, 0.0)[..11]);
        assert_eq!(found.unknown.as_deref(), Some("11 rows: each quarter needs 3"));
        assert_eq!(found.drifted, []);
        assert_eq!(drift(&[]).unclean, Vec::<usize>::new());
    }

    #[test]
    fn a_void_minute_moves_nothing() {
        let mut rows = hold(1.0, 1.0, 1.0, 0.0);
        rows[38].p99_micros = Some(9e9);
        rows[38].verdict = Some(Verdict::Void);
        assert_eq!(drift(&rows).drifted, []);
    }
}
