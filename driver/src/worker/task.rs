//! One worker's part of an order: everything it needs to know, worked out before it starts.

use std::net::SocketAddr;

use soak_sample::{ClientShape, Idle, Share};

use crate::{clock::Moment, order::part, pace::Schedule};

/// When a worker makes calls.
#[derive(Debug, Clone)]
pub(crate) enum Pacer {
    /// When they are due, whatever the server does.
    Open {
        /// The due times.
        schedule: Schedule,
        /// The mean gap between two of them, nanoseconds.
        mean_gap_nanos: u64,
    },
    /// As soon as a slot is free.
    Closed,
}

/// One worker's part.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    /// Which worker of this driver.
    pub(crate) worker: u32,
    pub(crate) target: SocketAddr,
    pub(crate) start: Moment,
    pub(crate) duration_nanos: u64,
    pub(crate) timeout_nanos: u64,
    pub(crate) drain_nanos: u64,
    pub(crate) pacer: Pacer,
    pub(crate) idle: Idle,
    /// This worker's part of the client's shape.
    pub(crate) shape: ClientShape,
    /// The CPU it is pinned to.
    pub(crate) cpu: Option<u32>,
}

impl Task {
    /// Long-lived streams on the connection in this place: spread evenly.
    pub(crate) fn streams_on(&self, place: u32) -> u32 {
        part(self.shape.streams, Share { index: place, of: self.shape.connections })
    }
}
