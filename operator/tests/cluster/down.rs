//! A campaign whose operator is down in mid-run: its load ends by itself.

use std::{
    thread::sleep,
    time::{Duration, UNIX_EPOCH},
};

use serde_json::json;

use crate::{
    look::{SOON, over, short},
    place::Place,
};

#[test]
fn without_an_operator_load_ends_after_the_steps_at_hand_and_nothing_measured_is_lost() {
    let Some(place) = Place::install("down") else { return };
    let ramp = json!({"ramp": {
        "warmup": {"rate": 50, "duration": "2s"}, "steps": {"rates": [50, 60, 70, 80, 90]}, "stepDuration": "4s",
    }});
    place.apply("down", &over(short(), &ramp));
    place.until_steps("down", 2);
    place.scale(0);
    // The step at hand and the one that is armed.
    sleep(Duration::from_secs(12));
    // The kubelet tells what it read some time ago.
    let quiet = i64::try_from(UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    let since = || cpu(&place).filter(|(at, _)| *at > quiet);
    let from = place.until("the arm's CPU time is known", SOON, since);
    let later = || cpu(&place).filter(|(at, _)| *at > from.0 + 8_000);
    let to = place.until("it is known of a later time", SOON, later);
    assert!(from.1 > 0.2, "there was load: {from:?}");
    assert!(to.1 - from.1 < 0.05, "no call is made: {from:?} {to:?}");
    place.scale(1);
    place.finished("down");
    assert_eq!(place.judged_rates("down"), [50, 60, 70, 80, 90], "the windows made meanwhile are kept");
    assert_eq!(place.told("down", "RampSplit").len(), 1);
    assert_eq!(place.told("down", "AttemptFailed"), Vec::<String>::new());
}

/// The arm's CPU time so far, seconds, and when it was read, milliseconds since the Unix epoch, as its kubelet tells.
fn cpu(place: &Place) -> Option<(i64, f64)> {
    let name = place.pod("arm")?;
    let node = place.get(&["pod", &name])["spec"]["nodeName"].as_str()?.to_owned();
    let metrics = place.kubectl(&["get", "--raw", &format!("/api/v1/nodes/{node}/proxy/metrics/resource")]).unwrap();
    let own =
        |line: &&str| line.starts_with("container_cpu_usage_seconds_total{container=\"arm\"") && line.contains(&name);
    let mut words = metrics.lines().find(own)?.split(' ').skip(1);
    let seconds = words.next()?.parse().ok()?;
    Some((words.next()?.parse().ok()?, seconds))
}
