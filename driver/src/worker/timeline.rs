//! The marks of a step on the clock: its start, each second, its half, its end. Pure: whoever asks says what time it is.

use crate::clock::Moment;

const SECOND: u64 = 1_000_000_000;

/// A mark that was passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// The step begins.
    Start,
    /// This second of the step is over, counted from 0; also during the drain.
    Second(usize),
    /// The first half is over.
    Half,
    /// The step is over; the drain begins.
    End,
}

/// The marks still to come.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    start: Moment,
    end: Moment,
    half: Moment,
    seconds: u64,
    started: bool,
    half_passed: bool,
    ended: bool,
}

impl Timeline {
    pub(super) fn new(start: Moment, duration_nanos: u64) -> Self {
        let (end, half) = (start.plus(duration_nanos), start.plus(duration_nanos / 2));
        Self { start, end, half, seconds: 0, started: false, half_passed: false, ended: false }
    }

    pub(super) fn start(&self) -> Moment {
        self.start
    }

    pub(super) fn end(&self) -> Moment {
        self.end
    }

    /// Ends the step now, unless it was to end earlier. All marks of the step that are missing are passed at once.
    pub(super) fn cut(&mut self, now: Moment) {
        self.start = self.start.min(now);
        self.end = self.end.min(now);
        self.half = self.half.min(now);
    }

    /// When the next mark is.
    pub(super) fn next(&self) -> Moment {
        if !self.started {
            return self.start;
        }
        let second = self.next_second();
        let half = if self.half_passed { Moment::NEVER } else { self.half };
        let end = if self.ended { Moment::NEVER } else { self.end };
        second.min(half).min(end)
    }

    /// A mark at or before `now`, in order; `None` once all of them are passed.
    pub(super) fn pass(&mut self, now: Moment) -> Option<Mark> {
        let next = self.next();
        if next > now {
            return None;
        }
        if !self.started {
            self.started = true;
            return Some(Mark::Start);
        }
        if self.next_second() == next {
            self.seconds += 1;
            return Some(Mark::Second(usize::try_from(self.seconds - 1).unwrap_or(usize::MAX)));
        }
        if !self.half_passed && self.half == next {
            self.half_passed = true;
            return Some(Mark::Half);
        }
        self.ended = true;
        Some(Mark::End)
    }

    fn next_second(&self) -> Moment {
        self.start.plus((self.seconds + 1) * SECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::{Mark, SECOND, Timeline};
    use crate::clock::Moment;

    fn all(timeline: &mut Timeline, now: Moment) -> Vec<Mark> {
        std::iter::from_fn(|| timeline.pass(now)).collect()
    }

    #[test]
    fn marks_come_in_order_however_late_they_are_asked_for() {
        let mut timeline = Timeline::new(Moment(50), 3 * SECOND);
        assert_eq!(timeline.next(), Moment(50));
        assert_eq!(all(&mut timeline, Moment(49)), []);
        let marks = all(&mut timeline, Moment(50 + 4 * SECOND));
        let (one, two) = (Mark::Second(0), Mark::Second(1));
        assert_eq!(marks, [Mark::Start, one, Mark::Half, two, Mark::Second(2), Mark::End, Mark::Second(3)]);
        assert_eq!(timeline.next(), Moment(50 + 5 * SECOND));
    }

    #[test]
    fn a_step_that_is_cut_short_passes_all_its_marks() {
        let mut timeline = Timeline::new(Moment(0), 10 * SECOND);
        assert_eq!(all(&mut timeline, Moment(5)), [Mark::Start]);
        timeline.cut(Moment(7));
        assert_eq!(timeline.end(), Moment(7));
        assert_eq!(all(&mut timeline, Moment(7)), [Mark::Half, Mark::End]);
        timeline.cut(Moment(9));
        assert_eq!(timeline.end(), Moment(7));
    }

    #[test]
    fn a_step_that_is_cut_before_its_start_is_empty() {
        let mut timeline = Timeline::new(Moment(100), 10 * SECOND);
        timeline.cut(Moment(30));
        assert_eq!((timeline.start(), timeline.end()), (Moment(30), Moment(30)));
        assert_eq!(all(&mut timeline, Moment(30)), [Mark::Start, Mark::Half, Mark::End]);
    }
}
