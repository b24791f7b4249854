//! Makes load at the asked pace; the target can never slow it.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod clock;
mod flight;
mod free_set;
mod live;
pub mod pace;
pub mod protocol;

pub use live::{Live, LiveCounts, Stop};
