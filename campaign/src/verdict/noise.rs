//! The noise floor of a campaign, and ratios with the interval that it gives. In: logarithms of what was measured; out:
//! what may be claimed. Knows no arm and no row.

use serde::{Deserialize, Serialize};

use crate::table::number;

/// Differences under 1 % are never claimed.
const LEAST: f64 = 0.01;
/// Degrees of freedom below which there is no floor: one is a guess.
const FEWEST: usize = 2;

/// The spread of replicates within arms, pooled over all arms: of logarithms, so that it is relative.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Floor {
    /// Standard deviation of the logarithms within arm.
    pub deviation: f64,
    /// Degrees of freedom.
    pub freedom: usize,
}

impl Floor {
    /// Pools groups of values, one group an arm; `None` where there are too few replicates.
    pub fn pooled<'a>(groups: impl IntoIterator<Item = &'a [f64]>) -> Option<Self> {
        let (mut squares, mut freedom) = (0.0, 0);
        for group in groups.into_iter().filter(|group| group.len() > 1) {
            let mean = mean(group);
            squares += group.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            freedom += group.len() - 1;
        }
        (freedom >= FEWEST).then(|| Self { deviation: (squares / freedom as f64).sqrt(), freedom })
    }

    /// Half the width of the interval of a difference of two means of logarithms, from so many replicates each.
    pub fn half_width(&self, control: usize, treatment: usize) -> f64 {
        let replicates = 1.0 / control as f64 + 1.0 / treatment as f64;
        (student(self.freedom) * self.deviation * replicates.sqrt()).max((1.0 + LEAST).ln())
    }

    /// The least difference that is claimed between two arms of so many replicates each, as a share.
    pub fn share(&self, replicates: usize) -> f64 {
        self.half_width(replicates, replicates).exp() - 1.0
    }
}

/// What one arm gave, a value a replicate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Side {
    /// Logarithms of the values.
    pub logs: Vec<f64>,
    /// The values are floors: the true ones are not lower.
    pub at_least: bool,
}

/// Treatment over control.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Ratio {
    /// The ratio of the geometric means; a bound where a side is a floor.
    #[serde(serialize_with = "number::option")]
    pub value: Option<f64>,
    /// The least it can be; absent where it is not bounded below.
    #[serde(serialize_with = "number::option")]
    pub low: Option<f64>,
    /// The most it can be; absent where it is not bounded above.
    #[serde(serialize_with = "number::option")]
    pub high: Option<f64>,
    /// The difference is below the noise floor; absent where that cannot be told.
    pub nil: Option<bool>,
}

impl Ratio {
    /// Treatment over control. Without a floor there is a ratio and no interval. `least` widens the interval to at least
    /// that share, for comparisons that are worth no more.
    pub fn between(control: &Side, treatment: &Side, floor: Option<&Floor>, least: Option<f64>) -> Self {
        if control.logs.is_empty() || treatment.logs.is_empty() || control.at_least && treatment.at_least {
            return Self::default();
        }
        let difference = mean(&treatment.logs) - mean(&control.logs);
        let value = Some(difference.exp());
        let Some(floor) = floor else {
            return Self { value, ..Self::default() };
        };
        let half = floor.half_width(control.logs.len(), treatment.logs.len()).max(least.map_or(0.0, f64::ln_1p));
        let low = (!control.at_least).then(|| (difference - half).exp());
        let high = (!treatment.at_least).then(|| (difference + half).exp());
        let claimed = low.is_some_and(|low| low >= 1.0) || high.is_some_and(|high| high <= 1.0);
        let two_sided = low.is_some() && high.is_some();
        Self { value, low, high, nil: if claimed { Some(false) } else { two_sided.then_some(true) } }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The 0.975 quantile of Student's distribution: tabled to 30 degrees of freedom, beyond by the expansion of Cornish and
/// Fisher, which is right to three decimals there.
pub fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
    ];
    if let Some(quantile) = freedom.checked_sub(1).and_then(|at| TABLE.get(at)) {
        return *quantile;
    }
    if freedom == 0 {
        return f64::INFINITY;
    }
    let (z, n) = (1.959_964_f64, freedom as f64);
    z + (z.powi(3) + z) / (4.0 * n) + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n)
}

#[cfg(test)]
mod tests {
    use super::{Floor, Ratio, Side, student};

    fn logs(values: &[f64]) -> Vec<f64> {
        values.iter().map(|value| value.ln()).collect()
    }

    fn side(values: &[f64]) -> Side {
        Side { logs: logs(values), at_least: false }
    }

    fn near(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 5e-4
    }

