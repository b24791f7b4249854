//! From the ramp as it is written to the steps of a run, one by one.

use soak_crds::{
    Span,
    spec::{Hold, Ramp, Steps, Warmup},
};

use super::{
    PlannedStep, StepKind,
    layers::{Layers, Refusals, Written},
};

/// The highest rate that is planned, calls per second.
pub(crate) const MAX_RATE: i64 = 1_000_000;
/// The longest ramp, in steps.
const MAX_STEPS: usize = 200;
/// The warm-up's rate where none is written, calls per second.
const WARMUP_RATE: i64 = 200;
/// The warm-up's length where none is written.
const WARMUP_NANOS: i64 = 300_000_000_000;
/// A step's length where none is written.
const STEP_NANOS: i64 = 110_000_000_000;
/// The shortest step.
const LEAST_NANOS: i64 = 1_000_000_000;
/// The longest step, a hold alone excepted.
const MOST_NANOS: i64 = 86_400_000_000_000;
/// The longest hold.
const MOST_HOLD_NANOS: i64 = 30 * 86_400_000_000_000;
/// The length of a hold's stretches, unless that makes too few or too many of them.
const STRETCH_NANOS: i64 = 60_000_000_000;
/// The fewest stretches of a hold: three in each quarter.
const FEWEST_STRETCHES: i64 = 12;
/// The most stretches of a hold.
const MOST_STRETCHES: i64 = 720;

/// A ramp, spelled out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SpelledRamp {
    pub steps: Vec<PlannedStep>,
    pub extend_max_steps: u32,
}

/// The ramp of an arm, from its own fields and the campaign's.
pub(super) fn spell(layers: &Layers<'_, Ramp>, refusals: &mut Refusals) -> SpelledRamp {
    let mut steps = Vec::new();
    if let Some(warmup) = warmup(layers, refusals) {
        steps.push((StepKind::Warmup, warmup));
    }
    let extend = layers.pick("extend", |ramp| ramp.extend.clone());
    let (kind, judged) = match goal(layers) {
        Some(Goal::Steps(written)) => (StepKind::Ramp, stepped(layers, &written, refusals)),
        Some(Goal::Hold(written)) => (StepKind::Hold, held(&written, refusals)),
        None => {
            let at = layers.0.last().map(|(at, _)| at.field("steps")).unwrap_or_default();
            refusals.add(&at, None, "is needed: write rates, or from, to and by");
            (StepKind::Ramp, Vec::new())
        }
    };
    if let (StepKind::Hold, Some(extend)) = (kind, &extend) {
        refusals.add(&extend.at, None, "adds steps to a ramp and cannot stand beside hold");
    }
    steps.extend(judged.into_iter().map(|step| (kind, step)));
    let extend_max_steps =
        extend.map_or(0, |e| refusals.count(&Written { value: e.value.max_steps, at: e.at.field("maxSteps") }));
    SpelledRamp { steps: numbered(steps), extend_max_steps }
}

/// A rate and a length in nanoseconds.
type RateAndLength = (i64, i64);

fn numbered(steps: Vec<(StepKind, RateAndLength)>) -> Vec<PlannedStep> {
    let indexes = 0_u32..;
    let steps = indexes.zip(steps);
    steps.map(|(index, (kind, (rate, duration_nanos)))| PlannedStep { index, kind, rate, duration_nanos }).collect()
}

enum Goal {
    Steps(Written<Steps>),
    Hold(Written<Hold>),
}

/// Steps or a hold, whichever is written at the more particular place.
fn goal(layers: &Layers<'_, Ramp>) -> Option<Goal> {
    layers.0.iter().find_map(|(at, ramp)| {
        let steps = ramp.steps.clone().map(|value| Goal::Steps(Written { value, at: at.field("steps") }));
        steps.or_else(|| ramp.hold.clone().map(|value| Goal::Hold(Written { value, at: at.field("hold") })))
    })
}

fn warmup(layers: &Layers<'_, Ramp>, refusals: &mut Refusals) -> Option<RateAndLength> {
    let Some(Written { value: Warmup { rate, duration }, at }) = layers.pick("warmup", |ramp| ramp.warmup.clone())
    else {
        return Some((WARMUP_RATE, WARMUP_NANOS));
    };
    let rate = checked_rate(&Written { value: rate, at: at.field("rate") }, refusals);
    let length = Written { value: duration, at: at.field("duration") };
    (length.value.nanos() != 0).then(|| (rate, checked_length(&length, MOST_NANOS, refusals)))
}

