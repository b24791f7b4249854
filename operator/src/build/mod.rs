//! From the plan to the objects that are applied. Pure: no client, no clock.

mod pods;
mod results;
mod room;

pub(crate) use pods::{Making, arm_pod, control_port, driver_pod};
pub use results::{Document, INDEX, Index, Indexed, config_map, index, indexed, result_documents};
pub use room::{Room, room};
