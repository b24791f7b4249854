//! The engine's own spans of time, in one place. Nanoseconds.

use super::AttemptKey;

const MILLIS: i64 = 1_000_000;

/// From the decision to the start of a part's first step: time to place the order and to open connections.
const FIRST_LEAD: i64 = 1_000 * MILLIS;
/// From the end of a step's drain to the start of the next step.
pub(crate) const LEAD: i64 = 200 * MILLIS;
/// The least time from a decision to the start that it asks for.
const LEAST_LEAD: i64 = 100 * MILLIS;
/// How late an order may start or finish before its driver counts as stuck.
const GRACE: i64 = 15_000 * MILLIS;
/// How long arm or driver may be out of sight.
const UNSEEN: i64 = 300_000 * MILLIS;
/// How long a driver may take to get ready.
const DRIVER_READY: i64 = 60_000 * MILLIS;
/// The shortest pause before another attempt; as much again is spread by the run's name.
const PAUSE: i64 = 1_000 * MILLIS;

/// When the first step of a part starts.
pub(super) fn first_start(now: i64) -> i64 {
    now.saturating_add(FIRST_LEAD)
}

/// When the step after one that ends at `end` starts, on time.
pub(super) fn next_start(end: i64, drain: i64) -> i64 {
    end.saturating_add(drain).saturating_add(LEAD)
}

/// The earliest start that can still be asked for.
pub(super) fn earliest_start(now: i64) -> i64 {
    now.saturating_add(LEAST_LEAD)
}

/// When a driver counts as stuck that should have acted at `due`.
pub(super) fn stuck(due: i64) -> i64 {
    due.saturating_add(GRACE)
}

/// When something out of sight since `since` is given up.
pub(super) fn unseen(since: i64) -> i64 {
    since.saturating_add(UNSEEN)
}

/// When a driver that began at `began` is given up.
pub(super) fn driver_ready(began: i64) -> i64 {
    began.saturating_add(DRIVER_READY)
}

/// When an attempt may begin after one that ended at `ended`: later for some runs than for others, so that campaigns
/// that failed together do not come back together.
pub(super) fn next_attempt(key: &AttemptKey, ended: i64) -> i64 {
    let spread = key.run.0.bytes().fold(7_i64, |sum, byte| (sum * 31 + i64::from(byte)) % 1_000);
    ended.saturating_add(PAUSE).saturating_add(spread * MILLIS)
}
