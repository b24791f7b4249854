//! The order of verdicts: the first that holds, from void to past-knee; and what each is worth to the run.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "a test may fail, and the values are exact")]

use soak_campaign::table::{Check, Percentiles, QuotaUse, Row, SendError, Signals};
use soak_campaign::verdict::{RunJudgement, Verdict, judge_run};
use soak_crds::spec::JudgeBounds;

/// Steps of 100 to 800: clean to 400, then saturated at 450.
fn ramp() -> Vec<Row> {
    let step = |at: u32| {
        let offered = f64::from(at * 100);
        let delivered = offered.min(450.0);
        Row {
            offered,
            delivered: Some(delivered),
            knee_per_second: Some(offered - delivered),
            p50_micros: Some(if offered > 450.0 { 50_000.0 } else { 1000.0 }),
            service: Some(Percentiles { p50: Some(900.0), ..Percentiles::default() }),
            send_error_micros: Some(SendError { p50: 1.0, p99: 5.0, max: 9.0 }),
            ..Row::default()
        }
    };
    std::iter::once(Row { warmup: true, ..step(1) }).chain((1..=8).map(step)).collect()
}

fn fine() -> Signals {
    Signals {
        processes: Some(Check::Holds),
        foreign_milli: Some(10.0),
        steal_milli: Some(0.0),
        sampling_gap_millis: Some(1000),
        host_idle_permille: Some(400.0),
        host_wait_permille: Some(10.0),
        quota: Some(QuotaUse { used_permille: 500.0, throttled_permille: Some(0.0) }),
        ..Signals::default()
    }
}

/// Judges the ramp with the signals and rows of some steps changed.
fn judged(change: impl Fn(usize, &mut Row, &mut Signals)) -> (Vec<Row>, RunJudgement) {
    let mut rows = ramp();
    let mut signals = vec![fine(); rows.len()];
    for (at, (row, signals)) in rows.iter_mut().zip(&mut signals).enumerate() {
        change(at, row, signals);
    }
    judge_run(rows, &signals, &JudgeBounds::default())
}

type Change = fn(&mut Row, &mut Signals);

const VOID: Change = |_, signals| signals.levers = Some(Check::Broken("workers: declared 2, observed 1".to_owned()));
const CONTAMINATED: Change = |_, signals| signals.foreign_milli = Some(500.0);
const CLIENT: Change = |row, _| row.send_error_micros = Some(SendError { p50: 1.0, p99: 4000.0, max: 9e4 });
const HOST: Change = |_, signals| signals.host_idle_permille = Some(0.0);
const SHAPE: Change = |_, signals| signals.slots_busy_permille = Some(1000.0);

fn with(changes: &[Change], at: usize) -> (Vec<Row>, RunJudgement) {
    judged(|index, row, signals| {
        if index == at {
            for change in changes {
                change(row, signals);
            }
        }
    })
}

#[test]
fn the_first_verdict_that_holds_is_given() {
    let check = |changes: &[Change], at: usize, expected: Verdict| {
        assert_eq!(with(changes, at).0[at].verdict, Some(expected), "{} changes at {at}", changes.len());
    };
    check(&[SHAPE, HOST, CLIENT, CONTAMINATED, VOID], 5, Verdict::Void);
    check(&[SHAPE, HOST, CLIENT, CONTAMINATED], 5, Verdict::Contaminated);
    check(&[SHAPE, HOST, CLIENT], 5, Verdict::ClientLimited);
    check(&[SHAPE, HOST], 5, Verdict::HostLimited);
    check(&[SHAPE], 5, Verdict::ShapeLimited);
    check(&[], 5, Verdict::PastKnee);
    check(&[], 1, Verdict::FirstStep);
    check(&[CONTAMINATED], 1, Verdict::Contaminated);
    check(&[], 2, Verdict::Clean);
}

#[test]
fn a_full_shape_below_the_knee_limits_nothing() {
    assert_eq!(with(&[SHAPE], 3).0[3].verdict, Some(Verdict::Clean));
}

