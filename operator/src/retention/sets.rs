//! The ConfigMaps of a campaign's name, and the sets of results that they make up. In: a listing of metadata; out: sets.

use std::collections::BTreeMap;

use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use kube_client::api::{ListParams, PartialObjectMeta};

use super::expiry::ResultSet;
use crate::{
    ledger::Store,
    names::{BYTES, CAMPAIGN, NAME, ROLE},
};

/// ConfigMaps of one page of a listing: metadata alone is small.
const PAGE: u32 = 500;

/// What is known of a ConfigMap without its documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Map {
    /// Its name.
    pub name: String,
    /// What the names of its campaign's objects begin with.
    pub base: String,
    /// What it is.
    pub role: String,
    /// The uid of the campaign that it goes with.
    pub owner: Option<String>,
    /// When it was made, nanoseconds since the Unix epoch.
    pub made_unix_nanos: i64,
    /// Bytes of its documents.
    pub bytes: i64,
}

/// Every ConfigMap of the campaign's name, whatever the spec.
pub(super) async fn list(store: &Store) -> Result<Vec<Map>, kube_client::Error> {
    let mut wanted = ListParams::default().labels(&format!("{NAME}={}", store.base.name())).limit(PAGE);
    let mut found = Vec::new();
    loop {
        let page = store.maps.list_metadata(&wanted).await?;
        found.extend(page.items.iter().filter_map(map));
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => wanted = wanted.continue_token(&token),
            None => return Ok(found),
        }
    }
}

/// The sets that they make up.
pub(super) fn result_sets(maps: &[Map]) -> Vec<ResultSet> {
    let mut sets: BTreeMap<&str, ResultSet> = BTreeMap::new();
    for map in maps {
        let set = sets.entry(&map.base).or_insert_with(|| ResultSet {
            base: map.base.clone(),
            newest_unix_nanos: i64::MIN,
            bytes: 0,
        });
        set.newest_unix_nanos = set.newest_unix_nanos.max(map.made_unix_nanos);
        set.bytes = set.bytes.saturating_add(map.bytes);
    }
    sets.into_values().collect()
}

fn map(found: &PartialObjectMeta<ConfigMap>) -> Option<Map> {
    let ObjectMeta { name, labels, annotations, owner_references, creation_timestamp, .. } = &found.metadata;
    let label = |key: &str| labels.as_ref()?.get(key).cloned();
    let owner = owner_references.iter().flatten().find(|owner| owner.kind == "SoakCampaign");
    let made = creation_timestamp.as_ref()?.0.as_nanosecond();
    Some(Map {
        name: name.clone()?,
        base: label(CAMPAIGN)?,
        role: label(ROLE)?,
        owner: owner.map(|owner| owner.uid.clone()),
        made_unix_nanos: i64::try_from(made).ok()?,
        bytes: annotations.as_ref().and_then(|all| all.get(BYTES)?.parse().ok()).unwrap_or_default(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_set_is_as_old_as_the_newest_of_its_maps_and_as_big_as_all() {
        let found = |name: &str, base: &str, time: &str, bytes: &str| -> PartialObjectMeta<ConfigMap> {
            serde_json::from_value(json!({"metadata": {
                "name": name, "creationTimestamp": time, "annotations": {BYTES: bytes},
                "labels": {CAMPAIGN: base, ROLE: "record"},
                "ownerReferences": [{"apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "name": "c", "uid": "u"}],
            }}))
            .unwrap()
        };
        let maps: Vec<Map> = [
            found("a.1", "a", "1970-01-01T00:00:05Z", "7"),
            found("b.1", "b", "1970-01-01T00:00:01Z", "nonsense"),
            found("a.2", "a", "1970-01-01T00:00:09Z", "3"),
        ]
        .iter()
        .filter_map(map)
        .collect();
        assert_eq!(maps[0].owner.as_deref(), Some("u"));
        let set = |base: &str, seconds: i64, bytes| ResultSet {
            base: base.to_owned(),
            newest_unix_nanos: seconds * 1_000_000_000,
            bytes,
        };
        assert_eq!(result_sets(&maps), [set("a", 9, 10), set("b", 1, 0)]);
        assert_eq!(map(&serde_json::from_value(json!({"metadata": {"name": "stranger"}})).unwrap()), None);
    }
}
