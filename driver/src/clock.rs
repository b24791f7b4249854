//! The driver's clock: monotonic moments for everything that is measured, and their pairing with the time of day that
//! orders and windows are written in. The only module that reads a clock.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// A moment on the monotonic clock, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Moment(pub u64);

impl Moment {
    /// The last moment there is.
    pub const NEVER: Self = Self(u64::MAX);

    /// Now.
    #[inline]
    pub fn now() -> Self {
        Self(nanos(clock_gettime(ClockId::Monotonic)))
    }

    /// Nanoseconds since an earlier moment; 0 where it is not earlier.
    #[inline]
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// This many nanoseconds later.
    #[inline]
    #[must_use]
    pub fn plus(self, nanos: u64) -> Self {
        Self(self.0.saturating_add(nanos))
    }
}

/// CPU time of the calling thread so far, nanoseconds.
pub(crate) fn thread_cpu_nanos() -> u64 {
    nanos(clock_gettime(ClockId::ThreadCPUTime))
}

#[allow(clippy::cast_sign_loss, reason = "these clocks count up from zero")]
#[inline]
fn nanos(at: Timespec) -> u64 {
    at.tv_sec as u64 * 1_000_000_000 + at.tv_nsec as u64
}

/// The monotonic clock paired with the time of day at one instant.
#[derive(Debug, Clone, Copy)]
pub struct Pairing {
    monotonic: Moment,
    unix_nanos: i64,
}

impl Pairing {
    /// Reads both clocks a few times and keeps the tightest pair.
    pub fn read() -> Self {
        let read_once = || {
            let before = Moment::now();
            let unix = clock_gettime(ClockId::Realtime);
            let after = Moment::now();
            let width = after.since(before);
            let pair =
                Self { monotonic: before.plus(width / 2), unix_nanos: unix.tv_sec * 1_000_000_000 + unix.tv_nsec };
            (width, pair)
        };
        (0..8).map(|_| read_once()).min_by_key(|(width, _)| *width).map_or_else(|| read_once().1, |(_, pair)| pair)
    }

    /// The moment of a time of day; the earliest moment for what lies before the clock's own start.
    pub fn moment(&self, unix_nanos: i64) -> Moment {
        let from_pair = i128::from(unix_nanos) - i128::from(self.unix_nanos);
        let moment = i128::from(self.monotonic.0) + from_pair;
        Moment(u64::try_from(moment.max(0)).unwrap_or(u64::MAX))
    }

    /// The time of day of a moment, nanoseconds since the epoch.
    pub fn unix_nanos(&self, moment: Moment) -> i64 {
        let unix = i128::from(self.unix_nanos) + i128::from(moment.0) - i128::from(self.monotonic.0);
        i64::try_from(unix).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::{Moment, Pairing};

    #[test]
    fn a_moment_survives_the_way_to_the_time_of_day_and_back() {
        let pairing = Pairing { monotonic: Moment(5_000), unix_nanos: 1_800_000_000_000_000_000 };
        for moment in [Moment(0), Moment(5_000), Moment(1 << 50)] {
            assert_eq!(pairing.moment(pairing.unix_nanos(moment)), moment);
        }
        assert_eq!(pairing.moment(0), Moment(0), "long before the clock's start");
    }

    #[test]
    fn two_pairings_agree() {
        let (first, second) = (Pairing::read(), Pairing::read());
        let moment = Moment::now();
        let apart = first.unix_nanos(moment).abs_diff(second.unix_nanos(moment));
        assert!(apart < 5_000_000, "{apart} ns apart");
    }
}
