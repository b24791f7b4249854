//! Tests on a real Kubernetes: `cargo xtask cluster test`, or any cluster that `KUBECONFIG` names.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod definition;
mod nodes;
mod pods;
mod rules;
