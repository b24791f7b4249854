//! Plan and records as ConfigMaps, and back: what one wrote the other reads, also without the campaign that it was written
//! for. Pure.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use serde::{Serialize, de::DeserializeOwned};
use soak_campaign::{
    plan::Plan,
    step::{PodFacts, Record},
};

use super::{PackError, packed::text, unpack};
use crate::{
    build::{Document, config_map},
    ledger::pack,
    names::Base,
};

const RECORD: &str = "record.json.gz";
const PODS: &str = "pods.json.gz";
const PLAN: &str = "plan.json.gz";
const WINDOWS: &str = "windows.json.gz";

/// A document of a ConfigMap that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {source}")]
pub struct MapError {
    /// The ConfigMap.
    pub name: String,
    /// What is wrong.
    pub source: PackError,
}

/// What is written beside a record.
#[derive(Debug)]
pub enum Besides<'a> {
    /// Nothing.
    Nothing,
    /// The pods of the part.
    Pods(&'a PodFacts),
    /// The step's windows, packed.
    Windows(Vec<u8>),
}

/// A document with its text as it was written: numbers lose nothing where the text is taken on.
#[derive(Debug, Clone, PartialEq)]
pub struct Written<T> {
    /// Its text.
    pub text: String,
    /// What the text says.
    pub value: T,
}

/// A record as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The place of its run in the plan.
    pub run: usize,
    /// Its number among those of its run.
    pub number: usize,
    /// The record.
    pub record: Written<Record>,
    /// The pods of the part that it proves.
    pub pods: Option<Written<PodFacts>>,
    /// The windows of the step that it stores, packed.
    pub windows: Option<Vec<u8>>,
}

/// The ConfigMap of the plan.
pub fn plan_map(base: &Base, plan: &Plan) -> Result<ConfigMap, MapError> {
    let name = base.plan();
    let documents = BTreeMap::from([packed(PLAN, plan, &name)?]);
    Ok(config_map(base, name, "plan", documents))
}

/// The ConfigMap of the record of this number of a run, with what belongs to it.
pub fn record_map(
    base: &Base,
    (run, number): (usize, usize),
    record: &Record,
    besides: Besides<'_>,
) -> Result<ConfigMap, MapError> {
    let name = base.record(run, number);
    let mut documents = BTreeMap::from([packed(RECORD, record, &name)?]);
    match besides {
        Besides::Nothing => {}
        Besides::Pods(pods) => documents.extend([packed(PODS, pods, &name)?]),
        Besides::Windows(windows) => documents.extend([(WINDOWS.to_owned(), Document::Bytes(windows))]),
    }
    Ok(config_map(base, name, "record", documents))
}

/// The plan that a ConfigMap holds.
pub fn plan_of(map: &ConfigMap) -> Result<Option<Plan>, MapError> {
    Ok(written(map, PLAN)?.map(|plan| plan.value))
}

/// The records that ConfigMaps hold, in the order of the plan and of their numbers.
pub fn kept(maps: &[ConfigMap]) -> Result<Vec<Kept>, MapError> {
    let mut kept = Vec::new();
    for map in maps {
        let Some(((run, number), record)) = number(map).zip(written(map, RECORD)?) else { continue };
        let windows = bytes(map, WINDOWS).map(<[u8]>::to_vec);
        kept.push(Kept { run, number, record, pods: written(map, PODS)?, windows });
    }
    kept.sort_by_key(|kept| (kept.run, kept.number));
    Ok(kept)
}

/// Unpacks what was packed, with its text.
pub fn unpacked<T: DeserializeOwned>(name: &str, packed: &[u8]) -> Result<Written<T>, MapError> {
    let wrong = |source| MapError { name: name.to_owned(), source };
    Ok(Written { text: text(packed).map_err(wrong)?, value: unpack(packed).map_err(wrong)? })
}

fn packed<T: Serialize>(key: &str, value: &T, name: &str) -> Result<(String, Document), MapError> {
    let bytes = pack(value).map_err(|source| MapError { name: name.to_owned(), source })?;
    Ok((key.to_owned(), Document::Bytes(bytes)))
}

fn written<T: DeserializeOwned>(map: &ConfigMap, key: &str) -> Result<Option<Written<T>>, MapError> {
    let name = map.metadata.name.as_deref().unwrap_or_default();
    bytes(map, key).map(|bytes| unpacked(name, bytes)).transpose()
}

fn bytes<'a>(map: &'a ConfigMap, key: &str) -> Option<&'a [u8]> {
    Some(map.binary_data.as_ref()?.get(key)?.0.as_slice())
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
        check(base.result(3, 0), None);
        check(base.index(0), None);
    }
}
