//! Even spacing, exact: call `k` is due at the whole nanosecond below `k · 10⁹ / rate`, however long the step is.
//! The rest of the division is carried along, so nothing drifts and nothing is divided per call.

use soak_sample::Share;

/// A second in nanoseconds, times the millionths in which rates are kept.
const SECOND_TIMES_MILLION: u128 = 1_000_000_000_000_000;

/// Evenly spaced due times.
#[derive(Debug, Clone)]
pub struct Uniform {
    due: u64,
    rest: u64,
    gap: u64,
    gap_rest: u64,
    /// Rate in millionths of a call per second.
    micro_rate: u64,
}

impl Uniform {
    pub(super) fn new(per_second: f64, share: Share) -> Self {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded by HIGHEST_RATE")]
        let micro_rate = ((per_second * 1e6).round() as u64).max(1);
        let (due, rest) = divide(share.index, micro_rate);
        let (gap, gap_rest) = divide(share.of, micro_rate);
        Self { due, rest, gap, gap_rest, micro_rate }
    }

    #[inline]
    pub(super) fn due(&self) -> u64 {
        self.due
    }

    #[inline]
    pub(super) fn advance(&mut self) {
        self.due = self.due.saturating_add(self.gap);
        self.rest += self.gap_rest;
        if self.rest >= self.micro_rate {
            self.rest -= self.micro_rate;
            self.due = self.due.saturating_add(1);
        }
    }
}

/// `calls · 10⁹ / rate` as whole nanoseconds and a rest.
fn divide(calls: u32, micro_rate: u64) -> (u64, u64) {
    let product = u128::from(calls) * SECOND_TIMES_MILLION;
    let whole = product / u128::from(micro_rate);
    let rest = product % u128::from(micro_rate);
    (u64::try_from(whole).unwrap_or(u64::MAX), u64::try_from(rest).unwrap_or(0))
}
