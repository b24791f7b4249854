//! What voids a step: it cannot be judged, or its numbers cannot be true.

use std::collections::BTreeSet;

use soak_crds::spec::JudgeBounds;

use super::Evidence;
use super::evidence::{cpus, grouped, millis, per_second, percent};
use crate::table::{AtLeast, Check, Row, Signals};

/// Delivered over offered beyond this cannot be chance: offered in tables from outside is the nominal rate, from which
/// a Poisson schedule strays by 1/√N.
const MOST_DELIVERED: f64 = 1.05;
/// CPU time of two steps is "the same" within this share.
const STUCK: f64 = 0.001;

/// Every reason to void this step; empty where there is none.
pub(super) fn reasons(row: &Row, signals: Option<&Signals>) -> Vec<Evidence> {
    let mut found = impossible(row);
    if let Some(signals) = signals {
        found.extend(broken(signals));
    }
    found
}

fn broken(signals: &Signals) -> Vec<Evidence> {
    let checks = [
        ("endpoint", &signals.endpoint),
        ("processes", &signals.processes),
        ("levers", &signals.levers),
        ("digest", &signals.digest),
        ("connections", &signals.connections),
        ("accounting", &signals.accounting),
        ("workers", &signals.workers),
        ("counters", &signals.counters),
    ];
    let words = |(measure, check): (&str, &Option<Check>)| match check {
        Some(Check::Broken(words)) => Some(Evidence::fact(measure, words.clone())),
        Some(Check::Holds) | None => None,
    };
    checks.into_iter().filter_map(words).collect()
}

fn impossible(row: &Row) -> Vec<Evidence> {
    [offered(row), delivered(row), answered(row), counts(row), never_sent(row), cpu(row)]
        .into_iter()
        .flatten()
        .chain(percentiles(row))
        .collect()
}

fn offered(row: &Row) -> Option<Evidence> {
    let possible = row.offered.is_finite() && row.offered > 0.0;
    (!possible).then(|| Evidence::held("offered", per_second(row.offered), "> 0"))
}

fn delivered(row: &Row) -> Option<Evidence> {
    let Some(delivered) = row.delivered else {
        return Some(Evidence::fact("delivered", "n/a"));
    };
    let most = row.offered * most_delivered(row);
    let possible = (0.0..=most).contains(&delivered) || row.offered <= 0.0;
    (!possible).then(|| Evidence::held("delivered", per_second(delivered), format!("0 to {}", per_second(row.offered))))
}

/// Where calls were counted, what was due is known to the call; the slack is that of rounding.
fn most_delivered(row: &Row) -> f64 {
    if row.scheduled.is_some() { 1.0 + 1e-5 } else { MOST_DELIVERED }
}

fn answered(row: &Row) -> Option<Evidence> {
    let answered = row.answered_permille.filter(|permille| !(0.0..=1000.0).contains(permille))?;
    Some(Evidence::held("answered", percent(answered / 1000.0), "0 to 100 %"))
}

/// Counts of calls, where the table has them.
fn counts(row: &Row) -> Option<Evidence> {
    let (scheduled, ok) = row.scheduled.zip(row.ok)?;
    let ended = row.errors.values().fold(ok, |sum, count| sum.saturating_add(*count));
    let all =
        row.never_sent.zip(row.in_flight).map(|(never, flight)| ended.saturating_add(never).saturating_add(flight));
    let wrong = all.map_or(ended > scheduled, |all| all != scheduled);
    let value = format!("{} calls", grouped(all.unwrap_or(ended) as f64, 0));
    wrong.then(|| Evidence::held("accounting", value, format!("{} due", grouped(scheduled as f64, 0))))
}

fn never_sent(row: &Row) -> Option<Evidence> {
    let knee = row.knee_per_second.filter(|knee| *knee < 0.0 || *knee > row.offered * most_delivered(row))?;
    Some(Evidence::held("never sent", per_second(knee), format!("0 to {}", per_second(row.offered))))
}

fn cpu(row: &Row) -> Option<Evidence> {
    let cpu = row.cpu_nanos_per_request.filter(|nanos| *nanos < 0.0)?;
    Some(Evidence::held("CPU per request", millis(cpu / 1000.0), "≥ 0"))
}

