//! What one worker counted in one step: each call exactly once, its times, and the step second by second. Merging two
//! tallies adds them exactly. Knows no clock: every time is an argument.

use std::collections::BTreeMap;

use soak_sample::{DriverSecond, ErrorKind, Histogram, StreamCounts};

use crate::{clock::Moment, flight::Flight, live::LiveCounts, recent::Recent};

const SECOND: u64 = 1_000_000_000;

/// The counts of one worker.
#[derive(Debug)]
pub(crate) struct Tally {
    start: Moment,
    end: Moment,
    pub(crate) due: u64,
    pub(crate) ok: u64,
    pub(crate) ok_in_window: u64,
    pub(crate) failed: u64,
    pub(crate) errors: BTreeMap<ErrorKind, u64>,
    pub(crate) never_sent: u64,
    pub(crate) in_flight_half: u64,
    pub(crate) in_flight_end: u64,
    pub(crate) in_flight: u64,
    pub(crate) connections_opened: u64,
    pub(crate) connections_lost: u64,
    pub(crate) latency: Histogram,
    pub(crate) service: Histogram,
    pub(crate) send_error: Histogram,
    pub(crate) bytes_received: u64,
    pub(crate) bytes_sent: u64,
    pub(crate) streams: Option<StreamCounts>,
    pub(crate) seconds: Vec<DriverSecond>,
    recent: Recent,
}

impl Tally {
    /// All zero, for a step from `start` to `end` with a drain of `drain_nanos`. What it needs is reserved here.
    pub(crate) fn new(start: Moment, end: Moment, drain_nanos: u64) -> Self {
        let seconds = end.plus(drain_nanos).since(start) / SECOND + 1;
        let seconds = vec![DriverSecond::default(); usize::try_from(seconds).unwrap_or(usize::MAX)];
        Self {
            start,
            end,
            due: 0,
            ok: 0,
            ok_in_window: 0,
            failed: 0,
            errors: BTreeMap::new(),
            never_sent: 0,
            in_flight_half: 0,
            in_flight_end: 0,
            in_flight: 0,
            connections_opened: 0,
            connections_lost: 0,
            latency: Histogram::new(),
            service: Histogram::new(),
            send_error: Histogram::new(),
            bytes_received: 0,
            bytes_sent: 0,
            streams: None,
            seconds,
            recent: Recent::new(),
        }
    }

    /// The step ends earlier than planned.
    pub(crate) fn cut(&mut self, end: Moment) {
        self.end = self.end.min(end);
    }

    /// A call became due.
    #[inline]
    pub(crate) fn due(&mut self, due: Moment) {
        self.due += 1;
        self.second(due).due += 1;
    }

    /// A call that was due had no slot.
    #[inline]
    pub(crate) fn never_sent(&mut self, due: Moment) {
        self.never_sent += 1;
        self.second(due).never_sent += 1;
    }

    /// A call was offered to the kernel. Where the peer takes no bytes it leaves later; that is not the driver's lateness.
    #[inline]
    pub(crate) fn offered(&mut self, due: Moment, at: Moment) {
        self.send_error.record(at.since(due));
    }

    /// A call was answered well.
    #[inline]
    pub(crate) fn answered(&mut self, flight: Flight, sent: Moment, at: Moment) {
        let latency = at.since(flight.due);
        self.ok += 1;
        self.ok_in_window += u64::from(at < self.end);
        self.latency.record(latency);
        self.service.record(at.since(sent));
        self.recent.record(latency);
        let second = self.second(at);
        second.ok += 1;
        second.latency_max = second.latency_max.max(latency);
    }

    /// A call that was due at `due` ended badly.
    pub(crate) fn failed(&mut self, kind: ErrorKind, due: Moment, at: Moment) {
        self.failed += 1;
        *self.errors.entry(kind).or_default() += 1;
        let second = self.second(at);
        second.failed += 1;
        second.latency_max = second.latency_max.max(at.since(due));
    }

    /// Second `index` of the step is over.
    pub(crate) fn second_over(&mut self, index: usize, in_flight: u64) {
        if let Some(second) = self.seconds.get_mut(index) {
            second.in_flight = in_flight;
        }
    }

    /// p99 of the calls answered well since this was last asked, nanoseconds; 0 where there were none.
    pub(crate) fn take_recent_p99(&mut self) -> u64 {
        let p99 = self.recent.p99();
        self.recent.reset();
        p99
    }

    /// The counts that others may see while the step runs.
    pub(crate) fn live(&self, in_flight: u64, p99_nanos: u64) -> LiveCounts {
        let (due, ok, failed, never_sent) = (self.due, self.ok, self.failed, self.never_sent);
        LiveCounts { due, ok, failed, never_sent, in_flight, p99_nanos }
    }

    /// Drops the seconds after `drained`.
    pub(crate) fn close(&mut self, drained: Moment) {
        let kept = drained.since(self.start).div_ceil(SECOND).max(1);
        self.seconds.truncate(usize::try_from(kept).unwrap_or(usize::MAX));
    }

    /// Adds streams of a connection.
    pub(crate) fn add_streams(&mut self, counts: Option<StreamCounts>) {
        self.streams = sum_streams(self.streams, counts);
    }

