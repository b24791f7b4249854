//! Exponential gaps from a seed. Every sender walks the same sequence of gaps and keeps the calls that are its own, so
//! that the division is exact and the union of all senders does not depend on their number.

use soak_sample::Share;

use super::random::SplitMix;

/// Due times of a Poisson process.
#[derive(Debug, Clone)]
pub struct Poisson {
    random: SplitMix,
    mean_gap_nanos: f64,
    /// The next due time, in mean gaps from the start. A sum of 10¹² gaps is still exact to a thousandth of a gap.
    at: f64,
    of: u32,
}

impl Poisson {
    pub(super) fn new(per_second: f64, seed: u64, share: Share) -> Self {
        let mut poisson = Self { random: SplitMix::new(seed), mean_gap_nanos: 1e9 / per_second, at: 0.0, of: share.of };
        poisson.walk(share.index + 1);
        poisson
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is never negative")]
    pub(super) fn due(&self) -> u64 {
        (self.at * self.mean_gap_nanos) as u64
    }

    #[inline]
    pub(super) fn advance(&mut self) {
        self.walk(self.of);
    }

    #[inline]
    fn walk(&mut self, gaps: u32) {
        for _ in 0..gaps {
            self.at += self.random.exponential();
        }
    }
}