/// Percentiles must rise. A percentile that is a lower bound says nothing against a higher one.
fn percentiles(row: &Row) -> Vec<Evidence> {
    let known = [
        ("p50", row.p50_micros, AtLeast::P50),
        ("p99", row.p99_micros, AtLeast::P99),
        ("p999", row.p999_micros, AtLeast::P999),
    ];
    let known: Vec<_> = known.into_iter().filter_map(|(name, value, mark)| Some((name, value?, mark))).collect();
    let negative = known.iter().filter(|(_, value, _)| *value < 0.0);
    let mut found: Vec<_> = negative.map(|(name, value, _)| Evidence::held(name, millis(*value), "≥ 0")).collect();
    for pair in known.windows(2) {
        let [(low_name, low, _), (high_name, high, mark)] = pair else { continue };
        if low > high && !row.at_least.contains(mark) {
            found.push(Evidence::held(low_name, millis(*low), format!("≤ {high_name} {}", millis(*high))));
        }
    }
    found
}

/// Steps whose CPU time did not move while delivered at least doubled: the sampler stands still. By index. A server that
/// is at its limit uses the same CPU time whatever it delivers: its steps are left out.
pub(super) fn stuck_cpu(rows: &[Row], signals: &[Signals], bounds: &JudgeBounds) -> BTreeSet<usize> {
    let below_limit = rows.iter().enumerate().filter(|(at, row)| !is_at_limit(row, signals.get(*at), bounds));
    let used: Vec<_> = below_limit.filter_map(|(at, row)| Some((at, cpu_milli(row)?, row.delivered?))).collect();
    let mut stuck = BTreeSet::new();
    for (at, cpu, delivered) in &used {
        for (other_at, other_cpu, other_delivered) in &used {
            let doubled = *delivered > 0.0 && *other_delivered >= 2.0 * delivered;
            if doubled && (cpu - other_cpu).abs() <= STUCK * cpu {
                stuck.extend([*at, *other_at]);
            }
        }
    }
    stuck
}

/// It was throttled by its quota, or used what counts as all that it may.
fn is_at_limit(row: &Row, signals: Option<&Signals>, bounds: &JudgeBounds) -> bool {
    let most = f64::from(bounds.quota_used_percent) * 10.0;
    let used = signals.and_then(|signals| signals.quota).is_some_and(|quota| quota.used_permille >= most);
    used || row.throttled_micros.is_some_and(|micros| micros > 0)
}

/// The evidence of [`stuck_cpu`].
pub(super) fn stuck_cpu_words(row: &Row) -> Evidence {
    let used = cpu_milli(row).map_or_else(|| "n/a".to_owned(), cpus);
    Evidence::fact("CPU time", format!("{used}, the same in another step while delivered at least doubled"))
}

/// CPU used by the arm, thousandths of a CPU: as read, else worked out from the cost per request.
fn cpu_milli(row: &Row) -> Option<f64> {
    let worked_out = row.cpu_nanos_per_request.zip(row.delivered).map(|(cpu, delivered)| cpu * delivered / 1e6);
    row.cores_milli.or(worked_out)
}

