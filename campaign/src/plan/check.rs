//! An independent check of any plan: what must hold of it however it was made. It shares no code with what makes plans.

use std::collections::{BTreeMap, BTreeSet};

use super::{Plan, PlannedClient, PlannedRun, PlannedStep, StepKind};
use soak_sample::Protocol;

/// What is wrong with a plan, in words. A plan that was made by [`super::plan`] has none.
pub fn faults(plan: &Plan) -> Vec<String> {
    let mut faults = Vec::new();
    faults.extend(names(plan));
    faults.extend(coverage(plan));
    faults.extend(rounds(plan));
    faults.extend(plan.runs.iter().flat_map(run));
    faults.extend(plan.arms.iter().flat_map(|arm| client(&arm.name, arm.protocol, &arm.client)));
    let sum: i64 = plan.runs.iter().map(|run| run.expected_millis).sum();
    if sum != plan.expected_millis {
        faults.push(format!("expected {} ms, and the runs add up to {sum}", plan.expected_millis));
    }
    if plan.hash.len() != 64 || !plan.hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        faults.push(format!("the hash is {:?}", plan.hash));
    }
    faults
}

/// Names of runs are unique, short and safe as file and object names.
fn names(plan: &Plan) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for run in &plan.runs {
        let name = &run.id.0;
        let safe = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte));
        let starts_and_ends = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && !name.ends_with(['.', '-']);
        if !safe || !starts_and_ends || name.len() >= 63 || name.contains("..") {
            faults.push(format!("run {name:?} has an unsafe name"));
        }
        if !seen.insert(name) {
            faults.push(format!("run {name:?} is there twice"));
        }
    }
    faults
}

/// Every arm × body × replicate is there exactly once.
fn coverage(plan: &Plan) -> Vec<String> {
    let mut counts: BTreeMap<(&str, &str, u32), usize> = BTreeMap::new();
    for run in &plan.runs {
        *counts.entry((&run.arm, &run.body, run.replicate)).or_default() += 1;
    }
    let mut faults = Vec::new();
    for arm in &plan.arms {
        for body in &plan.bodies {
            for replicate in 1..=plan.replicates {
                if counts.remove(&(&arm.name, &body.name, replicate)) != Some(1) {
                    faults.push(format!("{} × {} × {replicate} is not there exactly once", arm.name, body.name));
                }
            }
        }
    }
    faults
        .extend(counts.keys().map(|(arm, body, replicate)| format!("{arm} × {body} × {replicate} was not asked for")));
    faults
}

/// No replicate begins before the round before it is complete.
fn rounds(plan: &Plan) -> Vec<String> {
    let broken = plan.runs.windows(2).filter(|pair| pair[1].replicate < pair[0].replicate);
    broken.map(|pair| format!("run {} of a later round stands before {}", pair[0].id, pair[1].id)).collect()
}

fn run(run: &PlannedRun) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fault = |words: String| faults.push(format!("run {}: {words}", run.id));
    for (index, step) in (0_u32..).zip(&run.steps) {
        if step.index != index {
            fault(format!("step {index} has the index {}", step.index));
        }
        if step.rate < 1 || step.duration_nanos < 1_000_000_000 {
            fault(format!("step {index} is {}/s for {} ns", step.rate, step.duration_nanos));
        }
        if step.kind == StepKind::Warmup && index != 0 {
            fault(format!("step {index} is a warm-up"));
        }
    }
    let judged: Vec<&PlannedStep> = run.steps.iter().filter(|step| step.kind != StepKind::Warmup).collect();
    if judged.is_empty() {
        fault("no step is judged".to_owned());
    }
    if judged.iter().any(|step| step.kind == StepKind::Hold) {
        if judged.iter().any(|step| (step.kind, step.rate) != (StepKind::Hold, judged[0].rate)) {
            fault("the hold does not keep its rate".to_owned());
        }
    } else if judged.windows(2).any(|pair| pair[1].rate <= pair[0].rate) {
        fault("the ramp does not rise".to_owned());
    }
    let load: i64 = run.steps.iter().map(|step| step.duration_nanos / 1_000_000).sum();
    if run.expected_millis < load {
        fault(format!("{} ms are expected for {load} ms of load", run.expected_millis));
    }
    faults
}

/// What a driver needs to carry the client's shape out.
fn client(arm: &str, protocol: Protocol, client: &PlannedClient) -> Vec<String> {
    let senders = client.workers.saturating_mul(client.drivers);
    let shape = &client.shape;
    let streams = protocol == Protocol::GrpcStream;
    let checks = [
        (senders >= 1, "no worker"),
        (shape.connections >= senders, "fewer connections than workers"),
        (shape.max_in_flight >= senders, "fewer calls in flight than workers"),
        (shape.max_concurrent_streams >= 1, "no call in flight on a connection"),
        (streams == (shape.streams > 0), "streams on a protocol without, or none on one with"),
        (!streams || shape.streams >= senders, "fewer streams than workers"),
        (protocol != Protocol::Http1 || shape.max_concurrent_streams == 1, "several calls on an HTTP/1.1 connection"),
        (client.expect_connections.is_none_or(|n| n <= shape.connections), "more connections expected than allowed"),
        (client.drain_nanos >= 0 && client.timeout_nanos > 0, "no time for answers"),
        (client.cpu_milli > 0, "no CPU for the driver"),
    ];
    let broken = checks.into_iter().filter(|(holds, _)| !holds);
    broken.map(|(_, words)| format!("arm {arm}: {words}")).collect()
}
