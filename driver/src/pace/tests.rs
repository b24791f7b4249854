use proptest::prelude::*;
use soak_sample::{Arrivals, ArrivalsKind, Share};

use super::{PaceError, Schedule, sender};

const ALONE: Share = Share { index: 0, of: 1 };
const EVEN: Arrivals = Arrivals { kind: ArrivalsKind::Uniform, seed: 0 };

fn poisson(seed: u64) -> Arrivals {
    Arrivals { kind: ArrivalsKind::Poisson, seed }
}

fn schedule(rate: f64, arrivals: Arrivals, share: Share) -> Schedule {
    Schedule::new(rate, arrivals, share).unwrap()
}

#[test]
fn even_calls_are_due_at_exact_times() {
    let check = |rate: f64, expected: &[u64]| {
        let due: Vec<u64> = schedule(rate, EVEN, ALONE).until(u64::MAX).take(expected.len()).collect();
        assert_eq!(due, expected, "at {rate}/s");
    };
    check(1000.0, &[0, 1_000_000, 2_000_000, 3_000_000]);
    check(3.0, &[0, 333_333_333, 666_666_666, 1_000_000_000, 1_333_333_333]);
    check(0.5, &[0, 2_000_000_000, 4_000_000_000]);
    check(1e9, &[0, 1, 2, 3]);
}

#[test]
fn even_calls_do_not_drift_over_ten_million_calls() {
    let rates: [(f64, u128); 4] =
        [(3.0, 3_000_000), (7_777.0, 7_777_000_000), (123_456.789, 123_456_789_000), (999_983.0, 999_983_000_000)];
    for (rate, micro_rate) in rates {
        let mut calls = schedule(rate, EVEN, ALONE);
        for _ in 0..10_000_000 {
            calls.advance();
        }
        let exact = 10_000_000_u128 * 1_000_000_000_000_000 / micro_rate;
        assert_eq!(u128::from(calls.due()), exact, "at {rate}/s");
    }
}

#[test]
fn a_step_holds_the_calls_due_before_its_end() {
    let count = |rate: f64, end: u64| schedule(rate, EVEN, ALONE).until(end).count();
    assert_eq!(count(1000.0, 1_000_000_000), 1000);
    assert_eq!(count(1000.0, 1_000_000_001), 1001);
    assert_eq!(count(3.0, 999_999_999), 3);
}

#[test]
fn a_wrong_rate_or_share_is_refused() {
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 2e9] {
        assert!(matches!(Schedule::new(rate, EVEN, ALONE), Err(PaceError::Rate(_))), "{rate}");
    }
    assert!(Schedule::new(1.0, EVEN, Share { index: 2, of: 2 }).is_err());
}

#[test]
fn the_same_seed_gives_the_same_arrivals_and_another_seed_others() {
    let first = |seed| schedule(1000.0, poisson(seed), ALONE).until(1_000_000_000).collect::<Vec<_>>();
    assert_eq!(first(7), first(7));
    assert_ne!(first(7), first(8));
}

/// Anderson-Darling against an exponential law of known mean; 2.492 is the 5 % bound, 3.857 the 1 % one.
fn anderson_darling(gaps: &mut [f64], mean: f64) -> f64 {
    gaps.sort_by(f64::total_cmp);
    let n = gaps.len();
    let law = |gap: f64| (1.0 - (-gap / mean).exp()).clamp(1e-15, 1.0 - 1e-15);
    let sum: f64 = (0..n).map(|i| (2 * i + 1) as f64 * (law(gaps[i]).ln() + (1.0 - law(gaps[n - 1 - i])).ln())).sum();
    -(n as f64) - sum / n as f64
}

#[test]
fn poisson_gaps_fit_an_exponential_law_and_even_gaps_do_not() {
    let gaps = |arrivals| {
        let due: Vec<u64> = schedule(1000.0, arrivals, ALONE).until(u64::MAX).take(20_001).collect();
        due.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect::<Vec<_>>()
    };
    let fits = (1..=20).filter(|seed| anderson_darling(&mut gaps(poisson(*seed)), 1e6) < 3.857).count();
    assert!(fits >= 18, "only {fits} of 20 seeds fit at the 1 % bound");
    assert!(anderson_darling(&mut gaps(EVEN), 1e6) > 100.0);
}

#[test]
fn poisson_arrivals_are_independent_from_one_second_to_the_next() {
    // Index of dispersion of counts per 10 ms: 1 for a Poisson process, 0 for even spacing.
    let mut counts = vec![0.0_f64; 10_000];
    for due in schedule(5000.0, poisson(3), ALONE).until(100_000_000_000) {
        counts[usize::try_from(due / 10_000_000).unwrap()] += 1.0;
    }
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / counts.len() as f64;
    assert!((variance / mean - 1.0).abs() < 0.06, "dispersion {}", variance / mean);
    assert!((mean - 50.0).abs() < 0.5, "mean {mean}");
}

proptest! {
    #[test]
    fn senders_together_make_the_whole_schedule(
        rate in 0.5_f64..50_000.0,
        drivers in 1_u32..4,
        workers in 1_u32..4,
        seed in any::<u64>(),
        random in any::<bool>(),
    ) {
        let arrivals = if random { poisson(seed) } else { EVEN };
        let end = 100_000_000;
        let whole: Vec<u64> = schedule(rate, arrivals, ALONE).until(end).collect();
        let mut parts = Vec::new();
        for index in 0..drivers {
            for worker in 0..workers {
                let share = sender(Share { index, of: drivers }, worker, workers);
                let part: Vec<u64> = schedule(rate, arrivals, share).until(end).collect();
                prop_assert!(part.len().abs_diff(whole.len() / (drivers * workers) as usize) <= 1);
                parts.extend(part);
            }
        }
        parts.sort_unstable();
        prop_assert_eq!(parts, whole);
    }

    #[test]
    fn due_times_never_run_backwards(rate in 0.01_f64..1e9, seed in any::<u64>(), random in any::<bool>()) {
        let arrivals = if random { poisson(seed) } else { EVEN };
        let mut calls = schedule(rate, arrivals, ALONE);
        for _ in 0..1000 {
            let before = calls.due();
            calls.advance();
            prop_assert!(calls.due() >= before);
        }
    }
}
