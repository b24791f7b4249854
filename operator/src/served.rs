//! Whether the API server serves the resource with every field that this operator knows: it leaves out of what it stores
//! whatever its own definition does not have. In: the schema that it publishes, which whoever is known to it may read; out:
//! the fields that are missing.

use hyper::Request;
use kube_client::Client;
use serde_json::Value;

/// Where the schema is published.
const DOCUMENT: &str = "/openapi/v3/apis/soak.dev/v1alpha1";
/// The most fields that are named.
const MOST: usize = 12;

/// Why campaigns cannot be carried out here.
#[derive(Debug, thiserror::Error)]
pub enum ServedError {
    /// The schema cannot be read.
    #[error("the definition of SoakCampaign that is served here cannot be read: {0}")]
    Unread(#[source] kube_client::Error),
    /// There is none.
    #[error("SoakCampaign v1alpha1 is not served here: apply the chart's crd/soakcampaigns.yaml")]
    Absent,
    /// It is of another version.
    #[error(
        "the definition of SoakCampaign that is served here lacks {0}: apply this version's crd/soakcampaigns.yaml"
    )]
    Lacks(String),
}

/// Asks the API server.
pub async fn check(client: &Client) -> Result<(), ServedError> {
    let request = Request::get(DOCUMENT).body(Vec::new()).map_err(kube_client::Error::HttpError);
    let document = match client.request::<Value>(request.map_err(ServedError::Unread)?).await {
        Ok(document) => document,
        Err(kube_client::Error::Api(status)) if status.code == 404 => return Err(ServedError::Absent),
        Err(error) => return Err(ServedError::Unread(error)),
    };
    let served = published(&document).ok_or(ServedError::Absent)?;
    let missing = missing(soak_crds::schema(), served);
    if missing.is_empty() { Ok(()) } else { Err(ServedError::Lacks(words(&missing))) }
}

/// The resource's schema in a document of its group.
fn published(document: &Value) -> Option<&Value> {
    let schemas = document["components"]["schemas"].as_object()?;
    schemas.values().find(|schema| {
        let kinds = schema["x-kubernetes-group-version-kind"].as_array();
        kinds.into_iter().flatten().any(|kind| kind["kind"] == "SoakCampaign" && kind["version"] == "v1alpha1")
    })
}

/// The fields of the first schema's `spec` and `status` that the second has not; of an object that is missing, itself alone.
fn missing(ours: &Value, served: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for part in ["spec", "status"] {
        compare(part, &ours["properties"][part], &served["properties"][part], &mut found);
    }
    found
}

fn compare(path: &str, ours: &Value, served: &Value, found: &mut Vec<String>) {
    if served.is_null() {
        return found.push(path.to_owned());
    }
    for (name, field) in ours["properties"].as_object().into_iter().flatten() {
        compare(&format!("{path}.{name}"), field, &served["properties"][name], found);
    }
    if let Some(items) = ours.get("items") {
        compare(&format!("{path}[]"), items, &served["items"], found);
    }
}

fn words(missing: &[String]) -> String {
    let named = missing.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    match missing.len().saturating_sub(MOST) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::json;

    use super::*;

    /// What an API server publishes of a schema.
    fn document(schema: &Value) -> Value {
        let mut schema = schema.clone();
        schema["x-kubernetes-group-version-kind"] =
            json!([{"group": "soak.dev", "kind": "SoakCampaign", "version": "v1alpha1"}]);
        json!({"components": {"schemas": {
            "dev.soak.v1alpha1.SoakCampaignList": {"type": "object"}, "dev.soak.v1alpha1.SoakCampaign": schema,
        }}})
    }

    #[test]
    fn the_definition_of_this_version_lacks_nothing() {
        let document = document(soak_crds::schema());
        assert_eq!(missing(soak_crds::schema(), published(&document).unwrap()), Vec::<String>::new());
    }

    #[test]
    fn a_field_that_an_older_definition_has_not_is_named_with_its_place() {
        let mut older = soak_crds::schema().clone();
        let mut take = |object: &str, field: &str| {
            older.pointer_mut(object).unwrap().as_object_mut().unwrap().shift_remove(field).unwrap();
        };
        take("/properties/spec/properties", "retention");
        take("/properties/spec/properties/arms/items/properties", "protocol");
        take("/properties/status/properties", "results");
        let found = missing(soak_crds::schema(), &older);
        assert_eq!(found, ["spec.arms[].protocol", "spec.retention", "status.results"]);
    }

    #[test]
    fn a_definition_without_a_status_is_told_in_one_word_and_a_long_list_is_cut() {
        let found =
            missing(soak_crds::schema(), &json!({"properties": {"spec": soak_crds::schema()["properties"]["spec"]}}));
        assert_eq!(found, ["status"]);
        let many: Vec<String> = (0..20).map(|number| format!("f{number}")).collect();
        assert!(words(&many).ends_with("f11 and 8 more"), "{}", words(&many));
    }

    #[test]
    fn another_version_or_kind_is_not_the_resource() {
        assert_eq!(published(&json!({"components": {"schemas": {"x": {"type": "object"}}}})), None);
        assert_eq!(published(&json!({"paths": {}})), None);
    }
}
