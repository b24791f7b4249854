//! From an older chart to this one in mid-run, and the removal. The older chart is the file `charts/soak-0.0.1.tgz`: until there
//! is a release it is this chart as it once was, packaged.

use std::time::Duration;

use serde_json::Value;

use crate::{
    life::is_under_load,
    place::{CHART, Place},
};

const OLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cluster/charts/soak-0.0.1.tgz");
const DEFINITION: &str = "soakcampaigns.soak.dev";

/// The fields of `spec` that the API server knows.
fn served(place: &Place) -> Vec<String> {
    let definition = place.get(&["customresourcedefinition", DEFINITION]);
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    schema["properties"]["spec"]["properties"].as_object().unwrap().keys().cloned().collect()
}

fn key(place: &Place) -> Value {
    place.get(&["secret", "soak-operator-key"])["data"]["key"].clone()
}

/// The charts of the releases in the namespace.
fn charts(place: &Place) -> Vec<String> {
    let releases: Value = serde_json::from_str(&place.run_helm(&["list", "--output=json"]).unwrap()).unwrap();
    releases.as_array().unwrap().iter().map(|release| release["chart"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_upgrade_in_mid_run_keeps_campaign_and_key_and_a_removal_keeps_campaign_definition_and_results() {
    let Some(place) = Place::empty("upgraded") else { return };
    let set = "rbac.aggregate=false,log=debug";
    // The definition is there already, from other tests.
    place.helm("install", OLDER, set, &["--take-ownership"]).unwrap();
    let before = key(&place);
    assert_eq!(charts(&place), ["soak-0.0.1"]);
    place.apply("upgraded", &serde_json::json!({}));
    place.until("load has begun", Duration::from_secs(90), || is_under_load(&place, "upgraded"));

    place.helm("upgrade", CHART, set, &[]).unwrap();
    assert_ne!(charts(&place), ["soak-0.0.1"]);
    assert_eq!(key(&place), before, "the pods at hand know the key that they were made with");
    let own: Vec<String> =
        soak_crds::schema()["properties"]["spec"]["properties"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(served(&place), own);
    let status = place.finished("upgraded");
    assert_eq!(place.condition("upgraded", "ResultsComplete").unwrap()["status"], "True", "{status}");
    place.run_helm(&["test", "soak", "--timeout=120s"]).unwrap();

    place.run_helm(&["uninstall", "soak", "--wait"]).unwrap();
    assert_eq!(charts(&place), Vec::<String>::new());
    assert_eq!(served(&place), own);
    assert_eq!(place.status("upgraded"), status);
    place.get(&["configmap", status["results"].as_str().unwrap()]);
}

#[test]
fn an_operator_that_is_told_to_end_gives_its_lease_up_and_the_other_leads() {
    let Some(place) = Place::empty("two") else { return };
    let set = "crds.install=false,rbac.aggregate=false,log=debug,replicas=2";
    place.install_definition();
    place.helm("install", CHART, set, &[]).unwrap();
    let holder = || {
        let read = ["get", "lease", "soak-operator", "--output=jsonpath={.spec.holderIdentity}"];
        place.kubectl(&read).ok().filter(|holder| !holder.is_empty())
    };
    let first = place.until("one leads", Duration::from_secs(30), holder);
    place.apply("two", &serde_json::json!({}));
    place.until("load has begun", Duration::from_secs(90), || is_under_load(&place, "two"));
    place.kubectl(&["delete", "pod", &first, "--wait=false"]).unwrap();
    let second = place.until("the other leads", Duration::from_secs(30), || holder().filter(|now| *now != first));
    let pods = place.get(&["pods", "--selector=app.kubernetes.io/component=operator"]);
    let names = pods["items"].as_array().unwrap().iter().map(|pod| pod["metadata"]["name"].clone());
    assert!(names.into_iter().any(|name| name == *second), "{second} is a pod");
    let status = place.finished("two");
    assert_eq!(place.condition("two", "ResultsComplete").unwrap()["status"], "True", "{status}");
}