fn stepped(layers: &Layers<'_, Ramp>, steps: &Written<Steps>, refusals: &mut Refusals) -> Vec<RateAndLength> {
    let length = layers.pick("stepDuration", |ramp| ramp.step_duration.clone());
    let length = length.map_or(STEP_NANOS, |length| checked_length(&length, MOST_NANOS, refusals));
    rates(steps, refusals).into_iter().map(|rate| (rate, length)).collect()
}

/// A hold is made in stretches of equal length, a minute where it is long enough: each is durable by itself, and drift is
/// judged between the first of them and the last.
fn held(hold: &Written<Hold>, refusals: &mut Refusals) -> Vec<RateAndLength> {
    let rate = checked_rate(&Written { value: hold.value.rate, at: hold.at.field("rate") }, refusals);
    let length = Written { value: hold.value.duration.clone(), at: hold.at.field("duration") };
    let nanos = checked_length(&length, MOST_HOLD_NANOS, refusals);
    let stretches = (nanos / STRETCH_NANOS).clamp(FEWEST_STRETCHES, MOST_STRETCHES).min(nanos / LEAST_NANOS);
    (0..stretches).map(|_| (rate, nanos / stretches)).collect()
}

fn rates(steps: &Written<Steps>, refusals: &mut Refusals) -> Vec<i64> {
    let Steps { from, to, by, rates } = &steps.value;
    let at = &steps.at;
    match (from, to, by, rates.is_empty()) {
        (None, None, None, false) => listed(at, rates, refusals),
        (Some(from), Some(to), Some(by), true) => {
            let written = |value: i64, field: &str| Written { value, at: at.field(field) };
            even(&written(*from, "from"), &written(*to, "to"), &written(*by, "by"), refusals)
        }
        _ => {
            refusals.add(at, None, "needs either rates, or from, to and by, all three");
            Vec::new()
        }
    }
}

fn listed(at: &super::FieldPath, rates: &[i64], refusals: &mut Refusals) -> Vec<i64> {
    let at = at.field("rates");
    if rates.len() > MAX_STEPS {
        refusals.add(&at, Some(format!("{} rates", rates.len())), format!("must be at most {MAX_STEPS} rates"));
    }
    for (index, pair) in rates.windows(2).enumerate() {
        if pair[1] <= pair[0] {
            let message = format!("must rise: {} follows {}", pair[1], pair[0]);
            refusals.add(&at.item(index + 1), Some(pair[1].to_string()), message);
        }
    }
    let written = rates.iter().enumerate().map(|(index, rate)| Written { value: *rate, at: at.item(index) });
    written.map(|rate| checked_rate(&rate, refusals)).collect()
}

fn even(from: &Written<i64>, to: &Written<i64>, by: &Written<i64>, refusals: &mut Refusals) -> Vec<i64> {
    let (first, last) = (checked_rate(from, refusals), checked_rate(to, refusals));
    if to.value < from.value {
        refusals.about(to, format!("must not be less than from: the ramp goes up from {}", from.value));
        return Vec::new();
    }
    if by.value < 1 {
        refusals.about(by, "must be at least 1");
        return Vec::new();
    }
    if (last - first) % by.value != 0 {
        let message = format!("must divide the way from {first} to {last}, or the last step is not {last}");
        refusals.about(by, message);
    }
    let count = (last - first) / by.value + 1;
    if count > i64::try_from(MAX_STEPS).unwrap_or(i64::MAX) {
        refusals.about(by, format!("makes {count} steps; at most {MAX_STEPS} are allowed"));
        return Vec::new();
    }
    (0..count).map(|step| first + step * by.value).collect()
}

fn checked_rate(rate: &Written<i64>, refusals: &mut Refusals) -> i64 {
    if !(1..=MAX_RATE).contains(&rate.value) {
        refusals.about(rate, format!("must be 1 to {MAX_RATE} calls per second"));
    }
    rate.value.clamp(1, MAX_RATE)
}

fn checked_length(length: &Written<Span>, most: i64, refusals: &mut Refusals) -> i64 {
    let nanos = length.value.nanos();
    if !(LEAST_NANOS..=most).contains(&nanos) {
        refusals.about(length, format!("must be 1s to {}h", most / 3_600_000_000_000));
    }
    nanos.clamp(LEAST_NANOS, most)
}
