//! A driver process's control: orders in over HTTP on loopback or a pod's address, states and windows out. Runs on a
//! thread of its own and never touches a worker's sockets; it must not decide what is ordered.

mod book;
mod serve;

pub use serve::{ControlError, Options, serve};
pub use soak_sample::{TokenError, TokenHash};
