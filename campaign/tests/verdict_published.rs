//! The published step tables: what the judge must say of each, in every format.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "a test may fail, and the values are exact")]

use soak_campaign::table::read::Reading;
use soak_campaign::verdict::{RunJudgement, Verdict, judge_run};
use soak_crds::spec::JudgeBounds;

const TABS: &str = include_str!("fixtures/tables/published-tab.txt");
const MARKDOWN: &str = include_str!("fixtures/tables/published.md");
const CSV: &str = include_str!("fixtures/tables/published.csv");
const JSON: &str = include_str!("fixtures/tables/published.json");

/// The judgement of a table, and the verdict on each step.
struct Judged {
    judgement: RunJudgement,
    verdicts: Vec<(f64, Option<Verdict>)>,
    blanks: usize,
}

fn judged(text: &str, title: &str) -> Judged {
    let reading = Reading::of(text);
    assert_eq!(reading.failed, []);
    assert_eq!(reading.tables.len(), 13);
    let table = reading.tables.into_iter().find(|table| table.title.starts_with(&format!("{title} "))).unwrap();
    let blanks = table.rows.iter().filter(|row| row.cpu_nanos_per_request.is_none()).count();
    let (rows, judgement) = judge_run(table.rows, &[], &JudgeBounds::default());
    let verdicts = rows.iter().map(|row| (row.offered, row.verdict)).collect();
    Judged { judgement, verdicts, blanks }
}

#[derive(Debug, PartialEq)]
struct Facts {
    first_step: f64,
    knee: Option<(f64, f64)>,
    plateau: Option<(f64, f64, f64)>,
    capacity: f64,
    at_least: bool,
    collapse: Option<f64>,
    extend: bool,
    outliers: Vec<f64>,
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn facts(judgement: &RunJudgement) -> Facts {
    let capacity = judgement.capacity.unwrap();
    Facts {
        first_step: judgement.first_step.unwrap(),
        knee: judgement.knee.map(|knee| (knee.last, knee.first_broken)),
        plateau: judgement.plateau.map(|plateau| (plateau.low, plateau.high, tenth(plateau.median))),
        capacity: tenth(capacity.per_second),
        at_least: capacity.at_least,
        collapse: judgement.collapse,
        extend: judgement.extend,
        outliers: judgement.outliers.clone(),
    }
}

/// A ramp that ended too early: no plateau.
fn short(first_step: f64, knee: Option<(f64, f64)>, capacity: f64) -> Facts {
    Facts {
        first_step,
        knee,
        plateau: None,
        capacity,
        at_least: true,
        collapse: None,
        extend: true,
        outliers: Vec::new(),
    }
}

/// A ramp that found its plateau.
fn found(first_step: f64, knee: (f64, f64), plateau: (f64, f64, f64)) -> Facts {
    Facts {
        first_step,
        knee: Some(knee),
        plateau: Some(plateau),
        capacity: plateau.2,
        at_least: false,
        collapse: None,
        extend: false,
        outliers: Vec::new(),
    }
}

fn expected() -> Vec<(&'static str, Facts)> {
    vec![
        ("R1", found(200.0, (600.0, 800.0), (910.2, 932.2, 925.4))),
        ("R2", found(200.0, (800.0, 1000.0), (913.1, 954.0, 916.3))),
        ("R5", found(100.0, (600.0, 800.0), (730.2, 762.3, 754.7))),
        ("R6", Facts { collapse: Some(1200.0), extend: false, ..short(100.0, Some((600.0, 800.0)), 799.6) }),
        ("R3", short(400.0, None, 4799.8)),
        ("R3b", short(5200.0, None, 7976.6)),
        ("R4", short(400.0, None, 4799.9)),
        ("R4b", short(4000.0, None, 15_998.9)),
        ("R8", short(400.0, None, 4797.8)),
        ("R7", Facts { outliers: vec![2400.0], ..short(200.0, None, 3197.7) }),
        ("R7b", short(3600.0, Some((4000.0, 4400.0)), 4674.7)),
        ("R4c", short(18_000.0, Some((28_000.0, 30_000.0)), 31_558.4)),
        ("R8b", found(4000.0, (6000.0, 8000.0), (8139.8, 8191.3, 8166.3))),
    ]
}

#[test]
fn every_published_table_is_judged_as_it_must_be_in_every_format() {
    for (format, text) in [("tabs", TABS), ("Markdown", MARKDOWN), ("CSV", CSV), ("JSON", JSON)] {
        for (title, expected) in expected() {
            assert_eq!(facts(&judged(text, title).judgement), expected, "{title} as {format}");
        }
    }
}

#[test]
fn a_cell_that_was_not_measured_stays_so() {
    for text in [TABS, MARKDOWN, CSV, JSON] {
        assert_eq!(judged(text, "R6").blanks, 4);
        assert_eq!(judged(text, "R2").blanks, 7);
        assert_eq!(judged(text, "R1").blanks, 0);
    }
}

#[test]
fn every_step_of_a_published_table_has_the_verdict_that_its_numbers_give() {
    use Verdict::{AtKnee, Clean, FirstStep, Outlier, PastKnee};
    let check = |title, expected: &[Verdict]| {
        let judged = judged(TABS, title);
        assert_eq!(judged.verdicts[0].1, None, "the warm-up is never judged");
        let verdicts: Vec<_> = judged.verdicts[1..].iter().map(|(_, verdict)| verdict.unwrap()).collect();
        assert_eq!(verdicts, expected, "{title}");
    };
    let past = [PastKnee; 9];
    check("R1", &[&[FirstStep, Clean, AtKnee], &past[..]].concat());
    check("R2", &[&[FirstStep, Clean, Clean, Clean], &past[..8]].concat());
    check("R5", &[&[FirstStep, AtKnee, Clean, Clean, AtKnee, AtKnee], &past[..5]].concat());
    let outlier = [Clean, Outlier, Clean, Clean];
    check("R7", &[&[FirstStep], &[Clean; 7][..], &outlier[..]].concat());
    check("R7b", &[FirstStep, Clean, PastKnee, PastKnee, PastKnee]);
    check("R8b", &[&[FirstStep, Clean], &past[..5]].concat());
}

#[test]
fn every_verdict_carries_its_numbers_and_bounds() {
    let table = Reading::of(TABS).tables.remove(0);
    let (rows, _) = judge_run(table.rows, &[], &JudgeBounds::default());
    let broken = rows.iter().find(|row| row.offered == 800.0).unwrap();
    let words: Vec<_> = broken
        .evidence
        .iter()
        .map(|evidence| (evidence.measure.as_str(), evidence.value.as_str(), evidence.bound.as_deref()))
        .collect();
    let expected = [
        ("answered", "99.08 %", Some("≥ 99.5 %")),
        ("never sent", "0.93 %", Some("< 0.5 %")),
        ("p50", "3.6 × the lowest", Some("< 10 ×")),
    ];
    assert_eq!(words, expected);
    assert!(rows.iter().filter(|row| !row.warmup).all(|row| !row.evidence.is_empty()));
}
