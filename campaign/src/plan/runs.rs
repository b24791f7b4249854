//! Every arm × body × replicate as a run, in rounds: each round holds every arm × body once, in an order of its own.

use soak_crds::spec::{OrderKind, SoakCampaignSpec};

use super::{
    FieldPath, PlannedRun, PlannedStep, RunId,
    arms::SpelledArm,
    fingerprint::{self, Fingerprint},
    layers::Refusals,
    request::NamedBody,
    shuffle::shuffled,
};
use crate::step::LEAD;

/// The longest name of a run: it names files and objects, with room for what is put before and behind.
const MAX_NAME: usize = 50;
/// Getting arm and driver ready, proving levers, and ending both, as far as the expected time goes.
const OVERHEAD_MILLIS: i64 = 2_500;

/// The runs in the order in which they are made.
pub(super) fn spell(
    spec: &SoakCampaignSpec,
    arms: &[SpelledArm],
    bodies: &[NamedBody],
    refusals: &mut Refusals,
) -> Vec<PlannedRun> {
    let pairs: Vec<(&SpelledArm, &NamedBody)> =
        arms.iter().flat_map(|arm| bodies.iter().map(move |body| (arm, body))).collect();
    refuse_equal_runs(arms, bodies, refusals);
    let mut runs: Vec<PlannedRun> = Vec::new();
    for replicate in 1..=u32::try_from(spec.replicates).unwrap_or(1) {
        let round: Vec<_> = match spec.order.kind {
            OrderKind::AsWritten => pairs.clone(),
            OrderKind::Random => shuffled(&pairs, spec.order.seed.unsigned_abs(), replicate),
        };
        runs.extend(round.into_iter().map(|(arm, body)| run(arm, body, replicate)));
    }
    refuse_equal_names(&runs, refusals);
    runs
}

fn run(arm: &SpelledArm, body: &NamedBody, replicate: u32) -> PlannedRun {
    let (request, body_leaves) = arm.question.with(body);
    let body_sha256 = fingerprint::sha256(&request.body);
    let fingerprint = Fingerprint {
        steps: &arm.ramp.steps,
        body: body.planned.preset,
        body_sha256: &body_sha256,
        client: &arm.written_client,
    };
    let extension = arm.ramp.extend_max_steps;
    PlannedRun {
        id: run_id(&arm.planned.name, &body.planned.name, replicate),
        arm: arm.planned.name.clone(),
        body: body.planned.name.clone(),
        replicate,
        fingerprint: fingerprint.text(),
        request,
        body_sha256,
        body_leaves,
        expected_millis: expected_millis(&arm.ramp.steps, arm.planned.client.drain_nanos),
        steps: arm.ramp.steps.clone(),
        extend_max_steps: extension,
    }
}

/// `arm-body-rN`; a variant's plus becomes a dot. What is too long is cut, and told apart by a hash of the whole.
fn run_id(arm: &str, body: &str, replicate: u32) -> RunId {
    let stem = format!("{arm}-{body}").replace('+', ".");
    let suffix = format!("-r{replicate}");
    if stem.len() + suffix.len() <= MAX_NAME {
        return RunId(stem + &suffix);
    }
    let hash = &fingerprint::sha256(stem.as_bytes())[..8];
    let room = MAX_NAME - suffix.len() - hash.len() - 1;
    let cut: String = stem.chars().take(room).collect();
    RunId(format!("{}-{hash}{suffix}", cut.trim_end_matches(['-', '.'])))
}

/// Without added steps and further attempts.
fn expected_millis(steps: &[PlannedStep], drain_nanos: i64) -> i64 {
    let nanos = steps.iter().map(|step| step.duration_nanos.saturating_add(drain_nanos).saturating_add(LEAD));
    OVERHEAD_MILLIS.saturating_add(nanos.fold(0, i64::saturating_add) / 1_000_000)
}

/// Where calls carry no payload, several bodies would be the same run several times.
fn refuse_equal_runs(arms: &[SpelledArm], bodies: &[NamedBody], refusals: &mut Refusals) {
    if bodies.len() < 2 {
        return;
    }
    for arm in arms.iter().filter(|arm| !arm.question.carries_a_body()) {
        let message = format!(
            "holds {} bodies, and arm {} is asked without one: its runs would all be the same. Give it a campaign of \
             its own, or one body",
            bodies.len(),
            arm.planned.name
        );
        refusals.add(&FieldPath::spec().field("bodies"), None, message);
    }
}

/// Names joined by dashes may meet: `a-b` with `c`, and `a` with `b-c`.
fn refuse_equal_names(runs: &[PlannedRun], refusals: &mut Refusals) {
    for (index, run) in runs.iter().enumerate() {
        let twin = runs[..index].iter().find(|known| known.id == run.id);
        let twin = twin.filter(|known| (&known.arm, &known.body) != (&run.arm, &run.body));
        if let Some(twin) = twin {
            let message = format!(
                "gives two runs the name {}: arm {} with body {}, and arm {} with body {}. Rename one",
                run.id, twin.arm, twin.body, run.arm, run.body
            );
            refusals.add(&FieldPath::spec().field("arms"), None, message);
        }
    }
}
