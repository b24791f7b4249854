//! From the plan to the objects that are applied. Pure: no client, no clock.

mod pods;
mod results;

pub(crate) use pods::{Making, arm_pod, control_port, driver_pod};
pub use results::{Document, INDEX, Index, Indexed, config_map, index, indexed, result_documents};
