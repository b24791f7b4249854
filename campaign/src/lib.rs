//! The pure heart: what is asked → what will be run → what was sampled → what it means.
//! Knows no clock, no network, no file and no async: time and everything observed are arguments.

pub mod body;
pub mod plan;
pub mod status;
pub mod step;
pub mod table;
pub mod verdict;
