//! Percentiles over all calls due. A call that was never sent, failed, timed out or is still in flight ranks behind every
//! answer: where the rank falls among those, the value is the largest known and a lower bound.

use soak_sample::Histogram;

use super::Percentiles;
use super::number::thousandth;

/// Calls beyond the rank that a percentile needs to be told.
const BEYOND: f64 = 10.0;

/// A percentile over all calls due.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ranked {
    /// Its value, microseconds.
    Known(f64),
    /// The largest known value; the true one is not lower. Microseconds.
    AtLeast(f64),
    /// No call was answered.
    Nothing,
    /// Too few calls; this many are needed.
    TooFew(u64),
}

/// The `share` (0–1) of `due` calls, of which `answers` holds those answered well.
pub(super) fn over_due(answers: &Histogram, due: u64, share: f64) -> Ranked {
    let needed = needed(share);
    if due < needed {
        return Ranked::TooFew(needed);
    }
    match (answers.at_rank(rank(due, share)), answers.max()) {
        (Some(nanos), _) => Ranked::Known(micros(nanos)),
        (None, Some(largest)) => Ranked::AtLeast(micros(largest)),
        (None, None) => Ranked::Nothing,
    }
}

/// The percentiles of calls answered well alone; absent where there are none.
pub(super) fn over_answers(answers: &Histogram) -> Option<Percentiles> {
    let of = |share| {
        let enough = answers.len() >= needed(share);
        enough.then(|| answers.at_rank(rank(answers.len(), share)).map(micros)).flatten()
    };
    (!answers.is_empty()).then(|| Percentiles { p50: of(0.5), p99: of(0.99), p999: of(0.999) })
}

/// The smallest count with this share of it at or below the rank.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count is a count")]
pub(super) fn rank(count: u64, share: f64) -> u64 {
    // A share such as 0.99 is not exact in binary; what is left over is far below one call.
    ((count as f64 * share - 1e-6).ceil() as u64).clamp(1, count.max(1))
}

/// Calls needed before the share is told: the tail beyond it must hold ten. The median and the 99th are told of any
/// step that has calls: there the reader sees the count.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
fn needed(share: f64) -> u64 {
    if share <= 0.99 { 1 } else { (BEYOND / (1.0 - share)).round() as u64 }
}

pub(super) fn micros(nanos: u64) -> f64 {
    thousandth(nanos as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use soak_sample::Histogram;

    use super::{Ranked, over_answers, over_due, rank};

    fn answers(micros: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        for micros in micros {
            histogram.record(micros * 1000);
        }
        histogram
    }

    fn near(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= expected / 500.0
    }

    #[test]
    fn a_rank_is_the_smallest_count_that_covers_the_share() {
        assert_eq!(rank(1, 0.5), 1);
        assert_eq!(rank(100, 0.5), 50);
        assert_eq!(rank(101, 0.5), 51);
        assert_eq!(rank(100, 0.99), 99);
        assert_eq!(rank(10_000, 0.999), 9_990);
        assert_eq!(rank(0, 0.5), 1);
    }

    #[test]
    fn calls_without_an_answer_rank_behind_all_answers() {
        let known = answers(&[100, 200, 300]);
        let check = |due, share, expected: fn(Ranked) -> bool| {
            let found = over_due(&known, due, share);
            assert!(expected(found), "{due} {share}: {found:?}");
        };
        check(3, 0.5, |found| matches!(found, Ranked::Known(value) if near(value, 200.0)));
        check(4, 0.5, |found| matches!(found, Ranked::Known(value) if near(value, 200.0)));
        check(6, 0.5, |found| matches!(found, Ranked::Known(value) if near(value, 300.0)));
        check(7, 0.5, |found| matches!(found, Ranked::AtLeast(value) if near(value, 300.0)));
        check(3, 0.99, |found| matches!(found, Ranked::Known(value) if near(value, 300.0)));
        check(4, 0.99, |found| matches!(found, Ranked::AtLeast(value) if near(value, 300.0)));
        check(9_999, 0.999, |found| found == Ranked::TooFew(10_000));
        check(10_000, 0.999, |found| matches!(found, Ranked::AtLeast(_)));
        assert_eq!(over_due(&answers(&[]), 5, 0.5), Ranked::Nothing);
        assert_eq!(over_due(&answers(&[]), 0, 0.5), Ranked::TooFew(1));
    }

    #[test]
    fn percentiles_of_answers_alone_know_nothing_of_the_rest() {
        let found = over_answers(&answers(&[100, 200, 300])).unwrap();
        assert!(near(found.p50.unwrap(), 200.0) && near(found.p99.unwrap(), 300.0));
        assert_eq!(found.p999, None);
        assert_eq!(over_answers(&answers(&[])), None);
    }
}
