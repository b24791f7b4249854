//! The chart as Helm renders it: by digest, refused where a value is not known or not of its type, with no more rights than
//! are used, and policies that fit the pods. `HELM` names the Helm; run with 3 and with 4.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod policies;
mod render;
mod roles;
mod values;
