//! Campaigns whose pods cannot be made, do not get ready, or are not what was asked for: each says why in the words of the
//! API server or kubelet, sends no load and leaves nothing behind.

use serde_json::{Value, json};

use crate::{
    look::{SOON, over, short},
    place::Place,
};

#[test]
fn what_keeps_pods_from_being_made_or_ready_is_told_in_its_own_words() {
    let Some(place) = Place::install("starts") else { return };
    quota_is_short(&place);
    image_is_not_to_be_had(&place);
    results_have_no_room(&place);
}

/// The words of the replicate that has no number.
fn reason(place: &Place, name: &str) -> String {
    let status = place.finished(name);
    assert_eq!(status["verdict"], "Invalid", "{status}");
    assert_eq!(place.pods(), Vec::<Value>::new(), "nothing is left behind");
    status["arms"][0]["replicates"][0]["reason"].as_str().unwrap().to_owned()
}

fn bound(place: &Place, what: &str, most: usize) {
    let quota = format!("--hard={what}={most}");
    place.kubectl(&["create", "quota", "short", &quota]).unwrap();
    let is_counted = || place.get(&["resourcequota", "short"])["status"]["used"][what].as_str().map(drop);
    place.until("the quota is counted", SOON, is_counted);
}

/// The operator's pod and one more.
fn quota_is_short(place: &Place) {
    bound(place, "pods", 2);
    place.apply("short", &short());
    let words = reason(place, "short");
    assert!(words.contains("exceeded quota: short") && words.contains("pods=1"), "{words}");
    let told = place.told("short", "AttemptFailed");
    assert!(told.len() == 1 && told[0].contains("exceeded quota"), "{told:?}");
    place.kubectl(&["delete", "quota", "short"]).unwrap();
}

fn image_is_not_to_be_had(place: &Place) {
    let arm = json!({"name": "none", "protocol": "Http1", "request": {"path": "/"}, "server": {
        "image": "127.0.0.1:1/none:1", "port": 8080, "readyTimeout": "10s",
        "resources": {"cpu": "100m", "memory": "64Mi"},
    }});
    place.apply("none", &over(short(), &json!({"arms": [arm]})));
    let words = || place.condition("none", "Reconciling")?["message"].as_str().map(str::to_owned);
    let pulls = |words: &String| words.contains("ErrImagePull") || words.contains("ImagePullBackOff");
    place.until("the kubelet's words are told", SOON, || words().filter(pulls));
    let words = reason(place, "none");
    assert!(words.contains("did not get ready in time") && words.contains("127.0.0.1:1/none:1"), "{words}");
}

/// What is measured waits for room, and no further step begins.
fn results_have_no_room(place: &Place) {
    place.apply("full", &short());
    place.until_steps("full", 1);
    let used = place.get(&["configmaps"])["items"].as_array().unwrap().len();
    bound(place, "count/configmaps", used);
    let refused = || place.condition("full", "Reconciling").filter(|told| told["reason"] == "StorageRefused");
    let told = place.until("it is told that results have no room", SOON, refused);
    assert!(told["message"].as_str().unwrap().contains("exceeded quota: short"), "{told}");
    place.kubectl(&["delete", "quota", "short"]).unwrap();
    place.finished("full");
    assert_eq!(place.judged_rates("full"), [50, 100]);
}

/// A policy that halves the arm's CPU limit, as a webhook of somebody else would; `None` where the cluster has none.
fn policy(place: &Place) -> Option<Policy> {
    let version = ["v1", "v1beta1", "v1alpha1"].into_iter().find(|version| {
        let path = format!("/apis/admissionregistration.k8s.io/{version}/mutatingadmissionpolicies");
        place.kubectl(&["get", "--raw", &path]).is_ok()
    })?;
    let api = format!("admissionregistration.k8s.io/{version}");
    let name = place.namespace.clone();
    let expression = "Object{spec: Object.spec{containers: object.spec.containers.filter(c, c.name == 'arm').map(c, \
        Object.spec.containers{name: c.name, resources: Object.spec.containers.resources{limits: \
        {'cpu': '150m'}, requests: {'cpu': '150m'}}})}}";
    let policy = json!({"apiVersion": api, "kind": "MutatingAdmissionPolicy", "metadata": {"name": name}, "spec": {
        "matchConstraints": {"resourceRules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]},
        "matchConditions": [{"name": "arm", "expression": "object.spec.containers.exists(c, c.name == 'arm')"}],
        "failurePolicy": "Fail", "reinvocationPolicy": "Never",
        "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}],
    }});
    let own = json!({"matchLabels": {"kubernetes.io/metadata.name": name}});
    let binding = json!({"apiVersion": api, "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": name},
        "spec": {"policyName": name, "matchResources": {"namespaceSelector": own}}});
    place.apply_objects(&[policy, binding]);
    Some(Policy { name })
}

struct Policy {
    name: String,
}

impl Drop for Policy {
    fn drop(&mut self) {
        for kind in ["mutatingadmissionpolicybinding", "mutatingadmissionpolicy"] {
            let _ = std::process::Command::new("kubectl").args(["delete", kind, &self.name]).status();
        }
    }
}

#[test]
fn a_pod_that_was_made_different_from_what_was_asked_is_void_before_load() {
    let Some(place) = Place::install("changed") else { return };
    let Some(_policy) = policy(&place) else {
        eprintln!("SKIPPED: this cluster serves no MutatingAdmissionPolicy");
        return;
    };
    // A policy takes effect a moment after it was made.
    std::thread::sleep(std::time::Duration::from_secs(3));
    place.apply("changed", &short());
    let words = reason(&place, "changed");
    assert!(words.contains("a lever does not hold") && words.contains("resources.cpu"), "{words}");
    assert_eq!(place.document("changed", "rows.json"), json!([]), "no load was sent");
}