#[test]
fn a_step_that_recovers_is_an_outlier_only_while_a_higher_one_keeps_every_bound() {
    let slow: Change = |row, _| row.p50_micros = Some(20_000.0);
    let (rows, judgement) = with(&[slow], 3);
    assert_eq!((rows[3].verdict, judgement.outliers), (Some(Verdict::Outlier), vec![300.0]));
    assert_eq!(judgement.knee.map(|knee| (knee.last, knee.first_broken)), Some((400.0, 500.0)));
    let (rows, judgement) = with(&[slow], 4);
    assert_eq!((rows[4].verdict, judgement.outliers), (Some(Verdict::PastKnee), vec![]));
    assert_eq!(judgement.knee.map(|knee| knee.last), Some(300.0));
}

#[test]
fn a_step_between_clean_and_broken_is_at_the_knee() {
    let shed: Change = |row, _| (row.delivered, row.knee_per_second) = (Some(398.5), Some(1.5));
    let (rows, judgement) = with(&[shed], 4);
    assert_eq!(rows[4].verdict, Some(Verdict::AtKnee));
    assert_eq!(judgement.knee.map(|knee| knee.last), Some(400.0));
}

#[test]
fn evidence_that_was_not_observed_is_unknown_and_never_fine() {
    let (rows, _) = judged(|_, _, signals| *signals = Signals::default());
    let unknown: Vec<_> =
        rows[2].evidence.iter().filter(|e| e.value == "unknown").map(|e| e.measure.as_str()).collect();
    assert_eq!(unknown, ["foreign CPU", "stolen CPU", "idle on the arm's CPUs", "arm waited for a CPU", "arm's quota"]);
    assert_eq!(rows[2].verdict, Some(Verdict::Clean));
    let (rows, _) = judged(|_, _, _| {});
    assert!(rows[2].evidence.iter().all(|evidence| evidence.value != "unknown"));
    // A table from outside has columns and no signals: nothing was to be observed.
    let (rows, _) = judge_run(ramp(), &[], &JudgeBounds::default());
    assert!(rows[2].evidence.iter().all(|evidence| evidence.value != "unknown"));
}

#[test]
fn steps_that_are_limited_make_the_capacity_a_floor() {
    let (_, plain) = judged(|_, _, _| {});
    assert_eq!(plain.capacity.map(|capacity| (capacity.per_second, capacity.at_least)), Some((450.0, false)));
    for limit in [CONTAMINATED, CLIENT, HOST, SHAPE] {
        let (_, judgement) = judged(|at, row, signals| {
            if at >= 5 {
                limit(row, signals);
            }
        });
        assert_eq!((judgement.knee, judgement.plateau), (None, None));
        assert_eq!(judgement.capacity.map(|capacity| (capacity.per_second, capacity.at_least)), Some((450.0, true)));
    }
    let (_, judgement) = judged(|at, row, signals| {
        if at >= 5 {
            VOID(row, signals);
        }
    });
    assert_eq!(judgement.capacity.map(|capacity| capacity.per_second), Some(400.0), "a void number is no floor");
}

#[test]
fn a_longer_ramp_is_asked_for_only_where_it_can_help() {
    let check = |change: Option<Change>, from: usize, cut: usize, expected: bool| {
        let (mut rows, mut signals) = (ramp(), vec![fine(); 9]);
        for at in from..9 {
            if let Some(change) = change {
                change(&mut rows[at], &mut signals[at]);
            }
        }
        rows.truncate(cut);
        signals.truncate(cut);
        let (_, judgement) = judge_run(rows, &signals, &JudgeBounds::default());
        assert_eq!(judgement.extend, expected, "{from} {cut}");
    };
    check(None, 9, 9, false);
    check(None, 9, 7, true);
    check(None, 9, 5, true);
    check(None, 9, 2, true);
    check(None, 9, 1, false);
    check(Some(CONTAMINATED), 5, 9, true);
    check(Some(CLIENT), 5, 9, false);
    check(Some(HOST), 5, 9, false);
    check(Some(SHAPE), 5, 9, false);
    check(Some(VOID), 8, 9, false);
}

