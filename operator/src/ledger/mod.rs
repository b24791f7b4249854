//! The ledger of a cluster: one immutable ConfigMap for each record, named by its number. What is there is done; whoever
//! finds a number taken has been overtaken, reads again and decides again. In go records; out comes what they add up to.
//! It must not decide which record follows.

mod packed;

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{Api, ListParams, PostParams};
use serde::Serialize;
use soak_campaign::{
    plan::Plan,
    step::{self, LedgerError, Record},
};

pub(crate) use packed::{PackError, pack, unpack};

use crate::{
    build::{Document, config_map},
    facts::PodFacts,
    names::{Base, CAMPAIGN, MANAGER, ROLE},
};

const RECORD: &str = "record.json.gz";
const PODS: &str = "pods.json.gz";
const PLAN: &str = "plan.json.gz";
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
    #[error("{name}: {source}")]
    Document {
        /// The ConfigMap.
        name: String,
        /// What is wrong.
        source: PackError,
    },
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
pub(crate) struct Store {
    maps: Api<ConfigMap>,
    base: Base,
}

impl Store {
    /// Of a campaign.
    pub fn new(maps: Api<ConfigMap>, base: Base) -> Self {
        Self { maps, base }
    }

    /// The plan that was frozen; `None` before.
    pub async fn plan(&self) -> Result<Option<Plan>, StoreError> {
        let Some(map) = self.maps.get_opt(&self.base.plan()).await? else { return Ok(None) };
        document(&map, PLAN)
    }

    /// Freezes the plan. Frozen before, it stays as it is.
    pub async fn freeze(&self, plan: &Plan) -> Result<(), StoreError> {
        let name = self.base.plan();
        let map = self.map(name, "plan", BTreeMap::from([packed(PLAN, plan, &self.base.plan())?]));
        match self.create(&map).await {
            Ok(()) | Err(StoreError::Overtaken(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// All that is durable.
    pub async fn read(&self) -> Result<Durable, StoreError> {
        let mut numbered: Vec<((usize, usize), ConfigMap)> = Vec::new();
        for map in self.of_role("record").await? {
            numbered.extend(number(&map).map(|number| (number, map)));
        }
        numbered.sort_by_key(|(number, _)| *number);
        let mut durable = Durable::default();
        for ((run, _), map) in numbered {
            let Some(record) = document::<Record>(&map, RECORD)? else { continue };
            durable.state.apply(record)?;
            durable.pods.extend(document::<PodFacts>(&map, PODS)?);
            *durable.records.entry(run).or_default() += 1;
        }
        Ok(durable)
    }

    /// Writes the record of this number of a run, with what belongs to it.
    pub async fn append(
        &self,
        run: usize,
        number: usize,
        record: &Record,
        besides: Besides<'_>,
    ) -> Result<(), StoreError> {
        let name = self.base.record(run, number);
        let mut documents = BTreeMap::from([packed(RECORD, record, &name)?]);
        match besides {
            Besides::Nothing => {}
            Besides::Pods(pods) => documents.extend([packed(PODS, pods, &name)?]),
            Besides::Windows(windows) => documents.extend([("windows.json.gz".to_owned(), Document::Bytes(windows))]),
        }
        self.create(&self.map(name, "record", documents)).await
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
    pub async fn keep(&self, map: &ConfigMap) -> Result<(), StoreError> {
        match self.create(map).await {
            Ok(()) | Err(StoreError::Overtaken(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether the index is there: the campaign is over, and its results are whole.
    pub async fn is_sealed(&self) -> Result<bool, StoreError> {
        Ok(self.maps.get_metadata_opt(&self.base.index()).await?.is_some())
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

    fn map(&self, name: String, role: &str, documents: BTreeMap<String, Document>) -> ConfigMap {
        config_map(&self.base, name, role, documents)
    }

    async fn create(&self, map: &ConfigMap) -> Result<(), StoreError> {
        let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
        match self.maps.create(&params, map).await {
            Ok(_) => Ok(()),
            Err(kube_client::Error::Api(status)) if status.reason == "AlreadyExists" => {
                Err(StoreError::Overtaken(map.metadata.name.clone().unwrap_or_default()))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// What is written beside a record.
#[derive(Debug)]
pub(crate) enum Besides<'a> {
    /// Nothing.
    Nothing,
    /// The pods of the part.
    Pods(&'a PodFacts),
    /// The step's windows, packed.
    Windows(Vec<u8>),
}

fn packed<T: Serialize>(key: &str, value: &T, name: &str) -> Result<(String, Document), StoreError> {
    let bytes = pack(value).map_err(|source| StoreError::Document { name: name.to_owned(), source })?;
    Ok((key.to_owned(), Document::Bytes(bytes)))
}

fn document<T: serde::de::DeserializeOwned>(map: &ConfigMap, key: &str) -> Result<Option<T>, StoreError> {
    let Some(bytes) = map.binary_data.as_ref().and_then(|data| data.get(key)) else { return Ok(None) };
    let name = || map.metadata.name.clone().unwrap_or_default();
    unpack(&bytes.0).map(Some).map_err(|source| StoreError::Document { name: name(), source })
}

/// The run's place and the record's number, from a name such as `base.r3.0012`.
fn number(map: &ConfigMap) -> Option<(usize, usize)> {
    let name = map.metadata.name.as_deref()?;
    let (rest, number) = name.rsplit_once('.')?;
    let (_, run) = rest.rsplit_once(".r")?;
    Some((run.parse().ok()?, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_records_number_is_read_back_from_its_name() {
        let base = Base::of("my.campaign", b"");
        let check = |name: String, expected| {
            let map = config_map(&base, name, "record", BTreeMap::new());
            assert_eq!(number(&map), expected, "{:?}", map.metadata.name);
        };
        check(base.record(3, 12), Some((3, 12)));
        check(base.record(12, 10_000), Some((12, 10_000)));
        check(base.result(3), None);
        check(base.index(), None);
    }
}
