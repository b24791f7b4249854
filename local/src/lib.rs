//! Executes the engine's decisions on this machine: observe, decide, apply, wait. In go a plan and an output folder; out
//! come processes, load and durable results. Holds no judgement: what is decided and judged comes from `soak-campaign`.

mod apply;
mod clock;
pub mod command;
pub mod digest;
mod driver_control;
mod driver_ready;
mod execute;
mod http;
pub mod isolation;
pub mod launch;
pub mod ledger;
mod means;
mod member;
mod observe;
mod pace_seen;
pub mod port;
mod ready;
pub mod signal;
mod site;
mod token;
pub mod watch;

pub use clock::unix_nanos;
pub use execute::Executor;
pub use means::{Means, MeansError};
