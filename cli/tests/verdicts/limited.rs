//! Numbers that are not the arm's: a driver that fell behind, and a client without a free connection.

use crate::case::{Case, quotas};

#[test]
fn a_throttled_driver_makes_its_steps_client_limited() {
    let case = Case::of("driver-throttled");
    let ended = case.run_for_the_driver();
    if !quotas(&ended, &case.place) {
        return;
    }
    ended.all_are("client-limited", "send error p99");
    for row in &ended.rows {
        // On a full machine it is seldom at its quota, for want of a CPU.
        ended.rests_on(row, "driver throttled");
    }
    assert_eq!(ended.code, Some(5), "{}", ended.told);
    assert_eq!(ended.summary["verdict"], "Invalid");
    assert_eq!(ended.arm()["replicates"][0]["reason"], "every step is client-limited");
}

#[test]
fn a_driver_that_is_bound_to_be_throttled_is_refused_unless_that_is_accepted() {
    let case = Case::changed("driver-throttled", &[(", throttling: Accept", "")]);
    let output = case.place.run(&["run", "campaign.yaml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let told = crate::place::stderr(&output);
    assert!(told.contains("spec.client.cpu") && told.contains("throttling: Accept"), "{told}");
}

#[test]
fn too_few_connections_make_a_step_shape_limited_and_its_number_a_floor() {
    let ended = Case::of("too-few-connections").run();
    assert_eq!(ended.verdicts(), ["first-step", "clean", "shape-limited", "shape-limited"], "{}", ended.tables);
    for row in &ended.rows[2..] {
        for measure in ["never sent", "slots busy", "p50 from the send"] {
            ended.rests_on(row, measure);
        }
        // Eight connections with one call of 100 ms on each at a time.
        let delivered = row["delivered"].as_f64().unwrap();
        assert!((60.0..=80.5).contains(&delivered), "{row}");
        assert_eq!(row["connections"], 8);
    }
    let arm = ended.arm();
    assert_eq!(arm["capacity"]["atLeast"], true, "{arm}");
    assert_eq!((&arm["knee"], &arm["extend"]), (&serde_json::Value::Null, &false.into()), "{arm}");
    assert_eq!(ended.summary["verdict"], "Inconclusive");
    assert_eq!(ended.code, Some(0), "{}", ended.told);
}