#[test]
fn a_step_that_falls_over_is_a_collapse() {
    let (_, judgement) = judged(|at, row, _| {
        if at >= 7 {
            row.delivered = Some(450.0 * if at == 7 { 0.85 } else { 0.84 });
        }
    });
    assert_eq!((judgement.collapse, judgement.plateau, judgement.extend), (Some(800.0), None, false));
    let (_, judgement) = judged(|_, _, _| {});
    assert_eq!(judgement.collapse, None);
}

#[test]
fn an_outlier_is_no_collapse() {
    let (_, judgement) = judged(|at, row, _| {
        if at == 3 {
            row.delivered = Some(100.0);
        }
    });
    assert_eq!((judgement.outliers, judgement.collapse), (vec![300.0], None));
}

#[test]
fn a_floor_that_outdoes_the_plateau_takes_it_away() {
    let more: Change = |row, signals| {
        row.delivered = Some(480.0);
        CONTAMINATED(row, signals);
    };
    let (_, judgement) = with(&[more], 8);
    assert_eq!((judgement.plateau, judgement.capacity.unwrap().per_second), (None, 480.0));
    let near: Change = |row, signals| {
        row.delivered = Some(470.0);
        CONTAMINATED(row, signals);
    };
    assert!(with(&[near], 8).1.plateau.is_some());
}

#[test]
fn two_saturated_steps_are_no_plateau_and_neither_are_three_that_spread() {
    let plateau = |cut: usize, last: f64| {
        let mut rows = ramp();
        rows.truncate(cut);
        rows[cut - 1].delivered = Some(last);
        judge_run(rows, &[], &JudgeBounds::default()).1.plateau
    };
    assert!(plateau(7, 450.0).is_none());
    assert!(plateau(8, 450.0).is_some());
    assert!(plateau(8, 450.0 * 0.95).is_some());
    assert!(plateau(8, 450.0 * 0.949).is_none());
}

#[test]
fn a_gap_beyond_its_bound_splits_the_ramp() {
    let split = |gap| judged(|at, row, _| row.gap_millis = Some(if at == 4 { gap } else { 200 })).1.split;
    let bound = JudgeBounds::default().gap_millis;
    assert_eq!(split(bound), Vec::<f64>::new());
    assert_eq!(split(bound + 1), [400.0]);
}

#[test]
fn a_ramp_that_starts_past_its_knee_or_falls_is_remarked_upon() {
    let (_, judgement) = judge_run(ramp().split_off(5), &[], &JudgeBounds::default());
    assert!(judgement.plateau.is_some() && judgement.knee.is_none());
    assert_eq!(judgement.remarks, ["no judged step delivers: the ramp starts past the knee"]);
    let mut falling = ramp();
    falling.swap(3, 4);
    let (_, judgement) = judge_run(falling, &[], &JudgeBounds::default());
    assert_eq!(judgement.remarks, ["the ramp falls: 300/s follows 400/s"]);
}

#[test]
fn a_sampler_that_stands_still_voids_the_steps_that_show_it() {
    let (rows, _) = judged(|_, row, _| row.cores_milli = Some(400.0));
    let void: Vec<_> = rows.iter().filter(|row| row.verdict == Some(Verdict::Void)).map(|row| row.offered).collect();
    // Each has a partner that delivers twice as much or half as much; 300/s has the warm-up's 100/s.
    assert_eq!(void.len(), 8);
    let (rows, _) = judged(|at, row, _| {
        row.cores_milli = Some(if at < 4 { 400.0 } else { 400.0 + f64::from(u32::try_from(at).unwrap()) });
    });
    assert_eq!(rows[2].verdict, Some(Verdict::Void), "200/s for as much CPU as 100/s");
    assert_eq!(rows[4].verdict, Some(Verdict::Clean));
}

#[test]
fn bounds_are_settings() {
    let bounds = JudgeBounds { knee_p50_factor: 100, knee_answered_per_ten_thousand: 8000, ..JudgeBounds::default() };
    let bounds = JudgeBounds { knee_never_sent_per_ten_thousand: 2000, ..bounds };
    let (_, judgement) = judge_run(ramp(), &[], &bounds);
    assert_eq!(judgement.knee.map(|knee| (knee.last, knee.first_broken)), Some((500.0, 600.0)));
}

