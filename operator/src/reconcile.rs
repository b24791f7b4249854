//! One look at a campaign: observe, decide, apply, write status; then when to look again. The decisions are the engine's;
//! this may die at any point and go on from what is durable.

use std::{sync::Arc, time::Duration};

use kube_client::{Resource as _, api::Api};
use kube_runtime::controller;
use soak_campaign::step::{Action, Decision, End, Observed, Processes, Storage, Wait, WaitReason, Wish, decide};
use soak_crds::SoakCampaign;

use crate::{
    accept::{Accepted, accept, base},
    after,
    apply::{ApplyError, Hands},
    context::Context,
    desk::Desk,
    observe,
    queue::{self, Turn},
    retention,
    write_status::{self, StatusError, Told},
};

/// While load is on, driver and pods are looked at this often.
const LOOK_UNDER_LOAD: Duration = Duration::from_secs(1);
/// … and otherwise this often.
const LOOK: Duration = Duration::from_millis(500);
/// A campaign that holds is looked at this often, besides at each change.
const LOOK_SUSPENDED: Duration = Duration::from_secs(60);
/// A campaign whose turn it is not is looked at this often.
const LOOK_QUEUED: Duration = Duration::from_secs(5);
/// What was read was out of date: the watch brings the newer one in a moment.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Decisions in one look.
const MOST_DECISIONS: usize = 50;

/// Why a look was not completed. Another follows.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReconcileError {
    /// An action was not carried out.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The status was not written.
    #[error(transparent)]
    Status(#[from] StatusError),
}

/// Looks at a campaign.
pub(crate) async fn reconcile(
    campaign: Arc<SoakCampaign>,
    context: Arc<Context>,
) -> Result<controller::Action, ReconcileError> {
    if campaign.meta().deletion_timestamp.is_some() {
        context.forget(&campaign);
        return Ok(controller::Action::await_change());
    }
    if !write_status::is_current(&campaign) {
        retention::own(&context, &campaign).await?;
    }
    if write_status::is_final(&campaign) {
        context.forget(&campaign);
        return after::look(&context, &campaign).await;
    }
    // What is remembered is given back only when the look was completed: after a failure it is read again.
    let remembered = context.take(&campaign).filter(|desk| desk.base == base(&campaign));
    let mut desk = match remembered {
        Some(desk) => desk,
        None => match accept(&context, &campaign).await.map_err(ApplyError::from)? {
            Accepted::Yes(desk) => *desk,
            Accepted::No(refusals) => {
                write_status::refuse(&context, &campaign, &refusals).await?;
                return Ok(controller::Action::await_change());
            }
        },
    };
    match look(&context, &campaign, &mut desk).await {
        Ok(next) => {
            context.keep(&campaign, desk);
            Ok(next)
        }
        Err(ReconcileError::Apply(error)) => {
            if let Some(words) = error.storage_refusal() {
                let wait = Wait { reason: WaitReason::StorageRefused { words }, until_unix_nanos: None };
                write_status::write(&context, &campaign, &desk, &Told::Waits(&wait)).await?;
            }
            Err(error.into())
        }
        Err(error) => Err(error),
    }
}

async fn look(
    context: &Context,
    campaign: &SoakCampaign,
    desk: &mut Desk,
) -> Result<controller::Action, ReconcileError> {
    for _ in 0..MOST_DECISIONS {
        let mut hands = Hands::new(context, campaign, desk);
        hands.take_back(false).await?;
        let observed = observed(&mut hands, campaign).await?;
        let decision = decide(&hands.desk.plan, &hands.desk.ledger, &observed, context.now());
        match decision {
            Decision::Act(actions) => {
                let begins = begins(&actions);
                if begins
                    && let Turn::Waits { other } = queue::take(context, campaign).await.map_err(ApplyError::from)?
                {
                    write_status::write(context, campaign, desk, &Told::Queued(&other)).await?;
                    return Ok(controller::Action::requeue(LOOK_QUEUED));
                }
                if begins && !write_status::is_frozen(campaign) {
                    hands.store.freeze(&hands.desk.plan).await.map_err(ApplyError::from)?;
                    write_status::freeze(context, campaign, hands.desk).await?;
                    // The next look sees the frozen resource.
                    return Ok(controller::Action::requeue(LOOK_AGAIN));
                }
                hands.apply(actions).await?;
            }
            Decision::Wait(wait) => {
                write_status::write(context, campaign, desk, &Told::Waits(&wait)).await?;
                return Ok(controller::Action::requeue(pause(&wait, context.now())));
            }
            Decision::Finished(end) => return finish(context, campaign, desk, &end).await,
        }
    }
    Ok(controller::Action::requeue(LOOK))
}

