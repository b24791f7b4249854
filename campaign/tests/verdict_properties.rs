//! What must hold of the judge on any table: scale, insertion, truncation, format, and that it never gives up.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "a test may fail, and the values are exact")]

use proptest::prelude::*;
use soak_campaign::table::read::Reading;
use soak_campaign::table::{Row, Signals, csv, markdown};
use soak_campaign::verdict::{RunJudgement, Verdict, Worth, judge_run};
use soak_crds::spec::JudgeBounds;

/// A server with a capacity, offered a rising ramp from well below it to well above, noise included.
#[derive(Debug, Clone)]
struct Server {
    by: f64,
    below: u32,
    above: u32,
    noise: Vec<f64>,
}

fn server() -> impl Strategy<Value = Server> {
    let noise = proptest::collection::vec(-0.01..0.01_f64, 24);
    (10.0..5000.0_f64, 3..10_u32, 3..10_u32, noise).prop_map(|(by, below, above, noise)| Server {
        by: by.round(),
        below,
        above,
        noise,
    })
}

impl Server {
    /// The warm-up, the steps below capacity, and those above it. Capacity lies in the middle between two steps.
    fn rows(&self, scale: f64) -> Vec<Row> {
        let capacity = (f64::from(self.below) + 0.5) * self.by;
        let step = |at: u32| {
            let offered = f64::from(at) * self.by;
            let saturated = offered > capacity;
            let delivered = if saturated { capacity * (1.0 + self.noise[at as usize % 24]) } else { offered };
            Row {
                offered: offered * scale,
                delivered: Some(delivered * scale),
                knee_per_second: Some((offered - delivered).max(0.0) * scale),
                p50_micros: Some(if saturated { 90_000.0 } else { 2_000.0 + 100.0 * f64::from(at) }),
                p99_micros: Some(if saturated { 300_000.0 } else { 9_000.0 }),
                ..Row::default()
            }
        };
        let warmup = Row { warmup: true, ..step(1) };
        std::iter::once(warmup).chain((1..=self.below + self.above).map(step)).collect()
    }
}

fn judged(rows: Vec<Row>) -> (Vec<Row>, RunJudgement) {
    judge_run(rows, &[], &JudgeBounds::default())
}

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= 1e-9 * expected.abs()
}

/// A ramp of any shape: steps that deliver all, shed, recover and fall, at rates that rise unevenly.
fn ragged() -> impl Strategy<Value = Vec<Row>> {
    let share = prop_oneof![
        4 => Just(1.0),
        1 => Just(0.9995),
        1 => Just(0.997),
        1 => Just(0.985),
        2 => 0.85..0.97_f64,
        1 => 0.3..0.8_f64,
    ];
    let p50 = prop_oneof![3 => 100..500_u32, 1 => 3_000..60_000_u32];
    let step = (1.1..1.7_f64, share, p50, proptest::option::of(10..900_u32));
    proptest::collection::vec(step, 3..14).prop_map(|steps| {
        let mut offered = 100.0_f64;
        let mut rows = vec![Row { warmup: true, offered, delivered: Some(offered), ..Row::default() }];
        for (rise, share, p50, cpu) in steps {
            offered = (offered * rise).round();
            let delivered = (offered * share * 10.0).round() / 10.0;
            rows.push(Row {
                offered,
                delivered: Some(delivered),
                knee_per_second: Some(((offered - delivered) * 5.0).round() / 10.0),
                p50_micros: Some(f64::from(p50) * 10.0),
                p99_micros: Some(f64::from(p50) * 30.0),
                cpu_nanos_per_request: cpu.map(|micros| f64::from(micros) * 1000.0),
                ..Row::default()
            });
        }
        rows
    })
}

fn scaled(rows: &[Row], by: f64) -> Vec<Row> {
    let scale = |row: &Row| Row {
        offered: row.offered * by,
        delivered: row.delivered.map(|delivered| delivered * by),
        knee_per_second: row.knee_per_second.map(|knee| knee * by),
        ..row.clone()
    };
    rows.iter().map(scale).collect()
}

/// Every rate that a judgement tells, in a fixed order; absent ones as NaN.
fn rates(judgement: &RunJudgement) -> Vec<f64> {
    let RunJudgement { first_step, knee, outliers, plateau, capacity, slo_capacity, collapse, split, .. } = judgement;
    let told = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let mut all = vec![
        told(*first_step),
        told(knee.map(|knee| knee.last)),
        told(knee.map(|knee| knee.first_broken)),
        told(plateau.map(|plateau| plateau.low)),
        told(plateau.map(|plateau| plateau.median)),
        told(plateau.map(|plateau| plateau.high)),
        told(capacity.map(|capacity| capacity.per_second)),
        told(slo_capacity.map(|capacity| capacity.per_second)),
        told(*collapse),
    ];
    all.extend(outliers);
    all.extend(split);
    all
}

