//! Executes the engine's decisions on this machine. Holds no judgement: what is decided comes from `soak-campaign`.

pub mod digest;
mod driver_control;
mod http;
pub mod ledger;
mod port;
pub mod signal;
