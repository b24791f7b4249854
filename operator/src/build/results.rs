//! What a run has given, as the documents of an immutable ConfigMap; and the index over all of them. Pure.

use std::collections::BTreeMap;

use k8s_openapi::{ByteString, api::core::v1::ConfigMap};
use kube_client::api::ObjectMeta;
use serde::Serialize;
use soak_campaign::{
    plan::PlannedRun,
    status::JudgedRun,
    step::{AttemptRecord, ProofTime},
    table::{csv, markdown},
};
use soak_sample::LeverProof;

use crate::{
    facts::PodFacts,
    names::{Base, CAMPAIGN, MANAGER, ROLE},
    token::sha256,
};

/// One document of a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Document {
    /// For people and programs.
    Text(String),
    /// Compressed.
    Bytes(Vec<u8>),
}

/// A lever as it was found: an item of `levers.json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LeverEntry<'a> {
    arm: &'a str,
    #[serde(flatten)]
    proof: &'a LeverProof,
    at: ProofTime,
    attempt: u32,
    part: u32,
}

/// What an index says of a document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Indexed {
    config_map: String,
    key: String,
    bytes: usize,
    sha256: String,
}

/// The index.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Index<'a> {
    campaign: &'a str,
    plan_hash: &'a str,
    runs: Vec<&'a str>,
    documents: Vec<Indexed>,
}

/// The documents of a run.
pub(crate) fn result_documents(
    run: &PlannedRun,
    judged: &JudgedRun,
    attempt: Option<&AttemptRecord>,
    pods: &[&PodFacts],
) -> Result<BTreeMap<String, Document>, serde_json::Error> {
    let text = |name: &str, text: String| (name.to_owned(), Document::Text(text));
    let levers = attempt.map(|attempt| levers(run, judged.attempt.unwrap_or_default(), attempt)).unwrap_or_default();
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
pub(crate) fn config_map(base: &Base, name: String, role: &str, documents: BTreeMap<String, Document>) -> ConfigMap {
    let mut data = BTreeMap::new();
    let mut binary_data = BTreeMap::new();
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
        (ROLE, role),
    ];
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name),
            labels: Some(labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into()),
            ..ObjectMeta::default()
        },
        immutable: Some(true),
        data: (!data.is_empty()).then_some(data),
        binary_data: (!binary_data.is_empty()).then_some(binary_data),
    }
}

/// The index over these ConfigMaps.
pub(crate) fn index(
    campaign: &str,
    plan: &soak_campaign::plan::Plan,
    maps: &[ConfigMap],
) -> Result<BTreeMap<String, Document>, serde_json::Error> {
    let index = Index {
        campaign,
        plan_hash: &plan.hash,
        runs: plan.runs.iter().map(|run| run.id.0.as_str()).collect(),
        documents: maps.iter().flat_map(indexed).collect(),
    };
    Ok(BTreeMap::from([("index.json".to_owned(), Document::Text(pretty(&index)?))]))
}

fn indexed(map: &ConfigMap) -> Vec<Indexed> {
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

fn levers<'a>(run: &'a PlannedRun, attempt: u32, record: &'a AttemptRecord) -> Vec<LeverEntry<'a>> {
    let mut entries = Vec::new();
    for (part, number) in record.parts.iter().zip(1..) {
        for (proofs, at) in [(&part.before_load, ProofTime::BeforeLoad), (&part.after_load, ProofTime::AfterLoad)] {
            let found = proofs.iter().flat_map(|proofs| &proofs.proofs);
            entries.extend(found.map(|proof| LeverEntry { arm: &run.arm, proof, at, attempt, part: number }));
        }
    }
    entries
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
        let map = config_map(&base, base.result(0), "result", documents);
        assert_eq!(map.immutable, Some(true));
        let told = indexed(&map);
        assert_eq!(told.len(), 2);
        for one in told {
            assert_eq!(one.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
            assert_eq!((one.bytes, one.config_map.as_str()), (3, base.result(0).as_str()));
        }
    }
}
