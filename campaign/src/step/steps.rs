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
    let live = waiting.iter().take_while(|step| order_of(part, step).is_some()).count();
    match (waiting.get(live), live) {
        (Some(next), 0 | 1) => place_or_hold(part, next, live.checked_sub(1).map(|at| &waiting[at])),
        (None, 0) => after_last(part),
        (_, 1..) => Decision::Wait(wait_for(part, &waiting[0])),
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

/// The order for `next`, unless no further load may begin: then what is armed is taken back and what runs is finished.
fn place_or_hold(part: &InPart<'_>, next: &PlannedStep, before: Option<&PlannedStep>) -> Decision {
    let before_order = before.and_then(|step| Some((step, order_of(part, step)?)));
    if part.observed.wish == Wish::Suspend {
        return match before_order {
            Some((_, order)) if order.state == OrderState::Armed => {
                Decision::Act(vec![Action::Disarm { order: order.id.clone() }])
            }
            Some((step, _)) => Decision::Wait(wait_for(part, step)),
            None => suspended(),
        };
    }
    let earliest = timing::earliest_start(part.now);
    if let Some((_, order)) = before_order {
        let start = timing::next_start(order.end_unix_nanos, part.drain()).max(earliest);
        return place(part, next, start);
    }
    match part.part.steps.last() {
        None => place(part, next, timing::first_start(part.now)),
        Some(last) => {
            let on_time = timing::next_start(last.end_unix_nanos, part.drain());
            let start = on_time.max(earliest);
            let gap_millis = (start - last.end_unix_nanos) / 1_000_000;
            if gap_millis > part.plan.bounds.gap_millis {
                return next_part(part.at_hand, part.number, Processes::Kept, PartCause::Gap);
            }
            place(part, next, start)
        }
    }
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
