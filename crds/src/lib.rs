//! The API: what a user may ask (`spec`), what a user is told (`status`), and the rules between the two.
//! Knows no cluster, no file and no clock.

pub mod spec;
pub mod status;
mod units;

pub use spec::{SoakCampaign, SoakCampaignSpec};
pub use status::SoakCampaignStatus;
pub use units::{Cpu, Memory, Span, UnitError};
