//! An operator killed at any point of a campaign, and the next one goes on with the same numbers.

use std::time::Duration;

use serde_json::Value;

use crate::{
    faults::{Effect, Side},
    loads,
    results::Results,
    story::{STEPS, clean, on_virtual_time, told, told_with_restart_after},
};

/// How much later a campaign may be over whose operator was killed once: it goes on at most so much later.
const AT_MOST_LATER: Duration = Duration::from_secs(30);

/// The fault at every write of the campaign, each in an execution of its own.
fn at_every_write(side: Side, effect: Effect) {
    let clean = clean();
    for (number, what) in clean.writes.iter().enumerate() {
        let context = format!("{effect:?} {side:?} write {number}, {what}");
        on_virtual_time(async {
            let (cluster, took) = told(Some((number, side, effect))).await;
            loads::sound(&cluster, &context);
            loads::in_one_piece(&cluster, STEPS, &context);
            Results::of(&cluster, "c").are(&clean.results, &context);
            assert!(took <= clean.took + AT_MOST_LATER, "{context}: {took:?}, undisturbed {:?}", clean.took);
        });
    }
}

/// The rates of a run's judged rows.
fn judged(rows: &str) -> Vec<i64> {
    let rows: Vec<Value> = serde_json::from_str(rows).unwrap();
    let judged = rows.iter().filter(|row| row["warmup"] == false);
    judged.map(|row| row["planned"].as_i64().unwrap()).collect()
}

/// Longer than a step, than a gap may be, and than a driver keeps what is armed when it hears nothing.
#[test]
fn an_operator_that_is_long_away_is_followed_by_one_that_loses_no_row_and_repeats_none() {
    let clean = clean();
    for (number, what) in clean.writes.iter().enumerate().step_by(3) {
        let context = format!("long away after write {number}, {what}");
        on_virtual_time(async {
            let fault = Some((number, Side::After, Effect::Kill));
            let (cluster, _) = told_with_restart_after(Duration::from_secs(50), fault).await;
            loads::sound(&cluster, &context);
            assert!(cluster.is("c", "ResultsComplete"), "{context}");
            let results = Results::of(&cluster, "c");
            let runs: Vec<&String> = results
                .documents
                .iter()
                .filter(|(name, _)| name.ends_with("rows.json"))
                .map(|(_, rows)| rows)
                .collect();
            assert_eq!(runs.len(), 2, "{context}");
            for rows in runs {
                assert_eq!(judged(rows), [100, 200, 400], "{context}");
            }
        });
    }
}

#[test]
fn an_operator_killed_before_any_write_is_followed_by_one_that_goes_on_with_the_same_numbers() {
    at_every_write(Side::Before, Effect::Kill);
}

#[test]
fn an_operator_killed_after_any_write_is_followed_by_one_that_goes_on_with_the_same_numbers() {
    at_every_write(Side::After, Effect::Kill);
}

#[test]
fn an_operator_whose_connection_fails_before_any_write_goes_on_with_the_same_numbers() {
    at_every_write(Side::Before, Effect::Cut);
}

#[test]
fn an_operator_that_is_not_told_of_any_write_it_made_goes_on_with_the_same_numbers() {
    at_every_write(Side::After, Effect::Cut);
}
