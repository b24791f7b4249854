//! At which instants a step is read: its start, every second after it, its end. Pure: the present time is an argument.

/// How long before an instant the witness stops sleeping, nanoseconds.
pub(crate) const SPIN_NANOS: u64 = 150_000;

const SECOND: i64 = 1_000_000_000;
/// A second's reading this close to the end is left to the end's.
const NEAR_END: i64 = SECOND / 10;

/// The instants of one step that are still to come.
#[derive(Debug)]
pub(crate) struct Instants {
    start: i64,
    end: i64,
    last: Option<i64>,
}

impl Instants {
    pub(crate) fn new(start: i64, end: i64) -> Self {
        Self { start, end: end.max(start), last: None }
    }

    /// The next instant; `None` once the end was given. Seconds that were slept through are left out, edges never.
    pub(crate) fn next(&mut self, now: i64) -> Option<i64> {
        let next = match self.last {
            None => self.start,
            Some(last) if last >= self.end => return None,
            Some(last) => self.second_after(last.max(now - SECOND)),
        };
        self.last = Some(next);
        Some(next)
    }

    /// Whether the end was given.
    pub(crate) fn is_over(&self) -> bool {
        self.last.is_some_and(|last| last >= self.end)
    }

    fn second_after(&self, time: i64) -> i64 {
        let next = self.start + ((time - self.start) / SECOND + 1) * SECOND;
        if next + NEAR_END >= self.end { self.end } else { next }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Instants, SECOND};

    /// The instants when each reading takes this long.
    fn instants(start: i64, end: i64, cost: i64) -> Vec<i64> {
        let mut instants = Instants::new(start, end);
        let mut now = start - SECOND;
        let mut found = Vec::new();
        while let Some(next) = instants.next(now) {
            found.push(next);
            now = now.max(next) + cost;
        }
        found
    }

    #[test]
    fn a_step_is_read_at_its_edges_and_every_second() {
        let check = |end: i64, expected: &[i64]| {
            let tenths: Vec<i64> =
                instants(7, 7 + end * SECOND / 10, 0).iter().map(|at| (at - 7) * 10 / SECOND).collect();
            assert_eq!(tenths, expected);
        };
        check(30, &[0, 10, 20, 30]);
        check(25, &[0, 10, 20, 25]);
        check(5, &[0, 5]);
        check(10, &[0, 10]);
        check(0, &[0]);
    }

    #[test]
    fn a_second_right_before_the_end_is_left_to_the_end() {
        assert_eq!(instants(0, SECOND + SECOND / 20, 0), [0, SECOND + SECOND / 20]);
    }

    #[test]
    fn seconds_slept_through_are_left_out_but_never_the_end() {
        assert_eq!(instants(0, 6 * SECOND, 5 * SECOND / 2), [0, 2 * SECOND, 5 * SECOND, 6 * SECOND]);
    }

    proptest! {
        #[test]
        fn instants_ascend_from_the_start_to_the_end(span in 1i64..20 * SECOND, cost in 0i64..4 * SECOND) {
            let found = instants(100, 100 + span, cost);
            prop_assert_eq!(found.first(), Some(&100));
            prop_assert_eq!(found.last(), Some(&(100 + span)));
            prop_assert!(found.windows(2).all(|two| two[0] < two[1]));
        }
    }
}
