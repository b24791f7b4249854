//! Virtual time: it stands still while anybody has something to do, and jumps to the next thing that is waited for.

use std::time::Duration;

use soak_campaign::status::rfc3339;
use tokio::time::Instant;

/// The clock of a cluster.
#[derive(Debug, Clone, Copy)]
pub struct VirtualClock {
    started: Instant,
    began_unix_nanos: i64,
}

impl VirtualClock {
    /// A clock that shows this instant now.
    pub fn at(began_unix_nanos: i64) -> Self {
        Self { started: Instant::now(), began_unix_nanos }
    }

    /// Now, nanoseconds since the epoch.
    pub fn unix_nanos(&self) -> i64 {
        self.began_unix_nanos + i64::try_from(self.started.elapsed().as_nanos()).unwrap()
    }

    /// Now, as the API writes it.
    pub fn text(&self) -> String {
        rfc3339(self.unix_nanos())
    }

    /// Since the clock was made.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}
