//! `kubectl soak …` through a real `kubectl`, on a real cluster with an operator, from `helm install` on. Wanted: as for the
//! operator's own tests on a cluster.
//! `cargo test -p soak-kubectl --test cluster`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod life;
#[allow(dead_code, reason = "the operator's own tests use all of it")]
#[path = "../../../operator/tests/cluster/place.rs"]
mod place;
