//! From a resource to what is remembered of it: the frozen plan where there is one, else a new one; and all that is
//! durable. Out: a desk, or what the user must change.

use kube_client::ResourceExt as _;
use kube_client::api::Api;
use serde_json::Value;
use soak_campaign::plan::{Executor, Means, Refusal, plan};
use soak_crds::{STAYS_OPEN, SoakCampaign};

use crate::{
    context::Context,
    desk::Desk,
    ledger::{Durable, Store, StoreError},
    names::Base,
    retention,
};

/// What becomes of a campaign that is looked at for the first time.
#[derive(Debug)]
pub(crate) enum Accepted {
    /// It can be carried out, or has been.
    Yes(Box<Desk>),
    /// The user must change it.
    No(Vec<Refusal>),
}

/// What the names of a campaign's objects begin with: they depend on all that is frozen, and on nothing else.
pub fn base(campaign: &SoakCampaign) -> Base {
    let mut asked = serde_json::to_value(&campaign.spec).unwrap_or_default();
    if let Value::Object(fields) = &mut asked {
        fields.retain(|field, _| !STAYS_OPEN.contains(&field.as_str()));
    }
    Base::of(&campaign.name_any(), asked.to_string().as_bytes())
}

/// The ConfigMaps of a campaign.
pub(crate) fn store(context: &Context, campaign: &SoakCampaign, base: &Base) -> Store {
    let namespace = campaign.namespace().unwrap_or_default();
    let maps = Api::namespaced(context.client.clone(), &namespace);
    Store { maps, base: base.clone(), owner: retention::owner(campaign) }
}

/// Reads what is durable, and plans what is not planned yet.
pub(crate) async fn accept(context: &Context, campaign: &SoakCampaign) -> Result<Accepted, StoreError> {
    let base = base(campaign);
    let store = store(context, campaign, &base);
    let plan = match store.plan().await? {
        Some(plan) => plan,
        None => match plan(&campaign.spec, &campaign.name_any(), &means()) {
            Ok(plan) => plan,
            Err(refusals) => return Ok(Accepted::No(refusals)),
        },
    };
    let Durable { state, records, pods } = store.read().await?;
    Ok(Accepted::Yes(Box::new(Desk { base, plan, ledger: state, records, pods, start_failed: None, silent: None })))
}

fn means() -> Means {
    Means { executor: Executor::Cluster, files: std::collections::BTreeMap::new() }
}
