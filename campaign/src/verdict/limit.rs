//! What makes a step's number a floor: something else ran, the driver fell behind, the host had no room, or the
//! client's slots were all busy. Knows signals and bounds; what was not observed limits nothing and is said.

use soak_crds::spec::JudgeBounds;

use super::Evidence;
use super::evidence::{cpus, millis, percent, trimmed};
use crate::table::{Check, QuotaUse, Row, Signals};

/// Something else ran.
pub(super) fn contaminated(signals: &Signals, bounds: &JudgeBounds) -> Vec<Evidence> {
    let over = |value: Option<f64>, most: i32| value.filter(|value| *value > f64::from(most));
    let mut found = Vec::new();
    if let Some(Check::Broken(words)) = &signals.company {
        found.push(Evidence::fact("beside it", words.clone()));
    }
    if let Some(foreign) = over(signals.foreign_milli, bounds.foreign_milli_cpu) {
        found.push(Evidence::held("foreign CPU", cpus(foreign), most_cpus(bounds.foreign_milli_cpu)));
    }
    if let Some(steal) = over(signals.steal_milli, bounds.steal_milli_cpu) {
        found.push(Evidence::held("stolen CPU", cpus(steal), most_cpus(bounds.steal_milli_cpu)));
    }
    if let Some(gap) = signals.sampling_gap_millis.filter(|gap| *gap > bounds.sampling_gap_millis) {
        found.push(Evidence::held("sampling gap", format!("{gap} ms"), format!("≤ {} ms", bounds.sampling_gap_millis)));
    }
    found
}

fn most_cpus(milli: i32) -> String {
    format!("≤ {}", cpus(f64::from(milli)))
}

/// The driver's sends fell behind their schedule. Its throttling is evidence, its usage is not.
pub(super) fn client_limited(row: &Row, signals: &Signals, bounds: &JudgeBounds) -> Vec<Evidence> {
    let most = bounds.send_error_micros as f64;
    let Some(late) = row.send_error_micros.map(|error| error.p99).filter(|p99| *p99 > most) else {
        return Vec::new();
    };
    let mut found = vec![Evidence::held("send error p99", millis(late), format!("≤ {}", millis(most)))];
    if let Some(throttled) = signals.driver_throttled_permille.filter(|permille| *permille > 0.0) {
        found.push(Evidence::fact("driver throttled", format!("{} of periods", percent(throttled / 1000.0))));
    }
    found
}

/// The CPUs that the arm may use had no room while it was not at its quota.
pub(super) fn host_limited(signals: &Signals, bounds: &JudgeBounds) -> Vec<Evidence> {
    let Some(quota) = signals.quota.filter(|quota| !is_at_quota(*quota, bounds)) else {
        return Vec::new();
    };
    let mut found = no_room(signals, bounds);
    if !found.is_empty() {
        found.push(quota_use(quota, bounds));
    }
    found
}

fn no_room(signals: &Signals, bounds: &JudgeBounds) -> Vec<Evidence> {
    let mut found = Vec::new();
    let least = f64::from(bounds.host_idle_percent) / 100.0;
    if let Some(idle) = signals.host_idle_permille.map(|permille| permille / 1000.0).filter(|idle| *idle < least) {
        found.push(Evidence::held("idle on the arm's CPUs", percent(idle), format!("≥ {}", percent(least))));
    }
    let most = f64::from(bounds.host_wait_percent) / 100.0;
    if let Some(wait) = signals.host_wait_permille.map(|permille| permille / 1000.0).filter(|wait| *wait > most) {
        found.push(Evidence::held("arm waited for a CPU", percent(wait), format!("≤ {}", percent(most))));
    }
    found
}

/// Calls were never sent because the client's slots were busy, while arm and host had room and latency was low.
pub(super) fn shape_limited(
    row: &Row,
    signals: &Signals,
    lowest_p50: Option<f64>,
    bounds: &JudgeBounds,
) -> Vec<Evidence> {
    let at_quota = signals.quota.is_some_and(|quota| is_at_quota(quota, bounds));
    if at_quota || !no_room(signals, bounds).is_empty() {
        return Vec::new();
    }
    full_slots(row, signals, bounds)
        .zip(low_latency(row, lowest_p50, bounds))
        .map(|([never_sent, busy], latency)| vec![never_sent, busy, latency])
        .unwrap_or_default()
}

