//! Holds ConfigMaps against the index of their campaign. In go ConfigMaps; out comes what is missing, or what was changed.
//! Pure.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use soak_campaign::step::Record;
use soak_operator::{
    build::{INDEX, Index, indexed},
    ledger::Kept,
    names::{Base, ROLE},
};

/// The newest index; a withdrawal is followed by another one, which sums its record as well. `Err`: it cannot be read.
pub fn newest(maps: &[ConfigMap]) -> Result<Option<Index>, String> {
    let mut newest: Option<Index> = None;
    for map in maps.iter().filter(|map| role(map) == "index") {
        let text = map
            .data
            .as_ref()
            .and_then(|data| data.get(INDEX))
            .ok_or_else(|| format!("{} has no {INDEX}", name(map)))?;
        let index: Index = serde_json::from_str(text).map_err(|error| format!("{}: {error}", name(map)))?;
        if newest.as_ref().is_none_or(|known| known.documents.len() < index.documents.len()) {
            newest = Some(index);
        }
    }
    Ok(newest)
}

/// What the index names and is not there. `Err`: what is not as it was when the index was written.
pub fn missing(index: &Index, maps: &[ConfigMap], kept: &[Kept], base: &Base) -> Result<Vec<String>, String> {
    let by_name: BTreeMap<&str, &ConfigMap> = maps.iter().map(|map| (name(map), map)).collect();
    let mut missing = Vec::new();
    for document in &index.documents {
        let (map, key) = (document.config_map.as_str(), document.key.as_str());
        let Some(found) = by_name.get(map) else {
            let words = format!("ConfigMap {map} is in the index and not there");
            if !missing.contains(&words) {
                missing.push(words);
            }
            continue;
        };
        match indexed(found).into_iter().find(|found| found.key == key) {
            None => return Err(format!("{key} of ConfigMap {map} is in the index and not there")),
            Some(found) if found != *document => {
                return Err(format!(
                    "{key} of ConfigMap {map} was changed: {} bytes of sha256 {}, in the index {} bytes of {}",
                    found.bytes, found.sha256, document.bytes, document.sha256
                ));
            }
            Some(_) => {}
        }
    }
    strangers(index, kept, base).map_or(Ok(missing), Err)
}

/// A record that the index does not know, but for withdrawals: they may come after it.
fn strangers(index: &Index, kept: &[Kept], base: &Base) -> Option<String> {
    let unknown = kept.iter().find(|kept| {
        let known = base.record(kept.run, kept.number);
        let withdrawn = matches!(kept.record.value, Record::Withdrawn { .. });
        !withdrawn && !index.documents.iter().any(|document| document.config_map == known)
    })?;
    Some(format!("ConfigMap {} is there and not in the index", base.record(unknown.run, unknown.number)))
}

/// What a ConfigMap is.
pub fn role(map: &ConfigMap) -> &str {
    map.metadata.labels.as_ref().and_then(|labels| labels.get(ROLE)).map_or("", String::as_str)
}

/// A ConfigMap's name.
pub fn name(map: &ConfigMap) -> &str {
    map.metadata.name.as_deref().unwrap_or_default()
}
