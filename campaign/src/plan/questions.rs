//! What is asked of the numbers: names exist and are unique, and a question can be answered by what is planned.

use std::collections::BTreeSet;

use soak_crds::spec::{Prediction, Range, SoakCampaignSpec, Threshold};

use super::{FieldPath, layers::Refusals};

/// Refuses questions that cannot be asked.
pub(super) fn check(spec: &SoakCampaignSpec, refusals: &mut Refusals) {
    let at = FieldPath::spec();
    unique(spec.levers.iter().map(|lever| &lever.name), &at.field("levers"), refusals);
    unique(spec.compare.iter().map(|compare| &compare.name), &at.field("compare"), refusals);
    unique(spec.thresholds.iter().map(|threshold| &threshold.name), &at.field("thresholds"), refusals);
    unique(spec.predictions.iter().map(|prediction| &prediction.name), &at.field("predictions"), refusals);
    levers(spec, refusals);
    comparisons(spec, refusals);
    for (index, threshold) in spec.thresholds.iter().enumerate() {
        check_threshold(spec, threshold, &at.field("thresholds").item(index), refusals);
    }
    for (index, prediction) in spec.predictions.iter().enumerate() {
        check_prediction(spec, prediction, &at.field("predictions").item(index), refusals);
    }
}

fn unique<'a>(names: impl Iterator<Item = &'a String>, at: &FieldPath, refusals: &mut Refusals) {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        if !seen.insert(name) {
            let message = "is the name of an earlier one; names are unique";
            refusals.add(&at.item(index).field("name"), Some(name.clone()), message);
        }
    }
}

fn levers(spec: &SoakCampaignSpec, refusals: &mut Refusals) {
    let at = FieldPath::spec().field("levers");
    for (index, lever) in spec.levers.iter().enumerate() {
        let at = at.item(index).field("arms");
        for (place, arm) in lever.arms.iter().enumerate() {
            check_arm(spec, arm, &at.item(place), refusals);
            if lever.arms[..place].contains(arm) {
                refusals.add(&at.item(place), Some(arm.clone()), "is named twice");
            }
        }
    }
}

fn comparisons(spec: &SoakCampaignSpec, refusals: &mut Refusals) {
    let at = FieldPath::spec().field("compare");
    for (index, compare) in spec.compare.iter().enumerate() {
        let at = at.item(index);
        check_arm(spec, &compare.control, &at.field("control"), refusals);
        check_arm(spec, &compare.treatment, &at.field("treatment"), refusals);
        if compare.control == compare.treatment {
            let treatment = Some(compare.treatment.clone());
            refusals.add(&at.field("treatment"), treatment, "must be another arm than control");
        }
    }
}

fn check_threshold(spec: &SoakCampaignSpec, threshold: &Threshold, at: &FieldPath, refusals: &mut Refusals) {
    let Threshold {
        name: _,
        arm,
        body,
        capacity_per_second,
        slo_capacity_per_second,
        cpu_nanos_per_request,
        p99_micros,
    } = threshold;
    check_arm(spec, arm, &at.field("arm"), refusals);
    match body {
        Some(body) => check_body(spec, body, &at.field("body"), refusals),
        None if spec.bodies.len() > 1 => {
            refusals.add(&at.field("body"), None, "is needed where the campaign has several bodies");
        }
        None => {}
    }
    if slo_capacity_per_second.is_some() && spec.slo.is_none() {
        let message = "needs spec.slo: the service level at which the capacity is stated";
        refusals.add(&at.field("sloCapacityPerSecond"), None, message);
    }
    let limits = [
        ("capacityPerSecond", capacity_per_second),
        ("sloCapacityPerSecond", slo_capacity_per_second),
        ("cpuNanosPerRequest", cpu_nanos_per_request),
        ("p99Micros", p99_micros),
    ];
    check_ranges(&limits, at, refusals);
}

fn check_prediction(spec: &SoakCampaignSpec, prediction: &Prediction, at: &FieldPath, refusals: &mut Refusals) {
    let Prediction {
        name: _,
        compare,
        arm,
        capacity_ratio_permille,
        cpu_ratio_permille,
        p50_ratio_permille,
        capacity_per_second,
    } = prediction;
    match (compare, arm) {
        (Some(compare), None) if spec.compare.iter().any(|known| known.name == *compare) => {}
        (Some(compare), None) => {
            let known = list(spec.compare.iter().map(|compare| &compare.name));
            refusals.add(&at.field("compare"), Some(compare.clone()), format!("must be one of spec.compare: {known}"));
        }
        (None, Some(arm)) => check_arm(spec, arm, &at.field("arm"), refusals),
        (Some(_), Some(_)) | (None, None) => refusals.add(at, None, "needs either compare or arm"),
    }
    let limits = [
        ("capacityRatioPermille", capacity_ratio_permille),
        ("cpuRatioPermille", cpu_ratio_permille),
        ("p50RatioPermille", p50_ratio_permille),
        ("capacityPerSecond", capacity_per_second),
    ];
    check_ranges(&limits, at, refusals);
}

fn check_ranges(limits: &[(&str, &Option<Range>)], at: &FieldPath, refusals: &mut Refusals) {
    if limits.iter().all(|(_, range)| range.is_none()) {
        let names = limits.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        refusals.add(at, None, format!("needs at least one of {names}"));
    }
    for (name, range) in limits {
        match range {
            Some(Range { at_least: None, at_most: None }) => {
                refusals.add(&at.field(name), None, "needs atLeast, atMost or both");
            }
            Some(Range { at_least: Some(low), at_most: Some(high) }) if high < low => {
                let message = format!("must not be less than atLeast, which is {low}");
                refusals.add(&at.field(name).field("atMost"), Some(high.to_string()), message);
            }
            Some(_) | None => {}
        }
    }
}

fn check_arm(spec: &SoakCampaignSpec, arm: &str, at: &FieldPath, refusals: &mut Refusals) {
    if spec.arms.iter().all(|known| known.name != arm) {
        let known = list(spec.arms.iter().map(|arm| &arm.name));
        refusals.add(at, Some(arm.to_owned()), format!("must be one of spec.arms: {known}"));
    }
}

fn check_body(spec: &SoakCampaignSpec, body: &str, at: &FieldPath, refusals: &mut Refusals) {
    let names: Vec<String> =
        spec.bodies.iter().enumerate().map(|(index, body)| super::request::body_name(body, index)).collect();
    if names.iter().all(|known| known != body) {
        let known = list(names.iter());
        refusals.add(at, Some(body.to_owned()), format!("must be one of spec.bodies: {known}"));
    }
}

fn list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.map(String::as_str).collect();
    if names.is_empty() { "there is none".to_owned() } else { names.join(", ") }
}
