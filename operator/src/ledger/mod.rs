//! The ledger of a cluster: one immutable ConfigMap for each record, named by its number. What is there is done; whoever
//! finds a number taken has been overtaken, reads again and decides again. In go records; out comes what they add up to.
//! It must not decide which record follows.

mod maps;
mod packed;

use std::collections::BTreeMap;

use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::OwnerReference};
use kube_client::api::{Api, ListParams, PostParams};
use soak_campaign::{
    plan::Plan,
    step::{self, LedgerError, PodFacts, Record},
};

pub use maps::{Besides, Kept, MapError, Written, kept, plan_map, plan_of, record_map, unpacked};
pub(crate) use packed::unpack;
pub use packed::{PackError, pack};

use crate::names::{Base, CAMPAIGN, MANAGER, ROLE};

/// ConfigMaps of one page of a listing.
const PAGE: u32 = 50;

/// Why the ledger cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The API server refused, or cannot be reached.
    #[error(transparent)]
    Kube(#[from] kube_client::Error),
    /// Somebody else has written the record of this number.
    #[error("{0} has been written by somebody else")]
    Overtaken(String),
    /// A document cannot be read or written.
    #[error(transparent)]
    Document(#[from] MapError),
    /// The records contradict each other.
    #[error(transparent)]
    Contradiction(#[from] LedgerError),
}

/// All that is durable of a campaign.
#[derive(Debug, Default)]
pub(crate) struct Durable {
    /// What the records add up to.
    pub state: step::Ledger,
    /// Records of each run, by the run's place.
    pub records: BTreeMap<usize, usize>,
    /// The pods of each part that was proven.
    pub pods: Vec<PodFacts>,
}

/// The ConfigMaps of one campaign.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) maps: Api<ConfigMap>,
    pub(crate) base: Base,
    /// With whom new ones go; absent: they stay.
    pub(crate) owner: Option<OwnerReference>,
}

impl Store {
    /// The plan that was frozen; `None` before.
    pub async fn plan(&self) -> Result<Option<Plan>, StoreError> {
        match self.maps.get_opt(&self.base.plan()).await? {
            Some(map) => Ok(plan_of(&map)?),
            None => Ok(None),
        }
    }

    /// Freezes the plan. Frozen before, it stays as it is.
    pub(crate) async fn freeze(&self, plan: &Plan) -> Result<(), StoreError> {
        self.keep(&plan_map(&self.base, plan)?).await
    }

    /// All that is durable.
    pub(crate) async fn read(&self) -> Result<Durable, StoreError> {
        let mut durable = Durable::default();
        for Kept { run, record, pods, .. } in kept(&self.of_role("record").await?)? {
            durable.state.apply(record.value)?;
            durable.pods.extend(pods.map(|pods| pods.value));
            *durable.records.entry(run).or_default() += 1;
        }
        Ok(durable)
    }

    /// Writes the record of this number of a run, with what belongs to it.
    pub(crate) async fn append(
        &self,
        run: usize,
        number: usize,
        record: &Record,
        besides: Besides<'_>,
    ) -> Result<(), StoreError> {
        self.create(&record_map(&self.base, (run, number), record, besides)?).await
    }

    /// Nobody has written the record of this number of a run yet.
    pub async fn is_next(&self, run: usize, number: usize) -> Result<(), StoreError> {
        let name = self.base.record(run, number);
        match self.maps.get_metadata_opt(&name).await? {
            Some(_) => Err(StoreError::Overtaken(name)),
            None => Ok(()),
        }
    }

    /// Writes a result that follows from the records. Written before, it stays as it is.
    pub(crate) async fn keep(&self, map: &ConfigMap) -> Result<(), StoreError> {
        match self.create(map).await {
            Ok(()) | Err(StoreError::Overtaken(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether this ConfigMap is there.
    pub(crate) async fn has(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.maps.get_metadata_opt(name).await?.is_some())
    }

    /// Every ConfigMap of a role.
    pub async fn of_role(&self, role: &str) -> Result<Vec<ConfigMap>, StoreError> {
        let labels = format!("{CAMPAIGN}={},{ROLE}={role}", self.base.label());
        let mut wanted = ListParams::default().labels(&labels).limit(PAGE);
        let mut found = Vec::new();
        loop {
            let page = self.maps.list(&wanted).await?;
            found.extend(page.items);
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => wanted = wanted.continue_token(&token),
                None => return Ok(found),
            }
        }
    }

    async fn create(&self, map: &ConfigMap) -> Result<(), StoreError> {
        let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
        let mut map = map.clone();
        map.metadata.owner_references = self.owner.clone().map(|owner| vec![owner]);
        match self.maps.create(&params, &map).await {
            Ok(_) => Ok(()),
            Err(kube_client::Error::Api(status)) if status.reason == "AlreadyExists" => {
                Err(StoreError::Overtaken(map.metadata.name.unwrap_or_default()))
            }
            Err(error) => Err(error.into()),
        }
    }
}
