//! A hold: one rate for hours, judged for drift between its first and last quarter, and for every minute that was not
//! clean. In: its rows in the order of time, each a stretch of equal length.

use serde::{Deserialize, Serialize};
use soak_crds::spec::JudgeBounds;

use super::evidence::percent;
use super::noise::{Asked, Floor, Ratio, Side};
use super::question::ratio_words;
use super::standing::answered;
use super::{Evidence, Verdict};
use crate::table::Row;

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
pub fn drift(rows: &[Row], bounds: &JudgeBounds) -> Drift {
    let held: Vec<(usize, &Row)> = rows.iter().enumerate().filter(|(_, row)| !row.warmup).collect();
    let unclean = held.iter().filter(|(_, row)| row.verdict.is_some_and(|verdict| verdict != Verdict::Clean));
    let mut found = Drift { unclean: unclean.map(|(at, _)| *at).collect(), ..Drift::default() };
    let quarter = held.len() / 4;
    let part = |rows: &[(usize, &Row)]| rows.iter().map(|(_, row)| (*row).clone()).filter(counts).collect::<Vec<Row>>();
    let (first, last) = (part(&held[..quarter]), part(&held[held.len() - quarter..]));
    found.unknown = unknown(&first, &last, bounds);
    if found.unknown.is_some() {
        return found;
    }
    let ratio = |measure| ratio(&first, &last, measure, bounds);
    found.p99 = ratio(|row| row.p99_micros);
    found.cpu = ratio(|row| row.cpu_nanos_per_request);
    found.rss = ratio(|row| row.rss_bytes.map(|bytes| bytes as f64));
    found.errors_permille = errors(&last).zip(errors(&first)).map(|(last, first)| (last - first) * 1000.0);
    found.drifted = drifted(&found, bounds);
    found
}

/// Why drift cannot be told.
fn unknown(first: &[Row], last: &[Row], bounds: &JudgeBounds) -> Option<String> {
    let needed = bounds.drift_min_stretches;
    let few = |rows: &[Row]| i32::try_from(rows.len()).is_ok_and(|rows| rows < needed);
    (few(first) || few(last)).then(|| {
        let (first, last) = (first.len(), last.len());
        format!("{first} stretches count in the first quarter, {last} in the last: each needs {needed}")
    })
}

fn counts(row: &Row) -> bool {
    row.withdrawn.is_none() && row.verdict != Some(Verdict::Void)
}

fn ratio(first: &[Row], last: &[Row], measure: fn(&Row) -> Option<f64>, bounds: &JudgeBounds) -> Ratio {
    let side = |rows: &[Row]| Side {
        logs: rows.iter().filter_map(measure).filter(|value| *value > 0.0).map(f64::ln).collect(),
        at_least: false,
    };
    let (first, last) = (side(first), side(last));
    let floor = Floor::pooled([first.logs.as_slice(), last.logs.as_slice()]);
    let asked = Asked { together: 1, least: f64::from(bounds.drift_percent) / 100.0 };
    Ratio::between(&first, &last, floor.as_ref(), asked)
}