fn full_slots(row: &Row, signals: &Signals, bounds: &JudgeBounds) -> Option<[Evidence; 2]> {
    let most = f64::from(bounds.knee_never_sent_per_ten_thousand) / 10_000.0;
    let least = f64::from(bounds.slots_busy_percent) / 100.0;
    let never_sent = row.knee_per_second.map(|knee| knee / row.offered).filter(|share| *share >= most)?;
    let busy = signals.slots_busy_permille.map(|permille| permille / 1000.0).filter(|busy| *busy >= least)?;
    Some([
        Evidence::held("never sent", percent(never_sent), format!("< {}", percent(most))),
        Evidence::held("slots busy", percent(busy), format!("< {}", percent(least))),
    ])
}

fn low_latency(row: &Row, lowest_p50: Option<f64>, bounds: &JudgeBounds) -> Option<Evidence> {
    let most = f64::from(bounds.shape_p50_factor);
    let lowest = lowest_p50.filter(|lowest| *lowest > 0.0)?;
    let factor = service_p50(row).map(|p50| p50 / lowest).filter(|factor| *factor < most)?;
    Some(Evidence::held("p50 from the send", format!("{} × the lowest", trimmed(factor, 1)), format!("< {most} ×")))
}

/// What an answered call took once it was sent: the client's own queue is not in it. Microseconds.
pub(super) fn service_p50(row: &Row) -> Option<f64> {
    let sent = row.service.or(row.ok_only);
    sent.and_then(|percentiles| percentiles.p50).or(row.p50_micros)
}

fn is_at_quota(quota: QuotaUse, bounds: &JudgeBounds) -> bool {
    quota.used_permille >= f64::from(bounds.quota_used_percent) * 10.0
        || quota.throttled_permille.is_some_and(|throttled| throttled > 500.0)
}

fn quota_use(quota: QuotaUse, bounds: &JudgeBounds) -> Evidence {
    let value = format!("{} of its quota", percent(quota.used_permille / 1000.0));
    Evidence::held("arm used", value, format!("< {} %", bounds.quota_used_percent))
}

/// The measures of this module that were not observed.
pub(super) fn unknown(row: &Row, signals: &Signals) -> Vec<Evidence> {
    let observed = [
        ("foreign CPU", signals.foreign_milli.is_some()),
        ("stolen CPU", signals.steal_milli.is_some()),
        ("send error", row.send_error_micros.is_some()),
        ("idle on the arm's CPUs", signals.host_idle_permille.is_some()),
        ("arm waited for a CPU", signals.host_wait_permille.is_some()),
        ("arm's quota", signals.quota.is_some()),
    ];
    observed.into_iter().filter(|(_, seen)| !seen).map(|(measure, _)| Evidence::unknown(measure)).collect()
}

#[cfg(test)]
mod tests {
    use soak_crds::spec::JudgeBounds;

    use super::{client_limited, contaminated, host_limited, shape_limited, unknown};
    use crate::table::{Check, Percentiles, QuotaUse, Row, SendError, Signals};
    use crate::verdict::Evidence;

    fn measures(evidence: &[Evidence]) -> Vec<&str> {
        evidence.iter().map(|evidence| evidence.measure.as_str()).collect()
    }

    fn quota(used_permille: f64, throttled: f64) -> QuotaUse {
        QuotaUse { used_permille, throttled_permille: Some(throttled) }
    }

    #[test]
    fn what_else_ran_contaminates_beyond_its_bound() {
        let check = |signals: Signals, expected: &[&str]| {
            assert_eq!(measures(&contaminated(&signals, &JudgeBounds::default())), expected, "{signals:?}");
        };
        check(Signals::default(), &[]);
        check(Signals { foreign_milli: Some(150.0), ..Signals::default() }, &[]);
        check(Signals { foreign_milli: Some(150.1), ..Signals::default() }, &["foreign CPU"]);
        check(Signals { steal_milli: Some(200.1), ..Signals::default() }, &["stolen CPU"]);
        check(Signals { sampling_gap_millis: Some(2500), ..Signals::default() }, &[]);
        check(Signals { sampling_gap_millis: Some(2501), ..Signals::default() }, &["sampling gap"]);
        let company = Some(Check::Broken("campaign other".to_owned()));
        check(Signals { company, ..Signals::default() }, &["beside it"]);
        check(Signals { company: Some(Check::Holds), ..Signals::default() }, &[]);
    }

