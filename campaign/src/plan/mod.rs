//! From the spec to the plan: every default resolved, every run and step spelled out, nothing left to the executor; or
//! every reason why not, all at once. Knows no file: what the spec names is read by the caller.

mod arms;
mod ceilings;
pub mod check;
mod client;
mod fingerprint;
mod layers;
mod means;
mod planned;
mod preset_words;
mod questions;
mod ramp;
mod refusal;
mod request;
mod runs;
mod server;
mod shuffle;
mod unsupported;

use soak_crds::spec::{OrderKind, SoakCampaignSpec};

pub(crate) use fingerprint::sha256;
use layers::Refusals;
pub use means::{Executor, Means};
pub use planned::{
    Plan, PlannedArm, PlannedBody, PlannedClient, PlannedRun, PlannedServer, PlannedStep, PodShape, Program, RunId,
    StepKind,
};
pub use preset_words::setting_words;
pub use refusal::{FieldPath, PathPart, Refusal};

/// What will be run for a campaign of this name. Errors: every field that is wrong, each once.
pub fn plan(spec: &SoakCampaignSpec, name: &str, means: &Means) -> Result<Plan, Vec<Refusal>> {
    let mut refusals = Refusals::default();
    unsupported::refuse(spec, means.executor, &mut refusals);
    questions::check(spec, &mut refusals);
    let bodies = request::bodies(&spec.bodies, means, &mut refusals);
    let arms = arms::spell(spec, means, &mut refusals);
    ceilings::check(spec, &arms, bodies.len(), &mut refusals);
    refusals.into_result()?;
    let mut refusals = Refusals::default();
    let runs = runs::spell(spec, &arms, &bodies, &mut refusals);
    refusals.into_result()?;
    let mut plan = Plan {
        name: name.to_owned(),
        planned_by: env!("CARGO_PKG_VERSION").to_owned(),
        arms: arms.into_iter().map(|arm| arm.planned).collect(),
        bodies: bodies.into_iter().map(|body| body.planned).collect(),
        expected_millis: runs.iter().map(|run| run.expected_millis).sum(),
        runs,
        order_seed: (spec.order.kind == OrderKind::Random).then_some(spec.order.seed),
        replicates: u32::try_from(spec.replicates).unwrap_or(1),
        bounds: spec.judge.clone(),
        slo: spec.slo.clone(),
        thresholds: spec.thresholds.clone(),
        compare: spec.compare.clone(),
        levers: spec.levers.clone(),
        predictions: spec.predictions.clone(),
        hash: String::new(),
    };
    plan.hash = fingerprint::plan_hash(&plan);
    Ok(plan)
}
