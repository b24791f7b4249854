//! A status within a bound of bytes, for where it is kept beside the resource: what is left out is in the results.

use soak_crds::SoakCampaignStatus;

use super::short::cut;

/// The most characters of a reason once space is short.
const SHORT_REASON: usize = 48;

/// The status in at most so many bytes of JSON: first reasons get short, then replicates, then evidence, then arms and
/// after them what else there is, from the end, are left out. The summary says when arms are missing.
#[must_use]
pub fn fitted(mut status: SoakCampaignStatus, most_bytes: usize) -> SoakCampaignStatus {
    let measures: [fn(&mut SoakCampaignStatus); 3] = [shorten, drop_replicates, drop_evidence];
    for measure in measures {
        if bytes(&status) <= most_bytes {
            return status;
        }
        measure(&mut status);
    }
    let arms = status.arms.len();
    while bytes(&status) > most_bytes && drop_last(&mut status) {
        let summary = status.summary.get_or_insert_default();
        let begin = summary.split("; results of").next().unwrap_or_default().to_owned();
        *summary = format!("{}; results of {} of {arms} arms", cut(&begin, 160), status.arms.len());
    }
    status
}

/// Leaves out the last arm, once there is none the last of the other lists; answers to what was asked go last.
fn drop_last(status: &mut SoakCampaignStatus) -> bool {
    status.arms.pop().is_some()
        || status.levers.pop().is_some()
        || status.comparisons.pop().is_some()
        || status.withdrawn.pop().is_some()
        || status.thresholds.pop().is_some()
        || status.predictions.pop().is_some()
}

/// Bytes of the status as JSON.
fn bytes(status: &SoakCampaignStatus) -> usize {
    serde_json::to_vec(status).map_or(usize::MAX, |json| json.len())
}

fn shorten(status: &mut SoakCampaignStatus) {
    let replicates = status.arms.iter_mut().flat_map(|arm| &mut arm.replicates);
    for reason in replicates.filter_map(|replicate| replicate.reason.as_mut()) {
        *reason = cut(reason, SHORT_REASON);
    }
}

fn drop_replicates(status: &mut SoakCampaignStatus) {
    status.arms.iter_mut().for_each(|arm| arm.replicates.clear());
}

fn drop_evidence(status: &mut SoakCampaignStatus) {
    status.predictions.iter_mut().for_each(|prediction| prediction.evidence = None);
    status.thresholds.iter_mut().for_each(|threshold| threshold.evidence = None);
    status.comparisons.iter_mut().for_each(|comparison| comparison.refused.truncate(1));
    status.withdrawn.iter_mut().for_each(|taken| taken.reason = cut(&taken.reason, SHORT_REASON));
}