/// Nothing was answered in any step of the run: there was no endpoint.
pub(super) fn never_answered(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.delivered.is_some()) && rows.iter().all(|row| row.delivered.is_none_or(|d| d <= 0.0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use soak_crds::spec::JudgeBounds;
    use soak_sample::ErrorKind;

    use super::{never_answered, reasons};
    use crate::table::{AtLeast, Check, QuotaUse, Row, Signals};

    fn stuck_cpu(rows: &[Row], signals: &[Signals]) -> BTreeSet<usize> {
        super::stuck_cpu(rows, signals, &JudgeBounds::default())
    }

    fn sound() -> Row {
        Row {
            offered: 1000.0,
            delivered: Some(1000.0),
            p50_micros: Some(1000.0),
            p99_micros: Some(2000.0),
            p999_micros: Some(3000.0),
            knee_per_second: Some(0.0),
            ..Row::default()
        }
    }

    #[test]
    fn impossible_values_void_a_step_and_are_named() {
        let check = |row: Row, expected: &[&str]| {
            let found: Vec<_> = reasons(&row, None).into_iter().map(|evidence| evidence.measure).collect();
            assert_eq!(found, expected, "{row:?}");
        };
        check(sound(), &[]);
        check(Row { delivered: Some(1051.0), ..sound() }, &["delivered"]);
        check(Row { delivered: Some(1050.0), ..sound() }, &[]);
        let counted = |delivered| Row { delivered: Some(delivered), scheduled: Some(10_000), ..sound() };
        check(counted(1000.005), &[]);
        check(counted(1000.1), &["delivered"]);
        check(Row { knee_per_second: Some(1000.1), ..counted(1000.0) }, &["never sent"]);
        check(Row { delivered: Some(0.0), ..sound() }, &[]);
        check(Row { delivered: Some(-1.0), ..sound() }, &["delivered"]);
        check(Row { delivered: None, ..sound() }, &["delivered"]);
        check(Row { offered: 0.0, ..sound() }, &["offered"]);
        check(Row { answered_permille: Some(1000.0), ..sound() }, &[]);
        check(Row { answered_permille: Some(1000.1), ..sound() }, &["answered"]);
        check(Row { answered_permille: Some(-0.1), ..sound() }, &["answered"]);
        check(Row { knee_per_second: Some(-0.1), ..sound() }, &["never sent"]);
        check(Row { knee_per_second: Some(1050.0), ..sound() }, &[]);
        check(Row { knee_per_second: Some(1050.1), ..sound() }, &["never sent"]);
        check(Row { cpu_nanos_per_request: Some(-1.0), ..sound() }, &["CPU per request"]);
        check(Row { cpu_nanos_per_request: Some(0.0), ..sound() }, &[]);
        check(Row { p50_micros: Some(2000.0), ..sound() }, &[]);
        check(Row { p50_micros: Some(2001.0), ..sound() }, &["p50"]);
        check(Row { p99_micros: Some(3001.0), ..sound() }, &["p99"]);
        check(Row { p99_micros: None, p50_micros: Some(3001.0), ..sound() }, &["p50"]);
        check(Row { p50_micros: Some(-1.0), ..sound() }, &["p50"]);
        check(Row { p50_micros: Some(0.0), ..sound() }, &[]);
    }

    #[test]
    fn what_cannot_be_true_is_told_beside_what_can() {
        let check = |row: Row, value: &str, bound: &str| {
            let found = reasons(&row, None).remove(0);
            assert_eq!((found.value.as_str(), found.bound.as_deref()), (value, Some(bound)));
        };
        check(Row { answered_permille: Some(1000.5), ..sound() }, "100.05 %", "0 to 100 %");
        check(Row { delivered: Some(2000.0), ..sound() }, "2,000/s", "0 to 1,000/s");
        check(Row { knee_per_second: Some(-1.0), ..sound() }, "-1/s", "0 to 1,000/s");
        check(Row { p50_micros: Some(2500.0), ..sound() }, "2.5 ms", "≤ p99 2 ms");
        check(Row { p50_micros: Some(-1000.0), ..sound() }, "-1 ms", "≥ 0");
        check(Row { scheduled: Some(100), ok: Some(1200), ..sound() }, "1,200 calls", "100 due");
        check(Row { cpu_nanos_per_request: Some(-2e6), ..sound() }, "-2 ms", "≥ 0");
        check(Row { offered: f64::INFINITY, ..sound() }, "inf/s", "> 0");
    }

    #[test]
    fn a_percentile_that_is_a_lower_bound_contradicts_nothing() {
        let row = Row { p99_micros: Some(900.0), at_least: vec![AtLeast::P99], ..sound() };
        assert_eq!(reasons(&row, None), []);
    }

    #[test]
    fn counts_must_add_up_to_what_was_due() {
        let check = |ok, failed, never_sent, in_flight, voids: bool| {
            let row = Row {
                scheduled: Some(100),
                ok: Some(ok),
                errors: [(ErrorKind::TimeOut, failed)].into(),
                never_sent,
                in_flight,
                ..sound()
            };
            assert_eq!(!reasons(&row, None).is_empty(), voids, "{row:?}");
        };
        check(90, 5, Some(3), Some(2), false);
        check(90, 5, Some(3), Some(1), true);
        check(101, 0, None, None, true);
        check(90, 0, None, None, false);
        check(100, 0, None, None, false);
        check(u64::MAX, u64::MAX, Some(1), Some(1), true);
    }

    #[test]
    fn every_broken_check_voids_and_unobserved_ones_do_not() {
        assert_eq!(reasons(&sound(), Some(&Signals::default())), []);
        let broken = Some(Check::Broken("seen".to_owned()));
        let all = Signals {
            endpoint: broken.clone(),
            processes: broken.clone(),
            levers: broken.clone(),
            digest: broken.clone(),
            connections: broken.clone(),
            accounting: broken.clone(),
            workers: broken.clone(),
            counters: broken,
            ..Signals::default()
        };
        assert_eq!(reasons(&sound(), Some(&all)).len(), 8);
    }

    #[test]
    fn a_sampler_that_stands_still_is_found_out() {
        let row = |delivered, cores| Row { delivered: Some(delivered), cores_milli: Some(cores), ..sound() };
        let check = |rows: &[Row], expected: &[usize]| {
            assert_eq!(stuck_cpu(rows, &[]).into_iter().collect::<Vec<_>>(), expected);
        };
        check(&[row(100.0, 400.0), row(200.0, 400.0), row(300.0, 500.0)], &[0, 1]);
        check(&[row(100.0, 400.0), row(199.0, 400.0)], &[]);
        check(&[row(100.0, 400.0), row(200.0, 400.4)], &[0, 1]);
        check(&[row(100.0, 400.0), row(200.0, 400.41)], &[]);
        check(&[row(100.0, 400.0), row(200.0, 399.6)], &[0, 1]);
        check(&[row(100.0, 400.0), row(200.0, 399.59)], &[]);
        check(&[row(200.0, 400.0), row(100.0, 400.0)], &[0, 1]);
        check(&[row(100.0, 0.0), row(200.0, 0.0)], &[0, 1]);
        check(&[row(0.0, 0.0), row(200.0, 0.0)], &[]);
    }

    #[test]
    fn a_server_at_its_limit_uses_the_same_cpu_time_whatever_it_delivers() {
        let row = |delivered, throttled| Row {
            delivered: Some(delivered),
            cores_milli: Some(200.0),
            throttled_micros: Some(throttled),
            ..sound()
        };
        assert_eq!(stuck_cpu(&[row(100.0, 1), row(200.0, 900)], &[]).len(), 0);
        assert_eq!(stuck_cpu(&[row(100.0, 0), row(200.0, 0)], &[]).len(), 2);
        let quota = |used_permille| QuotaUse { used_permille, throttled_permille: None };
        let signals = |used| Signals { quota: Some(quota(used)), ..Signals::default() };
        assert_eq!(stuck_cpu(&[row(100.0, 0), row(200.0, 0)], &[signals(950.0), signals(999.0)]).len(), 0);
        assert_eq!(stuck_cpu(&[row(100.0, 0), row(200.0, 0)], &[signals(949.0), signals(949.0)]).len(), 2);
    }

    #[test]
    fn cost_per_request_stands_in_for_cpu_time() {
        let row = |delivered, cost| Row { delivered: Some(delivered), cpu_nanos_per_request: Some(cost), ..sound() };
        assert_eq!(stuck_cpu(&[row(100.0, 4e6), row(400.0, 1e6)], &[]).len(), 2);
        assert_eq!(stuck_cpu(&[row(100.0, 4e6), row(400.0, 2e6)], &[]).len(), 0);
    }

    #[test]
    fn cpu_time_that_stands_still_is_told_in_cpus() {
        let told = |row: &Row| super::stuck_cpu_words(row).value;
        let same = "the same in another step while delivered at least doubled";
        let cost = Row { delivered: Some(400.0), cpu_nanos_per_request: Some(1e6), ..sound() };
        assert_eq!(told(&cost), format!("0.4 CPU, {same}"));
        assert_eq!(told(&Row { cores_milli: Some(250.0), ..cost }), format!("0.25 CPU, {same}"));
        assert_eq!(told(&sound()), format!("n/a, {same}"));
    }

    #[test]
    fn a_run_that_was_never_answered_had_no_endpoint() {
        let row = |delivered| Row { delivered, ..sound() };
        assert!(never_answered(&[row(Some(0.0)), row(None)]));
        assert!(!never_answered(&[row(Some(0.0)), row(Some(1.0))]));
        assert!(!never_answered(&[row(None)]));
    }
}
