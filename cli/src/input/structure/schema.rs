//! The schema of a whole file: the resource's own, and what every Kubernetes resource has around it.

use std::sync::LazyLock;

use serde_json::{Value, json};

static ROOT: LazyLock<Value> = LazyLock::new(build);

/// The schema of a whole file.
pub(super) fn root() -> &'static Value {
    &ROOT
}

fn build() -> Value {
    let own = soak_crds::schema();
    json!({
        "type": "object",
        "required": ["apiVersion", "kind", "metadata", "spec"],
        "properties": {
            "apiVersion": {"type": "string", "enum": ["soak.dev/v1alpha1"]},
            "kind": {"type": "string", "enum": ["SoakCampaign"]},
            "metadata": metadata(&own["properties"]["spec"]["properties"]["arms"]["items"]["properties"]["name"]),
            "spec": own["properties"]["spec"],
            "status": own["properties"]["status"],
        },
    })
}

/// A campaign's name becomes a part of file and object names, like an arm's.
fn metadata(name: &Value) -> Value {
    const OTHERS: [&str; 12] = [
        "namespace",
        "labels",
        "annotations",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "managedFields",
        "ownerReferences",
        "finalizers",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ];
    let mut fields = json!({"name": name});
    fields["name"]["maxLength"] = 63.into();
    for other in OTHERS {
        fields[other] = json!({"x-kubernetes-preserve-unknown-fields": true});
    }
    json!({"type": "object", "required": ["name"], "properties": fields})
}
