//! The rate at which arms are set side by side: below every knee, and offered to all.

use std::collections::{BTreeMap, BTreeSet};

use super::JudgedRun;
use crate::{table::Row, verdict::Verdict};

/// For each body, the highest planned rate that every run has kept, runs that kept none aside; absent where the ramps
/// share none.
pub fn matched_rates(runs: &[JudgedRun]) -> BTreeMap<String, i64> {
    let bodies: BTreeSet<&String> = runs.iter().map(|run| &run.body).collect();
    let matched = bodies.into_iter().filter_map(|body| {
        let kept = runs.iter().filter(|run| run.body == *body && run.has_number()).map(kept_rates);
        let kept = kept.filter(|rates| !rates.is_empty());
        let shared = kept.reduce(|shared, kept| shared.intersection(&kept).copied().collect())?;
        Some((body.clone(), shared.into_iter().next_back()?))
    });
    matched.collect()
}

/// Planned rates of the steps that keep the knee's bounds.
fn kept_rates(run: &JudgedRun) -> BTreeSet<i64> {
    let below = |row: &&Row| run.judgement.knee.is_none_or(|knee| row.rate() <= knee.last);
    run.rows.iter().filter(|row| keeps(row)).filter(below).filter_map(|row| row.planned).collect()
}

fn keeps(row: &Row) -> bool {
    match row.verdict {
        Some(Verdict::Clean | Verdict::AtKnee) => row.withdrawn.is_none(),
        Some(
            Verdict::Void
            | Verdict::Contaminated
            | Verdict::ClientLimited
            | Verdict::HostLimited
            | Verdict::ShapeLimited
            | Verdict::FirstStep
            | Verdict::Outlier
            | Verdict::PastKnee,
        )
        | None => false,
    }
}

/// The row of a run at a planned rate, where it keeps the knee's bounds.
pub fn row_at(run: &JudgedRun, rate: i64) -> Option<&Row> {
    run.rows.iter().find(|row| row.planned == Some(rate) && keeps(row))
}
