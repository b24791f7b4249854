//! Student's quantile, two-sided, for several comparisons at once. In: degrees of freedom and how many are asked together;
//! out: how many standard errors a difference must exceed. Knows nothing of what is compared.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// How often a difference may be claimed where there is none, over all comparisons asked together.
const FALSE_ALARMS: f64 = 0.05;

/// The quantile t(1 − 0.025 / k, df) of Student's distribution: beyond it, in either direction, one of `comparisons` (k)
/// lies by chance in at most 5 % of all cases (Bonferroni). Infinite without a degree of freedom or a comparison.
pub fn student(freedom: usize, comparisons: usize) -> f64 {
    let tail = FALSE_ALARMS / 2.0 / comparisons as f64;
    let distribution = StudentsT::new(0.0, 1.0, freedom as f64).ok().filter(|_| comparisons > 0);
    distribution.map_or(f64::INFINITY, |student| student.inverse_cdf(1.0 - tail))
}

#[cfg(test)]
mod tests {
    use super::student;

    fn check(freedom: usize, comparisons: usize, expected: f64, within: f64) {
        let found = student(freedom, comparisons);
        assert!((found - expected).abs() < within, "t({freedom}) of {comparisons}: {found}, not {expected}");
    }

    #[test]
    fn the_quantile_of_one_comparison_is_that_of_the_published_tables() {
        let published = [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (6, 2.447),
            (8, 2.306),
            (10, 2.228),
            (16, 2.120),
            (30, 2.042),
            (60, 2.000),
            (120, 1.980),
            (1_000, 1.962),
        ];
        for (freedom, expected) in published {
            check(freedom, 1, expected, 6e-4);
        }
    }

    #[test]
    fn the_quantile_of_several_is_that_of_the_narrower_tail() {
        // Columns t(0.9875), t(0.99), t(0.995), t(0.9975), t(0.9995) of the published tables.
        check(8, 2, 2.752, 6e-4);
        check(8, 5, 3.355, 6e-4);
        check(10, 5, 3.169, 6e-4);
        check(30, 5, 2.750, 6e-4);
        check(4, 10, 5.598, 6e-4);
        check(20, 10, 3.153, 6e-4);
        check(5, 50, 6.869, 6e-4);
        check(40, 50, 3.551, 6e-4);
    }

    #[test]
    fn where_the_quantile_has_a_closed_form_it_is_met() {
        for comparisons in 1..=64 {
            let above = 1.0 - 0.025 / comparisons as f64;
            let one = (std::f64::consts::PI * (above - 0.5)).tan();
            check(1, comparisons, one, 1e-8 * one);
            let two = (2.0 * above - 1.0) * (2.0 / (4.0 * above * (1.0 - above))).sqrt();
            check(2, comparisons, two, 1e-8 * two);
        }
    }

    #[test]
    fn more_comparisons_ask_for_more_and_more_freedom_for_less() {
        for freedom in 1..=200 {
            for comparisons in 1..=64 {
                let here = student(freedom, comparisons);
                assert!(student(freedom, comparisons + 1) > here, "{freedom} {comparisons}");
                assert!(student(freedom + 1, comparisons) < here, "{freedom} {comparisons}");
            }
        }
    }

    #[test]
    fn nothing_can_be_claimed_without_freedom_or_comparison() {
        assert!(student(0, 1).is_infinite() && student(8, 0).is_infinite());
    }
}
