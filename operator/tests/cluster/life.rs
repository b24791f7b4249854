//! A campaign in mid-run: its operator killed, the campaign deleted, suspended.

use std::time::Duration;

use serde_json::{Value, json};

use crate::place::Place;

const SOON: Duration = Duration::from_secs(90);

/// Whether load has begun: a step's record is there.
pub fn is_under_load(place: &Place, name: &str) -> Option<()> {
    let step = place.status(name)["step"].as_str()?.to_owned();
    let done: u32 = step.split('/').next()?.parse().ok()?;
    (done >= 2).then_some(())
}

fn pods(place: &Place) -> usize {
    place.get(&["pods", "--selector=soak.dev/campaign"])["items"].as_array().unwrap().len()
}

#[test]
fn an_operator_killed_in_mid_step_goes_on_with_every_row() {
    let Some(place) = Place::install("killed") else { return };
    place.apply("killed", &json!({}));
    place.until("load has begun", SOON, || is_under_load(&place, "killed"));
    let now = ["delete", "pod", "--selector=app.kubernetes.io/component=operator", "--grace-period=0", "--force"];
    place.kubectl(&now).unwrap();
    let status = place.finished("killed");
    assert_eq!(place.condition("killed", "ResultsComplete").unwrap()["status"], "True", "{status}");
    let index = status["results"].as_str().unwrap().replace(".index", ".r0");
    let run = place.get(&["configmap", &index]);
    let rows: Value = serde_json::from_str(run["data"]["rows.json"].as_str().unwrap()).unwrap();
    let judged = rows.as_array().unwrap().iter().filter(|row| row["warmup"] == false);
    let mut rates: Vec<_> = judged.map(|row| row["planned"].as_i64().unwrap()).collect();
    rates.sort_unstable();
    assert_eq!(rates, [50, 100, 150, 200, 250, 300], "every step once");
}

#[test]
fn a_campaign_deleted_in_mid_run_takes_its_load_with_it_and_leaves_what_was_measured() {
    let Some(place) = Place::install("deleted") else { return };
    place.apply("deleted", &json!({}));
    place.until("load has begun", SOON, || is_under_load(&place, "deleted"));
    place.kubectl(&["delete", "soakcampaign", "deleted"]).unwrap();
    place.until("its pods are gone", Duration::from_secs(15), || (pods(&place) == 0).then_some(()));
    let kept = place.get(&["configmaps", "--selector=soak.dev/role=record"]);
    assert!(kept["items"].as_array().unwrap().len() >= 3);
}

#[test]
fn the_spec_is_frozen_once_pods_are_made_and_a_cancelled_campaign_ends_with_what_it_has() {
    let Some(place) = Place::install("cancelled") else { return };
    place.apply("cancelled", &json!({}));
    place.until("load has begun", SOON, || is_under_load(&place, "cancelled"));
    let edit = ["patch", "soakcampaign", "cancelled", "--type=merge", "--patch"];
    let refused = place.kubectl(&[&edit, ["{\"spec\":{\"replicates\":2}}"].as_slice()].concat()).unwrap_err();
    assert!(refused.contains("new name"), "{refused}");
    place.kubectl(&[&edit, ["{\"spec\":{\"cancel\":true}}"].as_slice()].concat()).unwrap();
    let status = place.finished("cancelled");
    assert_eq!(status["summary"], "cancelled");
    assert_eq!(place.condition("cancelled", "ResultsComplete").unwrap()["status"], "False");
    assert_eq!(pods(&place), 0);
}
