//! From the plan to the objects that are applied. Pure: no client, no clock.

mod pods;
mod results;

pub(crate) use pods::{Making, arm_pod, control_port, driver_pod};
pub(crate) use results::{Document, config_map, index, result_documents};
