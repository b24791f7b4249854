//! How long to wait for the next thing to do, and how. Spinning never waits. Sleeping wakes before a call is due by as
//! much as the kernel was late the last times, and spins the rest; but never for more than a small share of the mean gap
//! between calls: where calls are that close, being late by the kernel's own measure is cheaper. Pure.

use soak_sample::Idle;

/// The longest margin, nanoseconds.
const LONGEST_MARGIN: u64 = 60_000;
/// The share of the mean gap that may be spun, as its inverse.
const SPUN_SHARE: u64 = 8;

/// What to do until the next thing is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Look for events and come back at once.
    Look,
    /// Wait for events, at most this long, nanoseconds.
    Wait(u64),
}

/// How late the kernel wakes a worker, learned.
#[derive(Debug, Clone)]
pub(super) struct Rester {
    idle: Idle,
    lateness: u64,
    cap: u64,
}

impl Rester {
    /// For calls at this mean gap, nanoseconds.
    pub(super) fn new(idle: Idle, mean_gap_nanos: u64) -> Self {
        let cap = (mean_gap_nanos / SPUN_SHARE).min(LONGEST_MARGIN);
        Self { idle, lateness: LONGEST_MARGIN, cap }
    }

    /// What to do when nothing is to be done for `nanos`, until a call is due.
    #[inline]
    pub(super) fn until_due(&self, nanos: u64) -> Rest {
        let margin = self.lateness.min(self.cap);
        match self.idle {
            Idle::Sleep if nanos > margin => Rest::Wait(nanos - margin),
            Idle::Sleep | Idle::Spin => Rest::Look,
        }
    }

    /// What to do when nothing is to be done for `nanos`, until something that may be a little late.
    #[inline]
    pub(super) fn until_mark(&self, nanos: u64) -> Rest {
        match self.idle {
            Idle::Sleep => Rest::Wait(nanos),
            Idle::Spin => Rest::Look,
        }
    }

    /// A wait that no event ended was over this much too late: quick to learn of worse, slow to forget it.
    #[inline]
    pub(super) fn woke_late(&mut self, nanos: u64) {
        let seen = nanos.min(LONGEST_MARGIN);
        if seen > self.lateness {
            self.lateness += (seen - self.lateness) / 2;
        } else {
            self.lateness -= (self.lateness - seen) / 16;
        }
    }
}

#[cfg(test)]
mod tests {
    use soak_sample::Idle;

    use super::{LONGEST_MARGIN, Rest, Rester};

    const MILLISECOND: u64 = 1_000_000;

    #[test]
    fn a_spinner_never_waits() {
        let rester = Rester::new(Idle::Spin, MILLISECOND);
        assert_eq!(rester.until_due(MILLISECOND), Rest::Look);
        assert_eq!(rester.until_mark(MILLISECOND), Rest::Look);
    }

    #[test]
    fn a_sleeper_wakes_before_the_due_time_by_what_it_has_learned() {
        let mut rester = Rester::new(Idle::Sleep, MILLISECOND);
        assert_eq!(rester.until_due(MILLISECOND), Rest::Wait(MILLISECOND - LONGEST_MARGIN));
        assert_eq!(rester.until_due(LONGEST_MARGIN), Rest::Look);
        for _ in 0..200 {
            rester.woke_late(5_000);
        }
        let Rest::Wait(wait) = rester.until_due(MILLISECOND) else { panic!("it should wait") };
        assert!((5_000..6_000).contains(&(MILLISECOND - wait)), "{wait}");
        rester.woke_late(45_000);
        assert_eq!(rester.until_due(20_000), Rest::Look);
    }

    #[test]
    fn close_calls_are_not_spun_for() {
        let rester = Rester::new(Idle::Sleep, 20_000);
        assert_eq!(rester.until_due(20_000), Rest::Wait(17_500));
        assert_eq!(rester.until_due(2_000), Rest::Look);
    }

    #[test]
    fn marks_are_slept_for_whole() {
        let rester = Rester::new(Idle::Sleep, MILLISECOND);
        assert_eq!(rester.until_mark(10_000), Rest::Wait(10_000));
    }
}
