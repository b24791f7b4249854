//! How a step stands to the bounds of the knee and of clean. Knows rows and bounds alone.

use soak_crds::spec::JudgeBounds;

use super::Evidence;
use super::evidence::{percent, trimmed};
use crate::table::{Growth, Row};

/// Slack for bounds met exactly: far below what any table can show.
const EPSILON: f64 = 1e-9;

/// A step in the measures of the knee. `None`: the table does not tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Standing {
    /// Calls answered well over calls due; in tables from outside delivered over offered.
    answered: Option<f64>,
    /// Calls never sent over calls due.
    never_sent: Option<f64>,
    /// p50 over the lowest p50 of the judged steps.
    p50_factor: Option<f64>,
    /// What was in flight grew over the step.
    growing: Option<bool>,
}

impl Standing {
    pub(super) fn of(row: &Row, lowest_p50: Option<f64>, growth: Option<Growth>) -> Self {
        Self {
            answered: answered(row),
            never_sent: row.knee_per_second.map(|knee| knee / row.offered),
            p50_factor: row.p50_micros.zip(lowest_p50).filter(|(_, low)| *low > 0.0).map(|(p50, low)| p50 / low),
            growing: growth.map(grows),
        }
    }

    /// It breaks none of the knee's bounds.
    pub(super) fn keeps(&self, bounds: &JudgeBounds) -> bool {
        self.answers(share(bounds.knee_answered_per_ten_thousand))
            && self.sends(share(bounds.knee_never_sent_per_ten_thousand))
            && self.p50_factor.is_none_or(|factor| factor < f64::from(bounds.knee_p50_factor) - EPSILON)
    }

    /// It keeps the bounds of clean, those of the knee included.
    pub(super) fn is_clean(&self, bounds: &JudgeBounds) -> bool {
        self.keeps(bounds)
            && self.answers(share(bounds.clean_answered_per_ten_thousand))
            && self.sends(share(bounds.clean_never_sent_per_ten_thousand))
            && self.growing != Some(true)
    }

    fn answers(&self, least: f64) -> bool {
        self.answered.is_none_or(|answered| answered >= least - EPSILON)
    }

    fn sends(&self, most: f64) -> bool {
        self.never_sent.is_none_or(|never_sent| never_sent < most - EPSILON)
    }

    /// The measures against the bounds of the knee.
    pub(super) fn at_knee_bounds(&self, bounds: &JudgeBounds) -> Vec<Evidence> {
        let mut evidence = self.shares(bounds.knee_answered_per_ten_thousand, bounds.knee_never_sent_per_ten_thousand);
        if let Some(factor) = self.p50_factor {
            let value = format!("{} × the lowest", trimmed(factor, 1));
            evidence.push(Evidence::held("p50", value, format!("< {} ×", bounds.knee_p50_factor)));
        }
        evidence
    }

    /// The measures against the bounds of clean.
    pub(super) fn at_clean_bounds(&self, bounds: &JudgeBounds) -> Vec<Evidence> {
        let mut evidence =
            self.shares(bounds.clean_answered_per_ten_thousand, bounds.clean_never_sent_per_ten_thousand);
        if self.growing == Some(true) {
            evidence.push(Evidence::held("in flight", "growing over the step", "not growing"));
        }
        evidence
    }

    fn shares(&self, answered: i32, never_sent: i32) -> Vec<Evidence> {
        let answered = self
            .answered
            .map(|value| Evidence::held("answered", percent(value), format!("≥ {}", percent(share(answered)))));
        let never_sent = self
            .never_sent
            .map(|value| Evidence::held("never sent", percent(value), format!("< {}", percent(share(never_sent)))));
        answered.into_iter().chain(never_sent).collect()
    }
}

/// Calls answered well over calls due (0–1); where the table does not tell, delivered over offered.
pub(super) fn answered(row: &Row) -> Option<f64> {
    let delivered = row.delivered.map(|delivered| delivered / row.offered);
    row.answered_permille.map(|permille| permille / 1000.0).or(delivered)
}

/// A judged step past the knee that delivers less than its bound.
pub(super) fn is_saturated(row: &Row, bounds: &JudgeBounds) -> bool {
    let least = f64::from(bounds.saturated_delivered_percent) / 100.0;
    row.delivered.is_some_and(|delivered| delivered / row.offered < least - EPSILON)
}

/// More in flight at the end than at half time, by more than chance (four standard deviations of a Poisson count) and
/// by more than a thousandth of the calls due since.
fn grows(growth: Growth) -> bool {
    let more = growth.end.saturating_sub(growth.half) as f64;
    more > 4.0 * ((growth.half + growth.end) as f64).sqrt().max(2.0) && more > growth.due as f64 / 1000.0
}

