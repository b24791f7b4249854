//! How fast a step goes, from counts seen at two instants. Pure.

use crate::driver_control::LiveCounts;

/// Counts of one step as they were last seen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct PaceSeen {
    before: Option<(i64, LiveCounts)>,
    last: Option<(i64, LiveCounts)>,
}

impl PaceSeen {
    /// The counts at an instant.
    pub fn see(&mut self, at_unix_nanos: i64, counts: LiveCounts) {
        self.before = self.last;
        self.last = Some((at_unix_nanos, counts));
    }

    /// The last counts.
    pub fn counts(&self) -> Option<LiveCounts> {
        self.last.map(|(_, counts)| counts)
    }

    /// Due and answered per second between the two last instants, or since the start where only one was seen.
    pub fn per_second(&self, start_unix_nanos: i64) -> Option<(f64, f64)> {
        let (at, last) = self.last?;
        let (from, before) = self.before.unwrap_or((start_unix_nanos, LiveCounts::default()));
        let seconds = (at - from) as f64 / 1e9;
        let rate = |now: u64, then: u64| now.saturating_sub(then) as f64 / seconds;
        (seconds > 0.05).then(|| (rate(last.due, before.due), rate(last.ok, before.ok)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_that_between_the_last_two_looks() {
        let counts = |due, ok| LiveCounts { due, ok, ..LiveCounts::default() };
        let mut pace = PaceSeen::default();
        assert_eq!(pace.per_second(0), None);
        pace.see(2_000_000_000, counts(200, 100));
        assert_eq!(pace.per_second(0), Some((100.0, 50.0)));
        pace.see(3_000_000_000, counts(500, 400));
        assert_eq!(pace.per_second(0), Some((300.0, 300.0)));
        assert_eq!(pace.counts().map(|counts| counts.due), Some(500));
    }
}
