//! A campaign that is suspended in mid-ramp and taken up again.

use serde_json::{Value, json};

use crate::{
    look::{SOON, over, short},
    place::Place,
};

#[test]
fn a_suspended_campaign_finishes_its_step_holds_and_goes_on_split_from_a_warm_up() {
    let Some(place) = Place::install("suspend") else { return };
    let ramp = json!({"ramp": {
        "warmup": {"rate": 50, "duration": "2s"}, "steps": {"rates": [50, 100, 150]}, "stepDuration": "5s",
    }});
    place.apply("held", &over(short(), &ramp));
    place.until_steps("held", 2);
    place.edit("held", &json!({"suspend": true}));
    let holds = || place.condition("held", "Reconciling").filter(|condition| condition["reason"] == "Suspended");
    place.until("it holds", SOON, holds);
    let (done, pods) = (place.steps_done("held").unwrap(), place.pods());
    assert!((2..4).contains(&done), "the step at hand is finished, and no other begun: {done}");
    std::thread::sleep(std::time::Duration::from_secs(8));
    assert_eq!(place.steps_done("held"), Some(done), "no load while it holds");
    place.edit("held", &json!({"suspend": false}));
    place.finished("held");
    let rows = place.document("held", "rows.json");
    let warmups = rows.as_array().unwrap().iter().filter(|row| row["warmup"] == true).count();
    assert_eq!((warmups, place.judged_rates("held")), (2, vec![50, 100, 150]));
    let split = place.document("held", "judgement.json")["split"].clone();
    assert_eq!(split.as_array().map(Vec::len), Some(1), "the ramp is marked as split: {split}");
    assert_eq!(place.told("held", "RampSplit").len(), 1);
    assert_eq!((place.told("held", "Suspended").len(), place.told("held", "Resumed").len()), (1, 1));
    let uid = |pod: &Value| pod["metadata"]["uid"].clone();
    let facts = place.document("held", "pods.json");
    let arms: Vec<&Value> = facts.as_array().unwrap().iter().map(|part| &part["arm"]["uid"]).collect();
    assert!(arms.iter().all(|arm| pods.iter().any(|pod| uid(pod) == **arm)), "the same pods: {facts}");
}
