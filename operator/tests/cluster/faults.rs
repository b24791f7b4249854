//! Pods that go under load: the attempt is void and kept, and the run is attempted again from the warm-up.

use serde_json::{Value, json};

use crate::{look::short, place::Place};

#[test]
fn an_arm_that_is_gone_or_a_driver_that_is_evicted_has_the_run_attempted_again_from_the_warm_up() {
    let Some(place) = Place::install("faults") else { return };
    arm_is_gone(&place);
    driver_is_evicted(&place);
    both_are_gone_while_the_operator_is_down(&place);
}

fn arm_is_gone(place: &Place) {
    place.apply("arm", &short());
    place.until_steps("arm", 1);
    let arm = place.pod("arm").unwrap();
    place.kubectl(&["delete", "pod", &arm, "--grace-period=0", "--force"]).unwrap();
    attempted_again(place, "arm", "the arm ended under load");
}

fn driver_is_evicted(place: &Place) {
    place.apply("driver", &short());
    place.until_steps("driver", 1);
    let driver = place.pod("driver").unwrap();
    let eviction = json!({
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": driver, "namespace": place.namespace},
    });
    let path = format!("/api/v1/namespaces/{}/pods/{driver}/eviction", place.namespace);
    place.kubectl_with(&["create", "--raw", &path, "-f", "-"], &eviction.to_string()).unwrap();
    attempted_again(place, "driver", "the driver ended");
}

fn both_are_gone_while_the_operator_is_down(place: &Place) {
    place.apply("both", &short());
    place.until_steps("both", 1);
    place.scale(0);
    place.kubectl(&["delete", "pods", "--selector=soak.dev/campaign", "--grace-period=0", "--force"]).unwrap();
    place.scale(1);
    attempted_again(place, "both", "it is gone");
}

/// Twice begun, each row of the second attempt there once, the first attempt on record with its reason.
fn attempted_again(place: &Place, name: &str, reason: &str) {
    place.finished(name);
    assert_eq!(place.condition(name, "ResultsComplete").unwrap()["status"], "True");
    assert_eq!(place.judged_rates(name), [50, 100], "from the warm-up on");
    let rows = place.document(name, "rows.json");
    assert_eq!(rows.as_array().unwrap().iter().filter(|row| row["warmup"] == true).count(), 1, "not split");
    let failed = place.told(name, "AttemptFailed");
    assert!(failed.len() == 1 && failed[0].contains(reason) && failed[0].contains("again"), "{failed:?}");
    assert_eq!(place.told(name, "RunBegan").len(), 2);
    assert_eq!(place.told(name, "RampSplit"), Vec::<String>::new());
    let levers = place.document(name, "levers.json");
    let attempts: Vec<&Value> = levers.as_array().unwrap().iter().map(|lever| &lever["attempt"]).collect();
    assert!(attempts.iter().all(|attempt| **attempt == 2), "{attempts:?}");
    let steps = place.maps(name).keys().filter(|map| map.contains(".r0.")).count();
    assert!(steps >= 9, "the records of the first attempt are kept: {steps}");
}
