//! The operator on a real cluster, from `helm install` on. Wanted: `KUBECONFIG`, `kubectl` and `helm` on the path, two nodes,
//! and `SOAK_IMAGES`, a values file for the chart that names images which the nodes have.
//! `cargo test -p soak-operator --test cluster`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod after;
mod argocd;
mod down;
mod faults;
mod life;
mod look;
mod nodes;
mod place;
mod registry;
mod results;
mod starts;
mod suspended;
mod turns;
mod upgrade;
