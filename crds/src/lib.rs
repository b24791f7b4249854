//! The API: what a user may ask (`spec`), what a user is told (`status`), and the rules between the two.
//! Knows no cluster, no file and no clock.

mod definition;
mod enforce;
mod frozen;
mod pattern;
mod rule;
pub mod spec;
pub mod status;
mod units;

pub use definition::{definition, definition_yaml, schema};
pub use enforce::{BrokenRule, broken_rules, with_defaults};
pub use frozen::STAYS_OPEN;
pub use pattern::pattern_in_words;
pub use spec::{SoakCampaign, SoakCampaignSpec};
pub use status::SoakCampaignStatus;
pub use units::{Cpu, Memory, Span, UnitError};
