//! False alarms and power of the judge, as `docs/method.md` states them, against fewer campaigns from another seed.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "../examples/false_alarms/figures.rs"]
mod figures;
#[path = "../examples/false_alarms/simulation.rs"]
mod simulation;

use std::sync::LazyLock;

use figures::Figures;

/// As many as a test has time for; the document's figures come from five times as many.
const CAMPAIGNS: u32 = 2_000;
const STATED_CAMPAIGNS: u32 = 10_000;

static STATED: LazyLock<Figures> = LazyLock::new(|| Figures::read(include_str!("../../docs/method.md")).unwrap());
static DRAWN: LazyLock<Figures> = LazyLock::new(|| Figures::of(CAMPAIGNS, 20_261_130));

/// Four standard deviations of the difference of two shares, and the rounding of the document.
fn agree(stated: f64, drawn: f64) -> bool {
    let share = stated.clamp(0.001, 0.999);
    let variance = share * (1.0 - share) * (1.0 / f64::from(CAMPAIGNS) + 1.0 / f64::from(STATED_CAMPAIGNS));
    (stated - drawn).abs() <= 4.0 * variance.sqrt() + 0.000_5
}

#[test]
fn figures_are_read_back_as_they_were_written() {
    let read = Figures::read(&DRAWN.markdown()).unwrap();
    assert_eq!(read.markdown(), DRAWN.markdown());
    assert_eq!(Figures::read("no figures here"), None);
}

#[test]
fn the_document_states_what_the_judge_does() {
    let flat = |figures: &Figures| -> Vec<f64> {
        figures.equal.iter().flatten().chain(figures.apart.iter().flatten()).copied().collect()
    };
    let (stated, drawn) = (flat(&STATED), flat(&DRAWN));
    assert_eq!(stated.len(), drawn.len());
    for (at, (stated, drawn)) in stated.iter().zip(&drawn).enumerate() {
        assert!(agree(*stated, *drawn), "figure {at}: {stated} stated, {drawn} drawn");
    }
}

#[test]
fn equal_arms_are_told_apart_in_at_most_one_campaign_of_twenty_however_many_are_compared() {
    let [of_one, given, any] = STATED.equal[0];
    assert!(of_one <= 0.05 && any <= 0.05, "{of_one} {any}");
    // A judge that claims nothing at all would pass, were it not held from below.
    assert!(of_one >= 0.02 && any >= 0.02, "{of_one} {any}");
    assert!(given < of_one, "a claim among three asks for more");
}

#[test]
fn arms_that_differ_by_twice_the_spread_are_told_apart_in_about_half_of_all_campaigns() {
    let [alone, among_three] = STATED.apart[1];
    assert!((0.4..0.6).contains(&alone) && (0.2..alone).contains(&among_three), "{alone} {among_three}");
    let [alone, among_three] = STATED.apart[3];
    assert!(alone > 0.85 && among_three > 0.7, "{alone} {among_three}");
}
