//! One look at a campaign that is over: what of its spec may still change takes effect. Withdrawals are recorded and followed
//! by results of their own; what has expired is removed; the status speaks of the spec at hand. No pod is made.

use kube_runtime::controller;
use soak_campaign::step::end_of;
use soak_crds::SoakCampaign;

use crate::{
    accept::{Accepted, accept, base, store},
    apply::{ApplyError, Hands},
    context::Context,
    reconcile::ReconcileError,
    retention,
    write_status::{self, Told},
};

/// Looks at a campaign that is over.
pub(crate) async fn look(context: &Context, campaign: &SoakCampaign) -> Result<controller::Action, ReconcileError> {
    if write_status::is_current(campaign) {
        return retention::apply(context, campaign).await;
    }
    // Once the status is written, the watch brings the campaign again.
    let is_kept = store(context, campaign, &base(campaign)).plan().await.map_err(ApplyError::from)?.is_some();
    let accepted =
        if is_kept { accept(context, campaign).await.map_err(ApplyError::from)? } else { Accepted::No(vec![]) };
    match accepted {
        Accepted::Yes(mut desk) => {
            let mut hands = Hands::new(context, campaign, &mut desk);
            hands.take_back(true).await?;
            hands.write_results().await?;
            let end = end_of(&desk.plan, &desk.ledger);
            write_status::write(context, campaign, &desk, &Told::Ended(&end)).await?;
        }
        Accepted::No(_) => write_status::keep(context, campaign).await?,
    }
    Ok(controller::Action::await_change())
}
