//! One arm through warm-up and steps: status, results, pods; and what a campaign that cannot be planned is told.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::place::Place;

#[test]
fn a_campaign_runs_from_helm_install_to_its_end_with_a_whole_table_and_proven_levers() {
    let Some(place) = Place::install("first") else { return };
    place.apply("first", &json!({}));
    let status = place.finished("first");
    let state = |type_: &str| place.condition("first", type_).unwrap()["status"].clone();
    assert_eq!(state("Accepted"), "True");
    assert_eq!(state("ResultsComplete"), "True", "{status}");
    assert_eq!(state("Reconciling"), "False");
    let arm = &status["arms"][0];
    assert!(arm["digest"].as_str().unwrap().contains("@sha256:"), "{arm}");
    assert!(arm["knee"]["last"].as_i64().unwrap() < arm["knee"]["firstBroken"].as_i64().unwrap(), "{arm}");
    assert!(arm["capacity"]["perSecond"].as_i64().unwrap() > 50, "{arm}");
    documents(&place, &status);
    let before = place.get(&["soakcampaign", "first"])["metadata"]["resourceVersion"].clone();
    place.apply("first", &json!({}));
    assert_eq!(
        place.get(&["soakcampaign", "first"])["metadata"]["resourceVersion"],
        before,
        "applying again is no change"
    );
}

/// The index names every document of immutable ConfigMaps; rows and levers are whole.
fn documents(place: &Place, status: &Value) {
    let index = place.get(&["configmap", status["results"].as_str().unwrap()]);
    let index: Value = serde_json::from_str(index["data"]["index.json"].as_str().unwrap()).unwrap();
    let named: BTreeSet<&str> =
        index["documents"].as_array().unwrap().iter().map(|one| one["configMap"].as_str().unwrap()).collect();
    for name in &named {
        assert_eq!(place.get(&["configmap", name])["immutable"], true, "{name}");
    }
    let run = status["results"].as_str().unwrap().replace(".index", ".r0");
    assert!(named.contains(run.as_str()), "{named:?}");
    let map = place.get(&["configmap", &run]);
    let document = |name: &str| -> Value { serde_json::from_str(map["data"][name].as_str().unwrap()).unwrap() };
    let rows = document("rows.json");
    let rates: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["planned"].as_i64().unwrap()).collect();
    assert_eq!(rates, [50, 50, 100, 150, 200, 250, 300]);
    for row in rows.as_array().unwrap() {
        for filled in ["delivered", "p50Micros", "coresMilli", "throttledMicros", "rssBytes", "connections"] {
            assert!(!row[filled].is_null(), "{filled}: {row}");
        }
    }
    for row in rows.as_array().unwrap() {
        let origin = &row["provenance"];
        assert_eq!(origin["digestAtStart"], origin["digestAtEnd"], "{origin}");
        assert!(origin["digestAtStart"].as_str().unwrap().starts_with("sha256:"), "{origin}");
        assert_eq!(origin["isolation"]["apart"], "DifferentNodes");
    }
    assert_eq!(map["data"]["rows.csv"].as_str().unwrap().lines().count(), 8);
    let levers = document("levers.json");
    let held = |lever: &Value| lever["held"] == true;
    assert!(levers.as_array().unwrap().iter().all(held), "{levers}");
    let places: BTreeSet<_> = levers.as_array().unwrap().iter().map(|lever| lever["at"].as_str().unwrap()).collect();
    assert_eq!(places, ["AfterLoad", "BeforeLoad"].into());
    let proven: BTreeSet<_> = levers.as_array().unwrap().iter().map(|lever| lever["lever"].as_str().unwrap()).collect();
    for lever in ["resources.cpu", "resources.memory", "settings.work", "pod.qosClass", "pod.imageDigest"] {
        assert!(proven.contains(lever), "{lever}: {proven:?}");
    }
    let pods = &document("pods.json")[0];
    assert_ne!(pods["arm"]["node"], pods["driver"]["node"]);
}

#[test]
fn a_campaign_that_cannot_be_planned_says_why_and_makes_nothing() {
    let Some(place) = Place::install("refused") else { return };
    place.apply("refused", &json!({"placement": "SameNode", "client": {"drivers": 2}}));
    let told = || place.condition("refused", "Accepted").filter(|condition| condition["status"] == "False");
    let accepted = place.until("the refusal is told", std::time::Duration::from_secs(30), told);
    let words = accepted["message"].as_str().unwrap();
    assert!(words.contains("spec.placement") && words.contains("spec.client.drivers"), "{words}");
    let pods = place.get(&["pods", "--selector=soak.dev/campaign"]);
    assert_eq!(pods["items"].as_array().unwrap().len(), 0);
}
