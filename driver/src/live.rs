//! What others may see and say while a step runs: running counts out, the wish to stop in. Atomics only; a worker
//! publishes a few times a second and never waits for a reader.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Workers whose percentile is kept apart.
const PLACES: usize = 64;

/// Running counts of one step, over all workers. A few tens of milliseconds old.
#[derive(Debug)]
pub struct Live {
    due: AtomicU64,
    ok: AtomicU64,
    failed: AtomicU64,
    never_sent: AtomicU64,
    in_flight: AtomicU64,
    p99_nanos: [AtomicU64; PLACES],
}

/// Counts of a step so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LiveCounts {
    /// Calls due.
    pub due: u64,
    /// Calls answered well.
    pub ok: u64,
    /// Calls that ended badly.
    pub failed: u64,
    /// Calls never sent.
    pub never_sent: u64,
    /// Calls in flight.
    pub in_flight: u64,
    /// p99 of the last whole second, from the due time, calls answered well; of several workers the highest.
    /// Nanoseconds, within 4 %; 0 before there is one.
    pub p99_nanos: u64,
}

impl Default for Live {
    fn default() -> Self {
        Self::new()
    }
}

impl Live {
    /// All zero.
    pub fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            due: zero(),
            ok: zero(),
            failed: zero(),
            never_sent: zero(),
            in_flight: zero(),
            p99_nanos: [const { AtomicU64::new(0) }; PLACES],
        }
    }

    /// The counts now.
    pub fn read(&self) -> LiveCounts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        LiveCounts {
            due: read(&self.due),
            ok: read(&self.ok),
            failed: read(&self.failed),
            never_sent: read(&self.never_sent),
            in_flight: read(&self.in_flight),
            p99_nanos: self.p99_nanos.iter().map(read).max().unwrap_or(0),
        }
    }

    /// A worker's counts went from `before` to `now`.
    pub(crate) fn publish(&self, worker: u32, before: &LiveCounts, now: &LiveCounts) {
        let add = |counter: &AtomicU64, before: u64, now: u64| {
            counter.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
        };
        add(&self.due, before.due, now.due);
        add(&self.ok, before.ok, now.ok);
        add(&self.failed, before.failed, now.failed);
        add(&self.never_sent, before.never_sent, now.never_sent);
        add(&self.in_flight, before.in_flight, now.in_flight);
        self.p99_nanos[worker as usize % PLACES].store(now.p99_nanos, Ordering::Relaxed);
    }
}

/// The wish to stop.
#[derive(Debug, Default)]
pub struct Stop {
    ended: AtomicBool,
    abandoned: AtomicBool,
}

impl Stop {
    /// Nobody wishes to stop.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the step now: no further call is due; what is in flight is awaited as after any step.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Ends the step now, and awaits nothing.
    pub fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
        self.end();
    }

    /// True once the step shall end.
    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// True once nothing shall be awaited any more.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::{Live, LiveCounts};

    #[test]
    fn counts_of_several_workers_add_up_and_the_highest_percentile_is_shown() {
        let live = Live::new();
        let zero = LiveCounts::default();
        let first = LiveCounts { due: 10, ok: 7, failed: 1, never_sent: 1, in_flight: 1, p99_nanos: 500 };
        let second = LiveCounts { due: 5, ok: 5, p99_nanos: 900, ..zero };
        live.publish(0, &zero, &first);
        live.publish(1, &zero, &second);
        live.publish(0, &first, &LiveCounts { ok: 8, in_flight: 0, ..first });
        let expected = LiveCounts { due: 15, ok: 13, failed: 1, never_sent: 1, in_flight: 0, p99_nanos: 900 };
        assert_eq!(live.read(), expected);
    }
}
