//! Executes the engine's decisions on a cluster: observe, decide, build, apply, write status. In go `SoakCampaign`s; out
//! come pods, load and durable results. Holds no judgement: what is decided and judged comes from `soak-campaign`.

mod accept;
mod after;
mod apply;
pub mod build;
mod check;
pub mod config;
mod context;
mod desk;
mod events;
pub mod health;
mod leader;
pub mod ledger;
pub mod metrics;
pub mod names;
mod observe;
mod queue;
mod reconcile;
mod remote;
mod retention;
mod run;
pub mod served;
mod stop;
mod token;
pub mod world;
mod write_status;

pub use accept::base;
pub use check::{CheckError, check};
pub use context::Context;
pub use observe::state as pod_state;
pub use reconcile::chain;
pub use run::{RunError, carry_out, run};
pub use served::ServedError;