    /// Adds another worker's counts.
    pub(crate) fn merge(&mut self, other: &Self) {
        let Self {
            start: _,
            end: _,
            recent: _,
            due,
            ok,
            ok_in_window,
            failed,
            errors,
            never_sent,
            in_flight_half,
            in_flight_end,
            in_flight,
            connections_opened,
            connections_lost,
            latency,
            service,
            send_error,
            bytes_received,
            bytes_sent,
            streams,
            seconds,
        } = other;
        self.due += due;
        self.ok += ok;
        self.ok_in_window += ok_in_window;
        self.failed += failed;
        for (kind, count) in errors {
            *self.errors.entry(*kind).or_default() += count;
        }
        self.never_sent += never_sent;
        self.in_flight_half += in_flight_half;
        self.in_flight_end += in_flight_end;
        self.in_flight += in_flight;
        self.connections_opened += connections_opened;
        self.connections_lost += connections_lost;
        self.latency.merge(latency);
        self.service.merge(service);
        self.send_error.merge(send_error);
        self.bytes_received += bytes_received;
        self.bytes_sent += bytes_sent;
        self.streams = sum_streams(self.streams, *streams);
        self.merge_seconds(seconds);
    }

    fn merge_seconds(&mut self, others: &[DriverSecond]) {
        let longest = self.seconds.len().max(others.len());
        self.seconds.resize(longest, DriverSecond::default());
        for (second, other) in self.seconds.iter_mut().zip(others) {
            let DriverSecond { due, ok, failed, never_sent, in_flight, latency_max } = *other;
            second.due += due;
            second.ok += ok;
            second.failed += failed;
            second.never_sent += never_sent;
            second.in_flight += in_flight;
            second.latency_max = second.latency_max.max(latency_max);
        }
    }

    #[inline]
    fn second(&mut self, at: Moment) -> &mut DriverSecond {
        let last = self.seconds.len() - 1;
        let index = usize::try_from(at.since(self.start) / SECOND).unwrap_or(last);
        &mut self.seconds[index.min(last)]
    }
}

fn sum_streams(first: Option<StreamCounts>, second: Option<StreamCounts>) -> Option<StreamCounts> {
    let (Some(a), Some(b)) = (first, second) else {
        return first.or(second);
    };
    let StreamCounts { opened, closed_ok, closed_badly, resets, open_after_drain, write_blocked } = b;
    Some(StreamCounts {
        opened: a.opened + opened,
        closed_ok: a.closed_ok + closed_ok,
        closed_badly: a.closed_badly + closed_badly,
        resets: a.resets + resets,
        open_after_drain: a.open_after_drain + open_after_drain,
        write_blocked: a.write_blocked + write_blocked,
    })
}

#[cfg(test)]
mod tests {
    use soak_sample::ErrorKind;

    use super::Tally;
    use crate::{clock::Moment, flight::Flight};

    const SECOND: u64 = 1_000_000_000;

    fn tally() -> Tally {
        Tally::new(Moment(100), Moment(100 + 2 * SECOND), SECOND)
    }

    #[test]
    fn an_answer_counts_in_the_second_in_which_it_came() {
        let mut tally = tally();
        let due = Moment(100 + SECOND - 5);
        tally.due(due);
        tally.offered(due, due.plus(1));
        let flight = Flight { due, sent: Some(due.plus(1)) };
        tally.answered(flight, due.plus(1), due.plus(10));
        assert_eq!((tally.seconds[0].due, tally.seconds[0].ok), (1, 0));
        assert_eq!((tally.seconds[1].ok, tally.seconds[1].latency_max), (1, 10));
        assert_eq!((tally.latency.max(), tally.service.max(), tally.send_error.max()), (Some(10), Some(9), Some(1)));
    }

    #[test]
    fn only_answers_before_the_end_are_in_the_window() {
        let mut tally = tally();
        let flight = Flight { due: Moment(100), sent: Some(Moment(100)) };
        tally.answered(flight, Moment(100), Moment(99 + 2 * SECOND));
        tally.answered(flight, Moment(100), Moment(100 + 2 * SECOND));
        assert_eq!((tally.ok, tally.ok_in_window), (2, 1));
    }

    #[test]
    fn what_comes_after_all_planned_seconds_counts_in_the_last() {
        let mut tally = tally();
        tally.failed(ErrorKind::Reset, Moment(100), Moment(100 + 60 * SECOND));
        assert_eq!(tally.seconds.last().map(|second| second.failed), Some(1));
    }

    #[test]
    fn merged_tallies_add_up() {
        let (mut first, mut second) = (tally(), tally());
        for (tally, calls) in [(&mut first, 3), (&mut second, 5)] {
            for call in 0..calls {
                let due = Moment(100 + call);
                tally.due(due);
                tally.failed(ErrorKind::TimeOut, due, due.plus(7));
            }
            tally.second_over(0, calls);
            tally.close(Moment(101));
        }
        second.failed(ErrorKind::GrpcStatus(14), Moment(100), Moment(100));
        first.merge(&second);
        assert_eq!((first.due, first.failed), (8, 9));
        assert_eq!(first.errors[&ErrorKind::TimeOut], 8);
        assert_eq!(first.errors[&ErrorKind::GrpcStatus(14)], 1);
        assert_eq!(first.seconds.len(), 1);
        assert_eq!((first.seconds[0].due, first.seconds[0].in_flight), (8, 8));
    }
}