async fn observed(hands: &mut Hands<'_>, campaign: &SoakCampaign) -> Result<Observed, ApplyError> {
    hands.found = observe::campaign_pods(&hands.pods(), &hands.desk.base).await?;
    let driver = hands.driver();
    let part = observe::part(hands.desk, &hands.found, driver.as_ref(), hands.context.now()).await;
    let wish = match (campaign.spec.cancel, campaign.spec.suspend) {
        (true, _) => Wish::Cancel,
        (false, true) => Wish::Suspend,
        (false, false) => Wish::GoOn,
    };
    Ok(Observed { part, start_failed: hands.desk.start_failed.clone(), storage: Storage::Works, wish })
}

/// Whether load follows from these: the spec must be frozen before.
fn begins(actions: &[Action]) -> bool {
    actions.iter().any(|action| matches!(action, Action::BeginPart { processes: Processes::Fresh, .. }))
}

async fn finish(
    context: &Context,
    campaign: &SoakCampaign,
    desk: &mut Desk,
    end: &End,
) -> Result<controller::Action, ReconcileError> {
    Hands::new(context, campaign, desk).write_results().await?;
    queue::give_back(context, campaign).await.map_err(ApplyError::from)?;
    write_status::write(context, campaign, desk, &Told::Ended(end)).await?;
    tracing::info!(campaign = campaign.metadata.name, namespace = campaign.metadata.namespace, "has ended");
    Ok(controller::Action::await_change())
}

fn pause(wait: &Wait, now: i64) -> Duration {
    let look = match wait.reason {
        WaitReason::StepRunning(_) => LOOK_UNDER_LOAD,
        WaitReason::Suspended => LOOK_SUSPENDED,
        WaitReason::ArmStarting { .. }
        | WaitReason::DriverStarting { .. }
        | WaitReason::StepArmed(_)
        | WaitReason::StepDraining(_)
        | WaitReason::NextAttempt(_)
        | WaitReason::Unseen { .. }
        | WaitReason::StorageRefused { .. } => LOOK,
    };
    let left = wait.until_unix_nanos.map(|until| until.saturating_sub(now).max(50_000_000).unsigned_abs());
    left.map_or(look, |nanos| look.min(Duration::from_nanos(nanos)))
}

/// When to look again after a look that failed.
#[allow(clippy::needless_pass_by_value, reason = "the controller gives them away")]
pub(crate) fn after_failure(
    campaign: Arc<SoakCampaign>,
    error: &ReconcileError,
    context: Arc<Context>,
) -> controller::Action {
    if !matches!(error, ReconcileError::Status(StatusError::Stale)) {
        context.metrics.failed_looks.inc();
        tracing::warn!(
            campaign = campaign.metadata.name, namespace = campaign.metadata.namespace, error = %chain(error),
            "will look again"
        );
    }
    controller::Action::requeue(match error {
        ReconcileError::Apply(ApplyError::NotYet(_)) => LOOK,
        ReconcileError::Status(StatusError::Stale) => LOOK_AGAIN,
        ReconcileError::Apply(_) | ReconcileError::Status(_) => LOOK_UNDER_LOAD,
    })
}

/// An error with all that caused it.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let said = inner.to_string();
        if !words.contains(&said) {
            words = format!("{words}: {said}");
        }
        cause = inner.source();
    }
    words
}

/// The campaigns of a namespace, or of all.
pub(crate) fn campaigns(client: &kube_client::Client, namespace: Option<&str>) -> Api<SoakCampaign> {
    namespace.map_or_else(|| Api::all(client.clone()), |namespace| Api::namespaced(client.clone(), namespace))
}
