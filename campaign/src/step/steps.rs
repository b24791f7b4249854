//! The steps of a part: which is next, when it starts, what is waited for, and what follows the last one. The next order
//! is armed while the step before it runs; a window is durable before the step after the next one is armed.

use soak_sample::Pace;

use super::{
    Action, Decision, EndReason, Observed, ObservedOrder, ObservedPart, OrderState, PartCause, PartRecord, Processes,
    ProofTime, StepOrder, Wait, WaitReason, Wish,
    attempt::{end, next_part, suspended},
    decide::AtHand,
    extension, timing,
};
use crate::plan::{Plan, PlannedArm, PlannedStep, StepKind};

/// A part with everything that a decision about it looks at.
pub(super) struct InPart<'a> {
    pub plan: &'a Plan,
    pub arm: &'a PlannedArm,
    pub at_hand: &'a AtHand<'a>,
    pub part: &'a PartRecord,
    pub number: u32,
    pub seen: &'a ObservedPart,
    pub observed: &'a Observed,
    pub now: i64,
}

/// What to do next where arm and driver are ready and the levers hold.
pub(super) fn decide(part: &InPart<'_>) -> Decision {
    let waiting = outstanding(part);
    let live: Vec<(&PlannedStep, &ObservedOrder)> =
        waiting.iter().map_while(|step| Some((step, order_of(part, step)?))).collect();
    let next = waiting.get(live.len());
    if part.observed.wish == Wish::Suspend {
        return finish_and_hold(part, &live, next);
    }
    match (next, live.as_slice()) {
        (None, []) => after_last(part),
        (Some(next), []) => place_first(part, next),
        (Some(next), [(_, before)]) => place_after(part, next, before),
        (_, [(step, _), ..]) => Decision::Wait(wait_for(part, step)),
    }
}

/// The user wants it to hold: what is armed is taken back, what runs is finished, and a ramp that is whole is completed.
fn finish_and_hold(part: &InPart<'_>, live: &[(&PlannedStep, &ObservedOrder)], next: Option<&PlannedStep>) -> Decision {
    let armed = live.iter().rev().find(|(_, order)| order.state == OrderState::Armed);
    match (armed, live, next) {
        (Some((_, order)), _, _) => Decision::Act(vec![Action::Disarm { order: order.id.clone() }]),
        (None, [(step, _), ..], _) => Decision::Wait(wait_for(part, step)),
        (None, [], Some(_)) => suspended(),
        (None, [], None) => after_last(part),
    }
}

/// Whether every step of the ramp has a row, in whichever part.
pub(super) fn all_stored(at_hand: &AtHand<'_>) -> bool {
    sequence(at_hand).filter(|step| step.kind != StepKind::Warmup).all(|step| has_row(at_hand, step.index))
}

/// Whether the run has a step of this index.
pub(super) fn planned(part: &InPart<'_>, index: u32) -> bool {
    sequence(part.at_hand).any(|step| step.index == index)
}

/// The run's steps, the added ones last.
fn sequence<'a>(at_hand: &'a AtHand<'_>) -> impl Iterator<Item = &'a PlannedStep> {
    let added = at_hand.record.map_or(&[][..], |record| &record.added[..]);
    at_hand.run.steps.iter().chain(added)
}

fn has_row(at_hand: &AtHand<'_>, index: u32) -> bool {
    at_hand.record.is_some_and(|record| record.parts.iter().any(|part| part.has(index)))
}

/// The steps that this part still has to make: its own warm-up, then the steps without a row in any part.
fn outstanding(part: &InPart<'_>) -> Vec<PlannedStep> {
    if all_stored(part.at_hand) {
        return Vec::new();
    }
    sequence(part.at_hand)
        .filter(|step| match step.kind {
            StepKind::Warmup => !part.part.has(step.index),
            StepKind::Ramp | StepKind::Extension | StepKind::Hold => !has_row(part.at_hand, step.index),
        })
        .copied()
        .collect()
}

/// The order that the driver holds for a step.
fn order_of<'a>(part: &'a InPart<'_>, step: &PlannedStep) -> Option<&'a ObservedOrder> {
    let id = part.key().step(step.index).order_id();
    part.seen.orders.iter().find(|order| order.id == id)
}

/// The order that follows one that is armed or running.
fn place_after(part: &InPart<'_>, next: &PlannedStep, before: &ObservedOrder) -> Decision {
    let on_time = timing::next_start(before.end_unix_nanos, part.drain());
    place(part, next, on_time.max(timing::earliest_start(part.now)))
}

/// The order that follows none: the part's first, or one whose predecessor is stored already. Where it cannot follow in
/// time, another part begins.
fn place_first(part: &InPart<'_>, next: &PlannedStep) -> Decision {
    let Some(last) = part.part.steps.last() else {
        return place(part, next, timing::first_start(part.now));
    };
    let on_time = timing::next_start(last.end_unix_nanos, part.drain());
    let start = on_time.max(timing::earliest_start(part.now));
    let gap_millis = (start - last.end_unix_nanos) / 1_000_000;
    if gap_millis > part.plan.bounds.gap_millis {
        return next_part(part.at_hand, part.number, Processes::Kept, PartCause::Gap);
    }
    place(part, next, start)
}

fn place(part: &InPart<'_>, step: &PlannedStep, start_unix_nanos: i64) -> Decision {
    let client = &part.arm.client;
    Decision::Act(vec![Action::PlaceOrder(Box::new(StepOrder {
        key: part.key().step(step.index),
        step: *step,
        protocol: part.arm.protocol,
        request: part.at_hand.run.request.clone(),
        shape: client.shape.clone(),
        pace: Pace::Open { per_second: step.rate as f64, arrivals: client.arrivals },
        drivers: client.drivers,
        workers: client.workers,
        idle: client.idle,
        start_unix_nanos,
        timeout_nanos: client.timeout_nanos,
        drain_nanos: client.drain_nanos,
    }))])
}

/// What is waited for while a step is armed, running or draining.
fn wait_for(part: &InPart<'_>, step: &PlannedStep) -> Wait {
    let key = part.key().step(step.index);
    let (reason, until) = match order_of(part, step) {
        None => (WaitReason::StepArmed(key), timing::first_start(part.now)),
        Some(order) if part.now < order.start_unix_nanos => (WaitReason::StepArmed(key), order.start_unix_nanos),
        Some(order) if part.now < order.end_unix_nanos => (WaitReason::StepRunning(key), order.end_unix_nanos),
        Some(order) => (WaitReason::StepDraining(key), timing::stuck(order.end_unix_nanos + part.drain())),
    };
    Wait { reason, until_unix_nanos: Some(until) }
}

/// Every step has its row: the ramp is extended, or the levers are proven once more and the attempt is complete.
fn after_last(part: &InPart<'_>) -> Decision {
    if let Some(step) = extension::next(part.plan, part.at_hand) {
        return Decision::Act(vec![Action::AddStep { attempt: part.at_hand.key.clone(), step }]);
    }
    match part.part.after_load.as_ref().map(super::Proofs::miss) {
        None => Decision::Act(vec![Action::ProveLevers { part: part.key(), when: ProofTime::AfterLoad }]),
        Some(Some(words)) => end(part.at_hand, EndReason::LeverNotHeld, Some(words)),
        Some(None) => end(part.at_hand, EndReason::Completed, None),
    }
}
