//! False alarms and power of the judge, on fewer campaigns than `examples/false_alarms.rs` draws, from a fixed seed.

#[path = "../examples/false_alarms/simulation.rs"]
mod simulation;

use simulation::simulate;

#[test]
fn equal_arms_are_told_apart_in_at_most_one_campaign_of_twenty() {
    let odds = simulate(3000, 1, 0.0);
    assert!(odds.one <= 0.05, "{}", odds.one);
    // A judge that claims nothing at all would pass, were it not held from below.
    assert!(odds.one >= 0.02, "{}", odds.one);
    assert!(odds.any >= odds.one);
}

#[test]
fn arms_that_differ_by_twice_the_spread_are_told_apart_in_about_half_of_all_campaigns() {
    let twice = simulate(1000, 2, 2.0).one;
    assert!((0.4..0.6).contains(&twice), "{twice}");
    assert!(simulate(1000, 2, 4.0).one > 0.85);
}