fn from_outside(steps: &[(f64, f64, f64)]) -> (Vec<Row>, RunJudgement) {
    let row = |(offered, delivered, p50): &(f64, f64, f64)| Row {
        offered: *offered,
        delivered: Some(*delivered),
        p50_micros: Some(*p50),
        ..Row::default()
    };
    judge_run(steps.iter().map(row).collect(), &[], &JudgeBounds::default())
}

#[test]
fn a_rate_that_once_held_and_once_broke_is_no_knee() {
    let (rows, judgement) =
        from_outside(&[(100.0, 100.0, 1e3), (200.0, 200.0, 1e3), (300.0, 300.0, 1e3), (300.0, 250.0, 1e3)]);
    assert_eq!((rows[3].verdict, judgement.knee), (Some(Verdict::PastKnee), None));
    // Nor is it an outlier when it holds the second time: the later step is no higher.
    let (rows, _) = from_outside(&[(100.0, 100.0, 1e3), (200.0, 200.0, 1e3), (300.0, 250.0, 1e3), (300.0, 300.0, 1e3)]);
    assert_eq!(rows[2].verdict, Some(Verdict::PastKnee));
    assert_eq!(judgement.remarks, Vec::<String>::new(), "a rate that is repeated does not fall");
}

#[test]
fn a_higher_step_that_held_before_makes_no_outlier() {
    let (rows, judgement) =
        from_outside(&[(100.0, 100.0, 1e3), (400.0, 400.0, 1e3), (300.0, 250.0, 1e3), (200.0, 200.0, 1e3)]);
    assert_eq!(rows[2].verdict, Some(Verdict::PastKnee));
    assert!(judgement.remarks.iter().any(|remark| remark == "the ramp falls: 300/s follows 400/s"));
}

#[test]
fn the_lowest_p50_is_that_of_a_step_that_can_be_judged() {
    // Fifty times lower somewhere: were it the lowest, every other step would break the bound.
    let low: Change = |row, _| row.p50_micros = Some(20.0);
    let check = |changes: &[Change], at: usize| {
        let (rows, judgement) = with(changes, at);
        assert_eq!(rows[3].verdict, Some(Verdict::Clean), "step {at}");
        assert_eq!(judgement.knee.map(|knee| knee.last), Some(400.0), "step {at}");
    };
    let withdrawn: Change = |row, _| {
        row.withdrawn = Some(soak_campaign::table::Withdrawn { reason: "a fault".to_owned(), superseded_by: None });
    };
    check(&[low], 0);
    check(&[low, VOID], 2);
    check(&[low, CONTAMINATED], 2);
    check(&[low, withdrawn], 2);
    // A p50 of nothing is no p50 to be a multiple of.
    let none: Change = |row, _| row.p50_micros = Some(0.0);
    check(&[none], 2);
    let (rows, _) = judged(|at, row, _| {
        if at == 2 {
            row.p50_micros = Some(0.0);
        } else if at == 4 {
            row.p50_micros = Some(20_000.0);
        }
    });
    assert_eq!(rows[4].verdict, Some(Verdict::PastKnee));
}

#[test]
fn a_floor_beside_a_plateau_undoes_it_only_beyond_its_spread() {
    let plateau = |delivered: f64| {
        let (_, judgement) = judged(|at, row, signals| {
            row.delivered = row.delivered.map(|delivered| if at > 4 { 400.0 } else { delivered });
            if at == 6 {
                row.delivered = Some(delivered);
                CONTAMINATED(row, signals);
            }
        });
        judgement.plateau.is_some()
    };
    assert!(plateau(420.0), "five percent above is within the spread");
    assert!(!plateau(420.1));
}

#[test]
fn a_last_step_that_was_withdrawn_does_not_say_whether_more_steps_help() {
    let (_, judgement) = judged(|at, row, signals| {
        if at >= 6 {
            row.withdrawn = Some(soak_campaign::table::Withdrawn { reason: "a fault".to_owned(), superseded_by: None });
            VOID(row, signals);
        }
    });
    assert!(judgement.extend);
}