    #[test]
    fn what_contaminates_is_told_beside_its_bound() {
        let signals = Signals {
            foreign_milli: Some(420.0),
            steal_milli: Some(300.0),
            sampling_gap_millis: Some(3000),
            ..Signals::default()
        };
        let told: Vec<_> = contaminated(&signals, &JudgeBounds::default())
            .into_iter()
            .map(|evidence| (evidence.value, evidence.bound.unwrap()))
            .collect();
        let expected = [("0.42 CPU", "≤ 0.15 CPU"), ("0.3 CPU", "≤ 0.2 CPU"), ("3000 ms", "≤ 2500 ms")];
        assert_eq!(told, expected.map(|(value, bound)| (value.to_owned(), bound.to_owned())));
    }

    #[test]
    fn a_late_driver_limits_and_its_throttling_is_evidence() {
        let check = |p99, throttled, expected: &[&str]| {
            let row = Row { send_error_micros: Some(SendError { p50: 1.0, p99, max: 9e9 }), ..Row::default() };
            let signals = Signals { driver_throttled_permille: throttled, ..Signals::default() };
            assert_eq!(measures(&client_limited(&row, &signals, &JudgeBounds::default())), expected);
        };
        check(1000.0, Some(900.0), &[]);
        check(1000.1, None, &["send error p99"]);
        check(1000.1, Some(0.0), &["send error p99"]);
        check(1000.1, Some(700.0), &["send error p99", "driver throttled"]);
    }

    #[test]
    fn a_full_host_limits_only_an_arm_below_its_quota() {
        let check = |idle, wait, quota, expected: &[&str]| {
            let signals = Signals { host_idle_permille: idle, host_wait_permille: wait, quota, ..Signals::default() };
            assert_eq!(measures(&host_limited(&signals, &JudgeBounds::default())), expected, "{signals:?}");
        };
        check(Some(19.9), Some(0.0), Some(quota(600.0, 0.0)), &["idle on the arm's CPUs", "arm used"]);
        check(Some(20.0), Some(100.0), Some(quota(600.0, 0.0)), &[]);
        check(Some(500.0), Some(100.1), Some(quota(600.0, 0.0)), &["arm waited for a CPU", "arm used"]);
        check(Some(0.0), Some(900.0), Some(quota(950.0, 0.0)), &[]);
        check(Some(0.0), Some(900.0), Some(quota(600.0, 500.1)), &[]);
        check(Some(0.0), None, Some(quota(600.0, 500.0)), &["idle on the arm's CPUs", "arm used"]);
        check(Some(0.0), Some(900.0), None, &[]);
    }

    #[test]
    fn a_full_shape_limits_while_all_else_has_room() {
        let full = Signals { slots_busy_permille: Some(990.0), quota: Some(quota(100.0, 0.0)), ..Signals::default() };
        let starved = Row {
            offered: 600.0,
            knee_per_second: Some(88.0),
            service: Some(Percentiles { p50: Some(500_000.0), ..Percentiles::default() }),
            p50_micros: Some(9e9),
            ..Row::default()
        };
        let check = |row: &Row, signals: &Signals, lowest, limits: bool| {
            let found = shape_limited(row, signals, lowest, &JudgeBounds::default());
            assert_eq!(!found.is_empty(), limits, "{row:?} {signals:?}");
        };
        check(&starved, &full, Some(500_000.0), true);
        check(&starved, &full, Some(250_000.1), true);
        check(&starved, &full, Some(250_000.0), false);
        check(&starved, &full, None, false);
        check(&Row { knee_per_second: Some(3.0), ..starved.clone() }, &full, Some(500_000.0), true);
        check(&Row { knee_per_second: Some(2.9), ..starved.clone() }, &full, Some(500_000.0), false);
        check(&starved, &Signals { slots_busy_permille: Some(900.0), ..full.clone() }, Some(500_000.0), true);
        check(&starved, &Signals { slots_busy_permille: Some(899.0), ..full.clone() }, Some(500_000.0), false);
        check(&starved, &Signals { slots_busy_permille: None, ..full.clone() }, Some(500_000.0), false);
        check(&starved, &Signals { quota: Some(quota(960.0, 0.0)), ..full.clone() }, Some(500_000.0), false);
        check(&starved, &Signals { quota: None, ..full.clone() }, Some(500_000.0), true);
        check(&starved, &Signals { host_idle_permille: Some(1.0), ..full.clone() }, Some(500_000.0), false);
    }

    #[test]
    fn what_was_not_observed_is_said_to_be_unknown() {
        let all = unknown(&Row::default(), &Signals::default());
        assert_eq!(all.len(), 6);
        assert!(all.iter().all(|evidence| evidence.value == "unknown" && evidence.bound.is_none()));
        let seen = Signals { foreign_milli: Some(0.0), ..Signals::default() };
        assert!(!measures(&unknown(&Row::default(), &seen)).contains(&"foreign CPU"));
    }
}