fn share(per_ten_thousand: i32) -> f64 {
    f64::from(per_ten_thousand) / 10_000.0
}

#[cfg(test)]
mod tests {
    use soak_crds::spec::JudgeBounds;

    use super::{Standing, grows, is_saturated};
    use crate::table::{Growth, Row};

    fn row(offered: f64, delivered: f64, knee: f64, p50: f64) -> Row {
        Row {
            offered,
            delivered: Some(delivered),
            knee_per_second: Some(knee),
            p50_micros: Some(p50),
            ..Row::default()
        }
    }

    #[test]
    fn a_bound_of_the_knee_is_broken_just_past_it() {
        let check = |row: &Row, keeps: bool| {
            let standing = Standing::of(row, Some(1000.0), None);
            assert_eq!(standing.keeps(&JudgeBounds::default()), keeps, "{row:?}");
        };
        check(&row(200.0, 199.0, 0.0, 1000.0), true);
        check(&row(200.0, 198.99, 0.0, 1000.0), false);
        check(&row(200.0, 200.0, 0.999, 1000.0), true);
        check(&row(200.0, 200.0, 1.0, 1000.0), false);
        check(&row(200.0, 200.0, 0.0, 9999.0), true);
        check(&row(200.0, 200.0, 0.0, 10_000.0), false);
    }

    #[test]
    fn a_clean_step_keeps_the_narrower_bounds_and_does_not_grow() {
        let check = |row: &Row, growth: Option<Growth>, clean: bool| {
            let standing = Standing::of(row, Some(1000.0), growth);
            assert_eq!(standing.is_clean(&JudgeBounds::default()), clean, "{row:?} {growth:?}");
        };
        check(&row(1000.0, 999.0, 0.9, 1000.0), None, true);
        check(&row(1000.0, 998.9, 0.0, 1000.0), None, false);
        check(&row(1000.0, 1000.0, 1.0, 1000.0), None, false);
        check(&row(1000.0, 1000.0, 0.0, 20_000.0), None, false);
        check(&row(1000.0, 1000.0, 0.0, 1000.0), Some(Growth { half: 10, end: 200, due: 5000 }), false);
        check(&row(1000.0, 1000.0, 0.0, 1000.0), Some(Growth { half: 10, end: 20, due: 5000 }), true);
    }

    #[test]
    fn growth_is_more_than_chance_and_more_than_a_thousandth() {
        let check = |half, end, due, expected| assert_eq!(grows(Growth { half, end, due }), expected, "{half} {end}");
        check(0, 8, 1_000, false);
        check(0, 16, 1_000, false);
        check(0, 17, 1_000, true);
        check(100, 160, 10_000, false);
        check(100, 170, 10_000, true);
        check(100, 170, 70_000, false);
        check(200, 100, 10, false);
    }

    #[test]
    fn a_step_is_saturated_below_ninety_eight_percent() {
        let bounds = JudgeBounds::default();
        assert!(!is_saturated(&row(8000.0, 7849.5, 0.0, 1.0), &bounds));
        assert!(!is_saturated(&row(100.0, 98.0, 0.0, 1.0), &bounds));
        assert!(is_saturated(&row(100.0, 97.99, 0.0, 1.0), &bounds));
    }

    #[test]
    fn growth_is_evidence_only_where_there_is_growth() {
        let measures = |growth| {
            let standing = Standing::of(&row(1000.0, 1000.0, 0.0, 1000.0), None, growth);
            let evidence = standing.at_clean_bounds(&JudgeBounds::default());
            evidence.into_iter().map(|evidence| evidence.measure).collect::<Vec<_>>()
        };
        assert_eq!(measures(Some(Growth { half: 10, end: 200, due: 5000 })), ["answered", "never sent", "in flight"]);
        assert_eq!(measures(Some(Growth { half: 10, end: 20, due: 5000 })), ["answered", "never sent"]);
        assert_eq!(measures(None), ["answered", "never sent"]);
    }

    #[test]
    fn without_a_lowest_p50_no_p50_breaks_a_bound() {
        for lowest in [None, Some(0.0)] {
            assert!(Standing::of(&row(100.0, 100.0, 0.0, 9e9), lowest, None).keeps(&JudgeBounds::default()));
        }
    }

    #[test]
    fn own_rows_are_held_by_what_was_answered_after_the_drain() {
        let late = Row { answered_permille: Some(1000.0), ..row(1000.0, 900.0, 0.0, 1000.0) };
        assert!(Standing::of(&late, None, None).keeps(&JudgeBounds::default()));
    }
}
