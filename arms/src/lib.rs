//! The servers under test. In: a preset and its settings. Out: one server on one port, an admin port beside it, and one
//! piece of work done for every request, the same on every protocol. Must not know who loads them, nor how fast.

pub mod command;
pub mod settings;

mod accept;
mod admin;
mod handler;
mod memory;
mod pause;
mod payload;
mod pool;
mod protocol;
mod start;
mod work;

pub use memory::Memory;
pub use settings::{Codec, Executor, Preset, Settings, Work, WorkKind};
pub use start::{Arm, ArmError, ArmOptions, Ready};

/// The identity of these arms: SHA-256 of what they were built from (sources, message description, manifests, locked
/// dependencies, compiler and its options), in hexadecimal.
pub const BUILD_INPUTS_SHA256: &str = env!("SOAK_ARMS_BUILD_INPUTS_SHA256");