    #[test]
    fn the_quantile_is_that_of_student() {
        let check = |freedom, expected| assert!(near(student(freedom), expected), "{freedom}: {}", student(freedom));
        check(1, 12.706);
        check(8, 2.306);
        check(30, 2.042);
        check(31, 2.0395);
        check(60, 2.0003);
        check(120, 1.9799);
        check(1_000_000, 1.95997);
        assert!(student(0).is_infinite());
    }

    #[test]
    fn the_floor_pools_the_spread_within_arms_and_none_between_them() {
        let (one, two) = ([0.0, 0.02], [5.0, 5.02]);
        let floor = Floor::pooled([&one[..], &two[..]]).unwrap();
        assert!(near(floor.deviation, 0.014_142) && floor.freedom == 2);
        assert!(near(floor.half_width(2, 2), 4.303 * 0.014_142));
        assert!(near(floor.half_width(1, 4), 4.303 * 0.014_142 * 1.25_f64.sqrt()));
        assert!(near(floor.share(2), (4.303_f64 * 0.014_142).exp() - 1.0));
    }

    #[test]
    fn too_few_replicates_give_no_floor() {
        assert_eq!(Floor::pooled([&[1.0][..], &[2.0][..], &[3.0][..]]), None);
        assert_eq!(Floor::pooled([&[1.0, 1.1][..], &[2.0][..]]), None);
        assert!(Floor::pooled([&[1.0, 1.1][..], &[2.0, 2.1][..]]).is_some());
        assert!(Floor::pooled([&[1.0, 1.1, 1.2][..]]).is_some());
    }

    #[test]
    fn nothing_under_one_percent_is_ever_claimed() {
        let floor = Floor { deviation: 0.0, freedom: 8 };
        let check = |treatment, nil| {
            let ratio = Ratio::between(&side(&[100.0]), &side(&[treatment]), Some(&floor), None);
            assert_eq!(ratio.nil, Some(nil), "{treatment} {ratio:?}");
        };
        check(100.9, true);
        check(101.1, false);
        check(99.1, true);
        check(98.9, false);
    }

    #[test]
    fn a_ratio_carries_its_interval() {
        let floor = Floor { deviation: 0.01, freedom: 8 };
        let ratio = Ratio::between(&side(&[100.0; 3]), &side(&[110.0; 3]), Some(&floor), None);
        let half = 2.306 * 0.01 * (2.0_f64 / 3.0).sqrt();
        assert!(near(ratio.value.unwrap(), 1.1));
        assert!(near(ratio.low.unwrap(), 1.1 * (-half).exp()) && near(ratio.high.unwrap(), 1.1 * half.exp()));
        assert_eq!(ratio.nil, Some(false));
    }

    #[test]
    fn a_floor_on_one_side_bounds_one_side() {
        let floor = Floor { deviation: 0.01, freedom: 8 };
        let least = |values: &[f64]| Side { at_least: true, ..side(values) };
        let check = |control: Side, treatment: Side, low: bool, high: bool, nil| {
            let ratio = Ratio::between(&control, &treatment, Some(&floor), None);
            assert_eq!((ratio.low.is_some(), ratio.high.is_some(), ratio.nil), (low, high, nil), "{ratio:?}");
        };
        check(side(&[100.0; 3]), least(&[200.0; 3]), true, false, Some(false));
        check(side(&[100.0; 3]), least(&[100.0; 3]), true, false, None);
        check(side(&[100.0; 3]), least(&[50.0; 3]), true, false, None);
        check(least(&[100.0; 3]), side(&[50.0; 3]), false, true, Some(false));
        check(least(&[100.0; 3]), side(&[150.0; 3]), false, true, None);
        assert_eq!(Ratio::between(&least(&[1.0]), &least(&[2.0]), Some(&floor), None), Ratio::default());
        assert_eq!(Ratio::between(&side(&[]), &side(&[1.0]), Some(&floor), None), Ratio::default());
    }

    #[test]
    fn without_a_floor_nothing_is_claimed() {
        let ratio = Ratio::between(&side(&[100.0]), &side(&[300.0]), None, None);
        assert!(near(ratio.value.unwrap(), 3.0));
        assert_eq!((ratio.low, ratio.high, ratio.nil), (None, None, None));
    }

    #[test]
    fn a_penalty_widens_the_interval() {
        let floor = Floor { deviation: 0.001, freedom: 8 };
        let between =
            |treatment: f64| Ratio::between(&side(&[100.0; 3]), &side(&[treatment; 3]), Some(&floor), Some(0.15));
        assert_eq!(between(114.0).nil, Some(true));
        assert_eq!(between(116.0).nil, Some(false));
    }
}
