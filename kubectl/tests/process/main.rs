//! Results copied from real ConfigMaps, and the program against a small API server in this process, where faults can be
//! placed. The real thing is in `tests/cluster`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod api;
mod commands;
mod copied;
mod doctor;
mod recorded;
mod refused;
