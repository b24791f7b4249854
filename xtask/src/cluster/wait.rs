//! Waits for a condition by asking again and again, for a bounded time.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use crate::Fault;

const PAUSE: Duration = Duration::from_millis(100);

/// Asks until the answer is yes; a fault that names `what` when `limit` has passed.
pub(super) fn until(what: &str, limit: Duration, mut is_so: impl FnMut() -> bool) -> Result<(), Fault> {
    let start = Instant::now();
    loop {
        if is_so() {
            return Ok(());
        }
        if start.elapsed() > limit {
            return Err(Fault::Failed(format!("{what}: not within {} s", limit.as_secs())));
        }
        sleep(PAUSE);
    }
}
