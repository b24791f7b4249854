//! What a run has given, as the documents of an immutable ConfigMap; and the index over all of them. Pure.

use std::collections::BTreeMap;

use k8s_openapi::{ByteString, api::core::v1::ConfigMap};
use kube_client::api::ObjectMeta;
use serde::{Deserialize, Serialize};
use soak_campaign::{
    plan::PlannedRun,
    status::{JudgedRun, lever_entries},
    step::{AttemptRecord, PodFacts},
    table::{csv, markdown},
};

use crate::{
    names::{BYTES, Base, CAMPAIGN, MANAGER, NAME, ROLE},
    token::sha256,
};

/// One document of a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Document {
    /// For people and programs.
    Text(String),
    /// Compressed.
    Bytes(Vec<u8>),
}

impl Document {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

/// What an index says of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Indexed {
    /// The ConfigMap.
    pub config_map: String,
    /// Its key.
    pub key: String,
    /// Size, bytes.
    pub bytes: usize,
    /// sha256, hexadecimal.
    pub sha256: String,
}

/// The index of a campaign's results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// The campaign.
    pub campaign: String,
    /// sha256 of the plan.
    pub plan_hash: String,
    /// Its runs.
    pub runs: Vec<String>,
    /// Every document.
    pub documents: Vec<Indexed>,
}

/// The index's key in its ConfigMap.
pub const INDEX: &str = "index.json";

/// The documents of a run.
pub fn result_documents(
    run: &PlannedRun,
    judged: &JudgedRun,
    attempt: Option<&AttemptRecord>,
    pods: &[&PodFacts],
) -> Result<BTreeMap<String, Document>, serde_json::Error> {
    let text = |name: &str, text: String| (name.to_owned(), Document::Text(text));
    let levers =
        attempt.map(|attempt| lever_entries(&run.arm, judged.attempt.unwrap_or_default(), attempt)).unwrap_or_default();
    Ok(BTreeMap::from([
        text("run", run.id.0.clone()),
        text("rows.json", pretty(&judged.rows)?),
        text("rows.csv", csv(&judged.rows)),
        text("table.md", markdown(&judged.rows)),
        text("levers.json", pretty(&levers)?),
        text("judgement.json", pretty(&judged.judgement)?),
        text("pods.json", pretty(pods)?),
    ]))
}

/// An immutable ConfigMap.
pub fn config_map(base: &Base, name: String, role: &str, documents: BTreeMap<String, Document>) -> ConfigMap {
    let mut data = BTreeMap::new();
    let mut binary_data = BTreeMap::new();
    let bytes: usize = documents.values().map(Document::bytes).sum();
    for (key, document) in documents {
        match document {
            Document::Text(text) => drop(data.insert(key, text)),
            Document::Bytes(bytes) => drop(binary_data.insert(key, ByteString(bytes))),
        }
    }
    let labels = [
        ("app.kubernetes.io/name", "soak"),
        ("app.kubernetes.io/managed-by", MANAGER),
        (CAMPAIGN, base.label()),
        (NAME, base.name()),
        (ROLE, role),
    ];
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name),
            annotations: Some([(BYTES.to_owned(), bytes.to_string())].into()),
            labels: Some(labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into()),
            ..ObjectMeta::default()
        },
        immutable: Some(true),
        data: (!data.is_empty()).then_some(data),
        binary_data: (!binary_data.is_empty()).then_some(binary_data),
    }
}

/// The index over these ConfigMaps.
pub fn index(
    campaign: &str,
    plan: &soak_campaign::plan::Plan,
    maps: &[ConfigMap],
) -> Result<BTreeMap<String, Document>, serde_json::Error> {
    let index = Index {
        campaign: campaign.to_owned(),
        plan_hash: plan.hash.clone(),
        runs: plan.runs.iter().map(|run| run.id.0.clone()).collect(),
        documents: maps.iter().flat_map(indexed).collect(),
    };
    Ok(BTreeMap::from([(INDEX.to_owned(), Document::Text(pretty(&index)?))]))
}

/// What an index says of a ConfigMap.
pub fn indexed(map: &ConfigMap) -> Vec<Indexed> {
    let config_map = map.metadata.name.clone().unwrap_or_default();
    let told = |(key, bytes): (&String, &[u8])| Indexed {
        config_map: config_map.clone(),
        key: key.clone(),
        bytes: bytes.len(),
        sha256: sha256(bytes),
    };
    let texts = map.data.iter().flatten().map(|(key, text)| (key, text.as_bytes()));
    let binaries = map.binary_data.iter().flatten().map(|(key, bytes)| (key, bytes.0.as_slice()));
    texts.chain(binaries).map(told).collect()
}

fn pretty<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(value).map(|text| text + "\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_config_map_is_immutable_and_the_index_sums_each_of_its_documents() {
        let base = Base::of("c", b"");
        let documents = BTreeMap::from([
            ("a".to_owned(), Document::Text("abc".to_owned())),
            ("b".to_owned(), Document::Bytes(b"abc".to_vec())),
        ]);
        let map = config_map(&base, base.result(0, 0), "result", documents);
        assert_eq!(map.immutable, Some(true));
        assert_eq!(map.metadata.annotations.as_ref().unwrap()[BYTES], "6");
        let told = indexed(&map);
        assert_eq!(told.len(), 2);
        for one in told {
            assert_eq!(one.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
            assert_eq!((one.bytes, one.config_map.as_str()), (3, base.result(0, 0).as_str()));
        }
    }
}
