//! The operator in process, on virtual time: a stateful fake API server, pods whose drivers and witnesses speak the real
//! control, and operators that are killed at any point. Beside the real cluster's tests, which hold these fakes to be
//! like the real things.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "tests")]

mod api;
mod both_executors;
mod clock;
mod cluster;
mod computed;
mod faults;
mod hosts;
mod killed;
mod kubelet;
mod loads;
mod recorded;
mod results;
mod story;
mod two_operators;
mod undisturbed;
mod weather;
mod wishes;
