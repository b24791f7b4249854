//! `kubectl soak doctor` against a small API server: each thing that is wrong is named, and what may not be seen is unknown.

use serde_json::{Value, json};

use crate::{
    api::{Api, status},
    commands::{campaign, check},
};

fn list(kind: &str, items: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": kind, "metadata": {"resourceVersion": "7"}, "items": items})
}

fn node(name: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "status": {
            "allocatable": {"cpu": "4", "memory": "8Gi"}, "conditions": [{"type": "Ready", "status": "True"}],
        },
    })
}

/// A cluster on which nothing is wrong.
fn healthy() -> Api {
    let api = Api::start();
    let version = json!({
        "major": "1", "minor": "34", "gitVersion": "v1.34.1", "gitCommit": "", "gitTreeState": "", "buildDate": "",
        "goVersion": "", "compiler": "", "platform": "",
    });
    api.answer("GET", "/version", 200, version);
    serve(&api, soak_crds::schema().clone());
    let operator = json!([{
        "metadata": {"name": "soak-operator", "namespace": "soak"},
        "spec": {"selector": {}, "template": {"spec": {"containers": [{
            "name": "operator", "image": "r/o@sha256:1", "env": [{"name": "SOAK_NAMESPACES", "value": "web"}],
        }]}}},
        "status": {"readyReplicas": 1},
    }]);
    api.answer("GET", "/apis/apps/v1/deployments", 200, list("DeploymentList", &operator));
    rights(&api, true);
    api.answer("GET", "/api/v1/nodes", 200, list("NodeList", &json!([node("a"), node("b")])));
    api.answer("GET", "/api/v1/pods", 200, list("PodList", &json!([])));
    api.answer("GET", "/api/v1/namespaces/web/pods", 200, list("PodList", &json!([])));
    api.answer("GET", "/api/v1/namespaces/web/events", 200, list("EventList", &json!([])));
    api
}

fn serve(api: &Api, mut schema: Value) {
    schema["x-kubernetes-group-version-kind"] =
        json!([{"group": "soak.dev", "kind": "SoakCampaign", "version": "v1alpha1"}]);
    let document = json!({"components": {"schemas": {"dev.soak.v1alpha1.SoakCampaign": schema}}});
    api.answer("GET", "/openapi/v3/apis/soak.dev/v1alpha1", 200, document);
}

fn rights(api: &Api, allowed: bool) {
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "metadata": {}, "spec": {},
        "status": {"allowed": allowed},
    });
    api.answer("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 201, review);
}

#[test]
fn nothing_is_wrong_on_a_cluster_that_is_ready() {
    let api = healthy();
    let said = api.run(&["doctor"]);
    check(&said, 0, "ok       api server  v1.34.1 at http://127.0.0.1", "");
    check(&said, 0, "every field of this version", "");
    check(&said, 0, "soak/soak-operator: 1 ready, image r/o@sha256:1", "");
    check(&said, 0, "in namespace web you may read campaigns; begin campaigns", "");
    check(&said, 0, "two nodes have room; free: a 4000 m CPU and 8192 MiB", "");
    let checks: Value = serde_json::from_slice(&api.run(&["doctor", "-o", "json"]).stdout).unwrap();
    assert_eq!(checks[0]["state"], "ok");
}

#[test]
fn what_is_wrong_is_named_and_what_may_not_be_seen_is_unknown() {
    let api = healthy();
    let forbidden = status(403, "Forbidden", "nodes is forbidden: User \"me\" cannot list");
    api.answer("GET", "/api/v1/nodes", 403, forbidden);
    check(&api.run(&["doctor"]), 0, "unknown  nodes       nodes is forbidden", "");
    let mut older = soak_crds::schema().clone();
    let spec = older.pointer_mut("/properties/spec/properties").unwrap().as_object_mut().unwrap();
    spec.shift_remove("withdrawn").unwrap();
    serve(&api, older);
    check(&api.run(&["doctor"]), 1, "FAILED   definition", "");
    check(&api.run(&["doctor"]), 1, "spec.withdrawn", "");
    rights(&api, false);
    check(&api.run(&["doctor"]), 1, "you may not get soakcampaigns.soak.dev in namespace web", "");
    api.answer("GET", "/apis/apps/v1/deployments", 200, list("DeploymentList", &json!([])));
    check(&api.run(&["doctor"]), 1, "FAILED   operator", "");
}

#[test]
fn a_campaigns_pods_and_events_are_told_in_the_clusters_own_words() {
    let api = healthy();
    api.campaigns(&[campaign("c", Value::Null)]);
    let pod = json!({
        "metadata": {"name": "c-r0-1-1-arm", "uid": "u1", "namespace": "web"}, "spec": {"containers": []},
        "status": {"phase": "Pending", "conditions": [{
            "type": "PodScheduled", "status": "False", "message": "0/2 nodes are available: 2 Insufficient cpu.",
        }]},
    });
    api.answer("GET", "/api/v1/namespaces/web/pods", 200, list("PodList", &json!([pod])));
    let event = json!({
        "metadata": {"name": "e", "namespace": "web"}, "type": "Warning", "reason": "FailedScheduling",
        "message": "no room", "involvedObject": {"kind": "Pod", "name": "c-r0-1-1-arm", "uid": "u1"},
        "lastTimestamp": "2026-01-01T00:00:00Z",
    });
    api.answer("GET", "/api/v1/namespaces/web/events", 200, list("EventList", &json!([event])));
    let said = api.run(&["doctor", "c"]);
    check(&said, 1, "no operator has looked at it yet: is an operator there that looks at this namespace?", "");
    check(&said, 1, "c-r0-1-1-arm no node yet: waits: 0/2 nodes are available: 2 Insufficient cpu.", "");
    check(&said, 1, "FailedScheduling: no room", "");
    check(&api.run(&["doctor", "d"]), 2, "", "there is no campaign d in namespace web; there are: c");
}
