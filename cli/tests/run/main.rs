//! `soak run` with the real program, real arms and a real driver on this machine: what it writes, and what is left of it
//! when something dies. Loads are small and short; nothing here judges how fast anything is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod place;
mod proven;

mod ends_badly;
mod folder;
mod interrupted;
mod measured;
mod refused;