fn verdicts(rows: &[Row]) -> Vec<Option<Verdict>> {
    rows.iter().map(|row| row.verdict).collect()
}

fn any_row() -> impl Strategy<Value = Row> {
    let number =
        || proptest::option::of(prop_oneof![Just(0.0), Just(-1.0), 0.0..1e6_f64, Just(f64::NAN), Just(f64::MAX)]);
    (number(), number(), number(), number(), number(), any::<bool>()).prop_map(
        |(offered, delivered, p50, knee, cpu, warmup)| Row {
            offered: offered.unwrap_or(100.0),
            delivered,
            p50_micros: p50,
            knee_per_second: knee,
            cpu_nanos_per_request: cpu,
            warmup,
            ..Row::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scaling_all_rates_scales_knee_and_plateau(server in server(), scale in 0.01..1000.0_f64) {
        let (rows, plain) = judged(server.rows(1.0));
        let (scaled_rows, scaled) = judged(server.rows(scale));
        let (knee, scaled_knee) = (plain.knee.unwrap(), scaled.knee.unwrap());
        prop_assert!(near(scaled_knee.last, knee.last * scale) && near(scaled_knee.first_broken, knee.first_broken * scale));
        let (plateau, scaled_plateau) = (plain.plateau.unwrap(), scaled.plateau.unwrap());
        prop_assert!(near(scaled.capacity.unwrap().per_second, plain.capacity.unwrap().per_second * scale));
        prop_assert!(near(scaled_plateau.median, plateau.median * scale) && near(scaled_plateau.low, plateau.low * scale));
        prop_assert_eq!(verdicts(&rows), verdicts(&scaled_rows));
    }

    #[test]
    fn scaling_all_rates_of_any_ramp_scales_every_rate_that_is_told(rows in ragged(), by in 0.01..1000.0_f64) {
        let (plain_rows, plain) = judged(rows.clone());
        let (scaled_rows, scaled) = judged(scaled(&rows, by));
        prop_assert_eq!(verdicts(&plain_rows), verdicts(&scaled_rows));
        let (plain_rates, scaled_rates) = (rates(&plain), rates(&scaled));
        prop_assert_eq!(plain_rates.len(), scaled_rates.len());
        for (plain, scaled) in plain_rates.iter().zip(&scaled_rates) {
            prop_assert!(near(*scaled, plain * by) || plain.is_nan() && scaled.is_nan(), "{plain} {scaled}");
        }
        let floor = |judgement: &RunJudgement| judgement.capacity.map(|capacity| capacity.at_least);
        prop_assert_eq!((plain.extend, floor(&plain)), (scaled.extend, floor(&scaled)));
    }

    #[test]
    fn a_clean_step_between_two_judged_clean_ones_of_any_ramp_changes_nothing(rows in ragged(), along in 0.1..0.9_f64) {
        let (found, before) = judged(rows.clone());
        let clean = |at: usize| found[at].verdict == Some(Verdict::Clean);
        for at in (1..rows.len()).filter(|at| clean(at - 1) && clean(*at)) {
            let (low, high) = (&rows[at - 1], &rows[at]);
            let offered = low.offered + (high.offered - low.offered) * along;
            // Without a cost of its own: by chance it could be that of a sampler that stands still.
            let between = Row {
                offered,
                delivered: Some(offered),
                knee_per_second: Some(0.0),
                cpu_nanos_per_request: None,
                ..low.clone()
            };
            let mut more = rows.clone();
            more.insert(at, between);
            let (mut more, after) = judged(more);
            prop_assert_eq!(more.remove(at).verdict, Some(Verdict::Clean));
            prop_assert_eq!(verdicts(&more), verdicts(&found));
            prop_assert_eq!(&after, &before);
        }
    }

    #[test]
    fn a_clean_step_between_two_judged_clean_ones_changes_nothing(server in server()) {
        let rows = server.rows(1.0);
        let (_, before) = judged(rows.clone());
        // Index 0 is the warm-up and 1 the first step.
        for at in 3..=server.below as usize {
            let mut more = rows.clone();
            let offered = f64::midpoint(rows[at - 1].offered, rows[at].offered);
            let p50_micros = rows[at - 1].p50_micros;
            more.insert(at, Row { offered, delivered: Some(offered), p50_micros, ..rows[at].clone() });
            let (more, after) = judged(more);
            prop_assert_eq!(more[at].verdict, Some(Verdict::Clean));
            prop_assert_eq!(&after, &before);
        }
    }

    #[test]
    fn without_its_saturated_steps_a_plateau_is_at_least(server in server()) {
        let rows = server.rows(1.0);
        let (_, whole) = judged(rows.clone());
        prop_assert!(!whole.capacity.unwrap().at_least && !whole.extend);
        for cut in 0..3 {
            let kept = rows[..=(server.below + cut) as usize].to_vec();
            let (_, short) = judged(kept);
            prop_assert!(short.plateau.is_none() && short.extend);
            // The first two rows are the warm-up and the first step.
            let best = rows[2..=(server.below + cut) as usize].iter().filter_map(|row| row.delivered).fold(0.0, f64::max);
            let capacity = short.capacity.unwrap();
            prop_assert!(capacity.at_least);
            prop_assert_eq!(capacity.per_second, best);
        }
    }

    #[test]
    fn a_table_and_its_copy_in_another_format_give_the_same(server in server()) {
        let rows: Vec<Row> = server.rows(1.0).into_iter().map(|row| Row {
            offered: row.offered.round(),
            delivered: row.delivered.map(|delivered| (delivered * 10.0).round() / 10.0),
            knee_per_second: row.knee_per_second.map(|knee| (knee * 10.0).round() / 10.0),
            ..row
        }).collect();
        let (_, expected) = judged(rows.clone());
        let json = serde_json::to_string(&rows).unwrap();
        for text in [csv(&rows), markdown(&rows), json] {
            let table = Reading::of(&text).tables.remove(0);
            prop_assert_eq!(&judged(table.rows).1, &expected, "{}", text);
        }
    }

    #[test]
    fn a_table_of_any_ramp_and_its_copy_in_another_format_give_the_same(rows in ragged()) {
        let (expected_rows, expected) = judged(rows.clone());
        let json = serde_json::to_string(&rows).unwrap();
        let tabs = csv(&rows).replace(',', "\t");
        for text in [csv(&rows), tabs, markdown(&rows), json] {
            let reading = Reading::of(&text);
            prop_assert_eq!(reading.tables.len(), 1);
            let (read_rows, read) = judged(reading.tables[0].rows.clone());
            prop_assert_eq!(&read, &expected, "{}", text);
            prop_assert_eq!(verdicts(&read_rows), verdicts(&expected_rows));
            let cpu = |rows: &[Row]| rows.iter().map(|row| row.cpu_nanos_per_request).collect::<Vec<_>>();
            prop_assert_eq!(cpu(&read_rows), cpu(&expected_rows), "{}", text);
        }
    }

    #[test]
    fn whatever_the_rows_the_judge_answers_and_every_step_has_a_verdict(rows in proptest::collection::vec(any_row(), 0..12)) {
        let (rows, judgement) = judged(rows);
        for row in &rows {
            prop_assert_eq!(row.verdict.is_some(), !row.warmup);
            prop_assert_eq!(row.evidence.is_empty(), row.warmup);
        }
        if let Some(knee) = judgement.knee {
            prop_assert!(knee.last < knee.first_broken);
        }
        if let Some(plateau) = judgement.plateau {
            prop_assert!(plateau.low <= plateau.median && plateau.median <= plateau.high);
        }
        let counts = rows.iter().any(|row| row.verdict.is_some_and(|verdict| verdict.worth() == Worth::Judged));
        prop_assert!(counts || judgement.knee.is_none() && judgement.plateau.is_none());
    }

    #[test]
    fn judging_twice_changes_nothing(server in server()) {
        let (rows, once) = judged(server.rows(1.0));
        let (again, twice) = judged(rows.clone());
        prop_assert_eq!(rows, again);
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn text_of_any_kind_is_read_or_refused(text in "[0-9a-z|,;\t\n (){}\\[\\]\":./%-]{0,200}") {
        let reading = Reading::of(&text);
        for table in reading.tables {
            prop_assert!(!table.rows.is_empty());
        }
    }

    #[test]
    fn a_limited_step_is_a_floor_and_never_a_plateau(server in server()) {
        let rows = server.rows(1.0);
        let limited = Signals { foreign_milli: Some(900.0), ..Signals::default() };
        let signals: Vec<Signals> = rows.iter().map(|_| limited.clone()).collect();
        let (rows, judgement) = judge_run(rows, &signals, &JudgeBounds::default());
        prop_assert!(rows.iter().filter(|row| !row.warmup).all(|row| row.verdict == Some(Verdict::Contaminated)));
        prop_assert_eq!((judgement.knee, judgement.plateau), (None, None));
        prop_assert!(judgement.capacity.unwrap().at_least);
    }
}
