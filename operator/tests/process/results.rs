//! What a campaign has left on a cluster, with everything taken out that must differ between two executions: instants,
//! the uids, resource versions and addresses of objects, and sums over documents that hold any of them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cluster::Cluster;

/// What can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// By ConfigMap and document.
    pub documents: BTreeMap<String, String>,
    /// The names of all ConfigMaps.
    pub maps: Vec<String>,
    pub status: Value,
}

/// Documents whose bytes must be equal.
const SAME: [&str; 7] = ["run", "rows.json", "rows.csv", "table.md", "judgement.json", "levers.json", "index.json"];

impl Results {
    /// Of a campaign.
    pub fn of(cluster: &Cluster, name: &str) -> Self {
        let maps = cluster.api.all("configmaps");
        let mut documents = BTreeMap::new();
        for map in &maps {
            let data = map["data"].as_object().into_iter().flatten();
            for (document, text) in data.filter(|(document, _)| SAME.contains(&document.as_str())) {
                let text = text.as_str().unwrap();
                let text = if document == "index.json" { index(text) } else { text.to_owned() };
                documents.insert(format!("{}/{document}", name_of(map)), text);
            }
        }
        Self { documents, maps: maps.iter().map(name_of).collect(), status: without_instants(cluster.status(name)) }
    }
}

impl Results {
    /// They are these.
    pub fn are(&self, expected: &Self, context: &str) {
        assert_eq!(self.maps, expected.maps, "{context}");
        // What follows from the rows after the rows themselves.
        for (name, text) in expected.documents.iter().rev() {
            let found = self.documents.get(name).map_or("", String::as_str);
            assert!(found == text, "{context}: {name} is {found}\nand was {text}");
        }
        assert_eq!(self.status, expected.status, "{context}");
        assert_eq!(self, expected, "{context}");
    }
}

fn name_of(map: &Value) -> String {
    map["metadata"]["name"].as_str().unwrap().to_owned()
}

/// The index without sums and lengths of records and of what is told of pods: they hold instants and uids.
fn index(text: &str) -> String {
    let mut index: Value = serde_json::from_str(text).unwrap();
    for document in index["documents"].as_array_mut().unwrap() {
        let key = document["key"].as_str().unwrap();
        if !SAME.contains(&key) && key != "plan.json.gz" {
            let fields = document.as_object_mut().unwrap();
            fields.retain(|field, _| !["sha256", "bytes"].contains(&field.as_str()));
        }
    }
    serde_json::to_string_pretty(&index).unwrap()
}

fn without_instants(mut value: Value) -> Value {
    match &mut value {
        Value::String(text) => {
            let instant = text.len() >= 20 && text.ends_with('Z') && text.as_bytes()[10] == b'T';
            if instant {
                "an instant".clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_instants(item.take())),
        Value::Object(fields) => fields.values_mut().for_each(|field| *field = without_instants(field.take())),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    value
}
