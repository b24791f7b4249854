//! A witness's control: a step's edges and questions about levers in over HTTP, windows and proofs out. It looks for the
//! arm among the processes of its own pod. It must not decide what is watched, nor judge what it finds.

mod arm;
mod book;
mod request;
mod serve;

pub use serve::{ControlError, Options, serve};
