//! Each refusal, brought about by real processes: `soak run` on the campaigns of `examples/refusals`, which a reader can
//! run too. One campaign at a time; rates are low, so that a machine with two busy cores has room for them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod case;
#[allow(dead_code, reason = "shared with the tests of `soak run`, which use all of it")]
#[path = "../run/place.rs"]
mod place;

mod before_load;
mod limited;
mod neighbour;
mod ramp;
