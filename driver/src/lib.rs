//! Makes load at the asked pace; the target can never slow it. In: an order. Out: a window of what was counted.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod clock;
mod connection;
pub mod control;
mod flight;
mod free_set;
mod live;
mod order;
pub mod pace;
mod poll;
mod pool;
pub mod protocol;
mod recent;
mod run;
mod tally;
mod window;
mod worker;

pub use clock::{Moment, Pairing};
pub use live::{Live, LiveCounts, Stop};
pub use order::{LARGEST_BODY, OrderError, check};
pub use run::{DriverError, resolve, run_order};