fn errors(rows: &[Row]) -> Option<f64> {
    let shares: Vec<f64> = rows.iter().filter_map(answered).map(|share| 1.0 - share).collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

fn drifted(drift: &Drift, bounds: &JudgeBounds) -> Vec<Evidence> {
    let ratios = [("p99", drift.p99), ("CPU per request", drift.cpu), ("RSS", drift.rss)];
    let moved = |(measure, ratio): &(&str, Ratio)| {
        let value = format!("{} from first to last quarter", ratio_words(ratio));
        (ratio.nil == Some(false)).then(|| Evidence::held(measure, value, format!("within {} %", bounds.drift_percent)))
    };
    let most = f64::from(bounds.drift_errors_per_ten_thousand) / 10_000.0;
    let errors = drift.errors_permille.map(|permille| permille / 1000.0).filter(|more| *more > most);
    let errors =
        errors.map(|more| Evidence::held("errors", format!("{} more", percent(more)), format!("≤ {}", percent(most))));
    ratios.iter().filter_map(moved).chain(errors).collect()
}

#[cfg(test)]
mod tests {
    use soak_crds::spec::JudgeBounds;

    use super::{Drift, drift};
    use crate::table::Row;
    use crate::verdict::Verdict;

    fn judged(rows: &[Row]) -> Drift {
        drift(rows, &JudgeBounds::default())
    }

    fn drifted(found: &Drift) -> Vec<&str> {
        found.drifted.iter().map(|evidence| evidence.measure.as_str()).collect()
    }

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
            let found = judged(rows);
            assert_eq!(drifted(&found), expected, "{found:?}");
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
        assert_eq!(judged(&rows).unclean, [7, 30]);
    }

    #[test]
    fn every_bound_of_drift_is_a_setting_and_is_told() {
        let check = |rows: &[Row], bounds: JudgeBounds, expected: &[(&str, &str)]| {
            let found = drift(rows, &bounds);
            let told: Vec<_> =
                found.drifted.iter().map(|told| (told.measure.as_str(), told.bound.as_deref().unwrap())).collect();
            assert_eq!(told, expected, "{found:?}");
        };
        let percent = |drift_percent| JudgeBounds { drift_percent, ..JudgeBounds::default() };
        // Over forty minutes the quarters lie 30/39 of the way apart: 1.1 becomes 7.6 %.
        let slow = hold(1.1, 1.0, 1.0, 0.0);
        check(&slow, percent(5), &[("p99", "within 5 %")]);
        check(&slow, percent(7), &[("p99", "within 7 %")]);
        check(&slow, percent(8), &[]);
        let errors = |most| JudgeBounds { drift_errors_per_ten_thousand: most, ..JudgeBounds::default() };
        // 2 permille by the end: 1.54 between the quarters.
        let failing = hold(1.0, 1.0, 1.0, 2.0);
        check(&failing, errors(15), &[("errors", "≤ 0.15 %")]);
        check(&failing, errors(16), &[]);
    }

    #[test]
    fn a_rise_of_errors_is_told_to_the_call_and_held_to_more_than_its_bound() {
        // The quarters lie 30/39 of the way apart.
        let rise = judged(&hold(1.0, 1.0, 1.0, 300.0)).errors_permille.unwrap();
        assert!((rise - 300.0 * 30.0 / 39.0).abs() < 1e-6, "{rise}");
        let mut rows = hold(1.0, 1.0, 1.0, 0.0);
        for row in &mut rows[30..] {
            row.answered_permille = Some(500.0);
        }
        let errors = |most| JudgeBounds { drift_errors_per_ten_thousand: most, ..JudgeBounds::default() };
        assert_eq!(drifted(&drift(&rows, &errors(5000))), Vec::<&str>::new(), "as many as the bound are not more");
        assert_eq!(drifted(&drift(&rows, &errors(4999))), ["errors"]);
    }

    #[test]
    fn a_measure_of_zero_has_no_ratio_and_spoils_none() {
        let mut rows = hold(1.0, 1.0, 1.0, 0.0);
        rows[0].p99_micros = Some(0.0);
        let found = judged(&rows);
        assert!(found.p99.value.is_some_and(|value| (value - 1.0).abs() < 0.01), "{found:?}");
    }

    #[test]
    fn a_hold_too_short_for_quarters_says_so() {
        let rows = hold(9.0, 1.0, 1.0, 0.0);
        let found = judged(&rows[..11]);
        let words = "2 stretches count in the first quarter, 2 in the last: each needs 3";
        assert_eq!(found.unknown.as_deref(), Some(words));
        assert_eq!((found.drifted, found.p99), (vec![], crate::verdict::noise::Ratio::default()));
        assert_eq!(judged(&rows[..12]).unknown, None);
        let two = JudgeBounds { drift_min_stretches: 2, ..JudgeBounds::default() };
        assert_eq!(drift(&rows[..11], &two).unknown, None);
        assert_eq!(judged(&[]).unclean, Vec::<usize>::new());
        assert!(judged(&[]).unknown.is_some());
    }

    #[test]
    fn a_quarter_of_void_stretches_tells_no_drift() {
        let mut rows = hold(1.0, 1.0, 1.0, 0.0);
        for row in &mut rows[32..] {
            row.verdict = Some(Verdict::Void);
        }
        let words = "10 stretches count in the first quarter, 2 in the last: each needs 3";
        assert_eq!(judged(&rows).unknown.as_deref(), Some(words));
        rows[32].verdict = Some(Verdict::Clean);
        assert_eq!(judged(&rows).unknown, None);
    }

    #[test]
    fn a_void_minute_moves_nothing() {
        let mut rows = hold(1.0, 1.0, 1.0, 0.0);
        rows[38].p99_micros = Some(9e9);
        rows[38].verdict = Some(Verdict::Void);
        assert_eq!(judged(&rows).drifted, []);
        rows[38].verdict = Some(Verdict::Clean);
        rows[38].withdrawn = Some(crate::table::Withdrawn { reason: "a fault".to_owned(), superseded_by: None });
        assert_eq!(judged(&rows).drifted, []);
    }
}
