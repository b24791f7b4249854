//! Which results a name means: those of the campaign of this name, or where it was deleted, those that it left.

use k8s_openapi::api::core::v1::ConfigMap;
use soak_campaign::step::Ledger;
use soak_crds::{SoakCampaign, spec::Withdrawal};
use soak_operator::{
    ledger::plan_of,
    names::{Base, CAMPAIGN, ROLE},
};

use crate::{cluster::Cluster, fault::Fault};

/// The results that are meant.
#[derive(Debug)]
pub struct Found {
    /// What the names of their ConfigMaps begin with.
    pub base: Base,
    /// The campaign, where it is there.
    pub campaign: Option<SoakCampaign>,
}

impl Found {
    /// What the spec takes back and the operator has not recorded, in words.
    pub fn not_recorded(&self, recorded: &[Withdrawal]) -> Vec<String> {
        let asked = self.campaign.iter().flat_map(|campaign| &campaign.spec.withdrawn);
        let open = asked.filter(|asked| !recorded.contains(asked));
        open.map(|open| format!("not recorded by the operator yet: the withdrawal of {} ({})", open.run, open.reason))
            .collect()
    }
}

/// Finds the results of a name.
pub async fn find(cluster: &Cluster, name: &str, base: Option<&str>) -> Result<Found, Fault> {
    let campaign = cluster.campaign_if_any(name).await;
    if let Some(base) = base {
        // Whoever names the results needs neither the campaign nor its definition.
        return Ok(Found { base: Base::from_label(base), campaign: campaign.ok().flatten() });
    }
    let campaign = campaign?;
    if let Some(named) = campaign.as_ref().and_then(|campaign| campaign.status.as_ref()?.results.as_deref()) {
        let base = named.split_once(".index").map_or(named, |(base, _)| base);
        return Ok(Found { base: Base::from_label(base), campaign });
    }
    let left = left(cluster, name).await?;
    match &campaign {
        Some(known) => {
            let own = soak_operator::base(known);
            if left.iter().any(|base| base == own.label()) {
                return Ok(Found { base: own, campaign });
            }
            Err(Fault::NoResults(nothing_yet(name, &left)))
        }
        None => match left.as_slice() {
            [] => Err(cluster.no_campaign(name).await),
            [base] => Ok(Found { base: Base::from_label(base), campaign }),
            several => Err(Fault::Usage(format!(
                "{} campaigns were called {name}; choose with --base: {}",
                several.len(),
                several.join(", ")
            ))),
        },
    }
}

/// The results that campaigns of this name have left, by their plans.
async fn left(cluster: &Cluster, name: &str) -> Result<Vec<String>, Fault> {
    let plans = cluster.maps(&format!("{CAMPAIGN},{ROLE}=plan")).await?;
    Ok(plans.iter().filter_map(|map| of_name(map, name)).collect())
}

fn of_name(map: &ConfigMap, name: &str) -> Option<String> {
    let plan = plan_of(map).ok().flatten()?;
    (plan.name == name).then(|| map.metadata.labels.as_ref()?.get(CAMPAIGN).cloned()).flatten()
}

fn nothing_yet(name: &str, left: &[String]) -> String {
    let earlier = match left {
        [] => String::new(),
        left => format!(
            "; campaigns of this name with another spec have left results, choose with --base: {}",
            left.join(", ")
        ),
    };
    format!("{name} has measured nothing yet: kubectl soak doctor {name} tells what it waits for{earlier}")
}

/// What a ledger takes back.
pub fn recorded(ledger: &Ledger) -> Vec<Withdrawal> {
    ledger.withdrawals.iter().map(|(_, withdrawal)| withdrawal.clone()).collect()
}
