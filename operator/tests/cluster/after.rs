//! A campaign that is over: applied again, edited, withdrawn from, restored, cleaned up; its Events counted.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    look::{SOON, short},
    place::Place,
};

const NAME: &str = "over";

#[test]
fn a_campaign_that_is_over_takes_edits_withdrawals_and_a_restore_without_any_load() {
    let Some(place) = Place::install("after") else { return };
    place.apply(NAME, &short());
    place.finished(NAME);
    events_are_few(&place);
    applied_twenty_times_nothing_changes(&place);
    open_fields_keep_the_status_current(&place);
    a_withdrawal_has_results_of_its_own(&place);
    restored_without_its_status_it_does_not_run_again(&place);
}

fn events_are_few(place: &Place) {
    let reasons: Vec<String> = place.events(NAME).into_iter().map(|(reason, _)| reason).collect();
    let without_knee: Vec<&String> = reasons.iter().filter(|reason| *reason != "KneeFound").collect();
    assert_eq!(without_knee, ["Accepted", "Started", "RunBegan", "RunCompleted", "Finished"], "{reasons:?}");
}

fn applied_twenty_times_nothing_changes(place: &Place) {
    let seen = || (place.get(&["soakcampaign", NAME])["metadata"].clone(), place.maps(NAME), place.events(NAME));
    let before = seen();
    for _ in 0..20 {
        place.apply(NAME, &short());
    }
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(seen(), before);
    assert_eq!(place.pods(), Vec::<Value>::new());
}

fn open_fields_keep_the_status_current(place: &Place) {
    let before = place.status(NAME);
    for spec in [json!({"suspend": true}), json!({"suspend": false, "cancel": true}), json!({"cancel": false})] {
        place.edit(NAME, &spec);
        place.until_current(NAME);
    }
    let after = place.status(NAME);
    for field in ["verdict", "summary", "results", "arms", "finished", "started"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert_eq!(place.pods(), Vec::<Value>::new());
}

fn a_withdrawal_has_results_of_its_own(place: &Place) {
    let before = place.maps(NAME);
    let first = place.status(NAME)["results"].as_str().unwrap().to_owned();
    let wrong = [
        json!({"run": "no-such-run", "reason": "x"}),
        json!({"run": "rest-h1-realistic-r1", "step": 7, "reason": "x"}),
    ];
    let right = json!({"run": "rest-h1-realistic-r1", "step": 50, "reason": "wrong body"});
    place.edit(NAME, &json!({"withdrawn": [right, wrong[0], wrong[1]]}));
    place.until_current(NAME);
    let condition = place.condition(NAME, "WithdrawalsRecorded").unwrap();
    let message = condition["message"].as_str().unwrap();
    assert_eq!(condition["status"], "False");
    assert!(message.contains("no such run") && message.contains("no row at this rate"), "{message}");
    let status = place.status(NAME);
    assert_eq!(status["results"], format!("{first}.w1"));
    assert_eq!(status["withdrawn"][0]["reason"], "wrong body");
    let rows = place.document(NAME, "rows.json");
    let marked = |row: &&Value| row["withdrawn"]["reason"] == "wrong body";
    assert_eq!(rows.as_array().unwrap().iter().filter(marked).count(), 1);
    let after = place.maps(NAME);
    assert!(before.iter().all(|known| after.get(known.0) == Some(known.1)), "nothing that was there has changed");
    assert_eq!(after.len(), before.len() + 3, "a record, a result, an index");
    assert_eq!(place.told(NAME, "Withdrawn"), ["the step of 50/s of rest-h1-realistic-r1: wrong body"]);
    assert_eq!(place.told(NAME, "WithdrawalRefused").len(), 1);
    place.edit(NAME, &json!({"withdrawn": [right]}));
    place.until_current(NAME);
    assert_eq!(place.condition(NAME, "WithdrawalsRecorded").unwrap()["status"], "True");
    assert_eq!(place.maps(NAME), after, "what is on record is not recorded again");
}

fn restored_without_its_status_it_does_not_run_again(place: &Place) {
    let (status, maps) = (place.status(NAME), place.maps(NAME));
    place.kubectl(&["delete", "soakcampaign", NAME]).unwrap();
    place.apply(NAME, &short());
    let restored = place.finished(NAME);
    for field in ["verdict", "results", "arms", "finished", "withdrawn", "planHash"] {
        assert_eq!(restored[field], status[field], "{field}");
    }
    assert_eq!(place.maps(NAME), maps);
    assert_eq!(place.pods(), Vec::<Value>::new());
}

#[test]
fn results_are_kept_as_long_as_the_spec_says_also_while_the_operator_was_down() {
    let Some(place) = Place::install("kept") else { return };
    let one_step = |rate: i64| {
        let warmup = json!({"rate": 50, "duration": "1s"});
        json!({"ramp": {"warmup": warmup, "steps": {"rates": [rate]}, "stepDuration": "1s"}})
    };
    place.apply("kept", &one_step(40));
    place.finished("kept");
    let old = place.maps("kept");
    place.kubectl(&["delete", "soakcampaign", "kept"]).unwrap();
    assert_eq!(place.maps("kept"), old, "results stay");
    place.apply("kept", &one_step(60));
    let own = place.finished("kept")["results"].as_str().unwrap().trim_end_matches(".index").to_owned();
    place.scale(0);
    place.edit("kept", &json!({"retention": {"keepLast": 1, "onDelete": "Delete"}}));
    assert!(place.maps("kept").len() > old.len());
    place.scale(1);
    let only_own = || place.maps("kept").keys().all(|map| map.starts_with(&own)).then_some(());
    place.until("the older results are gone", SOON, only_own);
    assert!(place.maps("kept").len() >= 4, "its own stay");
    place.scale(0);
    place.kubectl(&["delete", "soakcampaign", "kept"]).unwrap();
    place.until("its own are gone with it", SOON, || place.maps("kept").is_empty().then_some(()));
}
