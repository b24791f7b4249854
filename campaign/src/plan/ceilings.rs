//! Ceilings over the whole campaign, and client fields that no arm has a use for.

use soak_crds::spec::SoakCampaignSpec;

use crate::step::LEAD;

use super::{
    FieldPath,
    arms::{self, SpelledArm},
    layers::{Layers, Refusals, Written},
};

/// The most runs of one campaign.
const MAX_RUNS: usize = 2_000;
/// The longest campaign, without extensions: 30 days.
const MAX_MILLIS: i64 = 30 * 86_400_000;

/// The least room between the planned gap and the bound that splits a ramp.
const LEEWAY_MILLIS: i64 = 500;

/// Refuses what is too much, and client fields of the campaign that mean nothing to any of its arms.
pub(super) fn check(spec: &SoakCampaignSpec, arms: &[SpelledArm], bodies: usize, refusals: &mut Refusals) {
    let at = FieldPath::spec().field("replicates");
    let replicates = Written { value: spec.replicates, at };
    let count = usize::try_from(refusals.count(&replicates)).unwrap_or(usize::MAX);
    let runs = arms.len().saturating_mul(bodies).saturating_mul(count);
    if runs > MAX_RUNS {
        refusals.about(&replicates, format!("makes {runs} runs; at most {MAX_RUNS} are allowed"));
    }
    let per_round = arms
        .iter()
        .flat_map(|arm| &arm.ramp.steps)
        .fold(0_i64, |sum, step| sum.saturating_add(step.duration_nanos / 1_000_000));
    let repeats = i64::try_from(bodies.saturating_mul(count)).unwrap_or(i64::MAX);
    let millis = per_round.saturating_mul(repeats);
    if millis > MAX_MILLIS {
        let days = millis / 86_400_000;
        refusals.add(
            &FieldPath::spec().field("ramp"),
            None,
            format!("makes {days} days of load; at most 30 are allowed"),
        );
    }
    refuse_splitting(spec, arms, refusals);
    refuse_useless(spec, refusals);
}

/// A bound that the planned gap itself passes would have every ramp split.
fn refuse_splitting(spec: &SoakCampaignSpec, arms: &[SpelledArm], refusals: &mut Refusals) {
    let planned = arms.iter().map(|arm| (arm.planned.client.drain_nanos + LEAD) / 1_000_000).max().unwrap_or(0);
    if spec.judge.gap_millis < planned + LEEWAY_MILLIS {
        let at = FieldPath::spec().field("judge").field("gapMillis");
        let least = planned + LEEWAY_MILLIS;
        let message = format!(
            "must be at least {least}: the longest drain makes every gap {planned} ms. Raise it, or shorten client.drain"
        );
        refusals.add(&at, Some(spec.judge.gap_millis.to_string()), message);
    }
}

/// A field of the campaign's client is refused when it means nothing to every arm.
fn refuse_useless(spec: &SoakCampaignSpec, refusals: &mut Refusals) {
    let client = Layers(vec![(FieldPath::spec().field("client"), &spec.client)]);
    let protocols: Vec<_> = spec.arms.iter().filter_map(|arm| arms::protocol(arm.protocol)).collect();
    if protocols.is_empty() {
        return;
    }
    let streams = client.pick("streams", |c| c.streams);
    if let Some(streams) = streams.filter(|_| !protocols.contains(&soak_sample::Protocol::GrpcStream)) {
        refusals.about(&streams, "has a meaning over GrpcStream alone, and no arm speaks it; leave it out");
    }
    let each = client.pick("maxConcurrentStreams", |c| c.max_concurrent_streams);
    let useless = protocols.iter().all(|protocol| *protocol == soak_sample::Protocol::Http1);
    if let Some(each) = each.filter(|_| useless) {
        refusals.about(&each, "has no meaning over HTTP/1.1, and no arm speaks anything else; leave it out");
    }
}
