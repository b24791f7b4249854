//! The one clock of the executor.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, nanoseconds since the Unix epoch.
pub fn unix_nanos() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
