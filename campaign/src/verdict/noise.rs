//! The noise floor of a campaign, and ratios with the interval that it gives. In: logarithms of what was measured; out:
//! what may be claimed. Knows no arm and no row.

use serde::{Deserialize, Serialize};

use super::student::student;
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

    /// Half the width of the interval of a difference of two means of logarithms, from so many replicates each, and how far
    /// apart they must be to be claimed where that is asked together with others.
    pub fn half_width(&self, asked: Asked, control: usize, treatment: usize) -> f64 {
        let replicates = 1.0 / control as f64 + 1.0 / treatment as f64;
        let by_chance = student(self.freedom, asked.together) * self.deviation * replicates.sqrt();
        by_chance.max(asked.least.max(LEAST).ln_1p())
    }

    /// The least difference that is not nil between two arms of so many replicates each, as a share.
    pub fn share(&self, replicates: usize) -> f64 {
        self.half_width(Asked::alone(), replicates, replicates).exp_m1()
    }
}

/// How a difference was asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// Differences asked for at once: the more there are, the further beyond chance one must lie to be claimed.
    pub together: usize,
    /// What the comparison is worth at best, as a share; no difference under it is claimed.
    pub least: f64,
}

impl Asked {
    /// The only question.
    pub const fn alone() -> Self {
        Self { together: 1, least: LEAST }
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
    /// True: the difference is below the noise floor. False: there is one. Absent where neither can be said.
    pub nil: Option<bool>,
    /// The ratio from which a difference is claimed; downward from its inverse. Absent without a noise floor.
    #[serde(serialize_with = "number::option")]
    pub claimed_from: Option<f64>,
}

impl Ratio {
    /// Treatment over control. Without a floor there is a ratio and no interval. The interval is that of one comparison;
    /// a difference is nil within it, and claimed where it stands out among all that were asked together.
    pub fn between(control: &Side, treatment: &Side, floor: Option<&Floor>, asked: Asked) -> Self {
        if control.logs.is_empty() || treatment.logs.is_empty() || control.at_least && treatment.at_least {
            return Self::default();
        }
        let difference = mean(&treatment.logs) - mean(&control.logs);
        let value = Some(difference.exp());
        let Some(floor) = floor else {
            return Self { value, ..Self::default() };
        };
        let half = |asked| floor.half_width(asked, control.logs.len(), treatment.logs.len());
        let (alone, together) = (half(Asked { together: 1, ..asked }), half(asked));
        let more = !control.at_least && difference >= together;
        let less = !treatment.at_least && difference <= -together;
        let within = !control.at_least && !treatment.at_least && difference.abs() < alone;
        Self {
            value,
            low: (!control.at_least).then(|| (difference - alone).exp()),
            high: (!treatment.at_least).then(|| (difference + alone).exp()),
            nil: if more || less { Some(false) } else { within.then_some(true) },
            claimed_from: Some(together.exp()),
        }
    }

    /// Beyond the noise floor of one comparison, and not claimed because more were asked.
    pub fn is_unclaimed(&self) -> bool {
        self.nil.is_none() && self.low.is_some() && self.high.is_some()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::{Asked, Floor, Ratio, Side};

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
    fn the_floor_pools_the_spread_within_arms_and_none_between_them() {
        let (one, two) = ([0.0, 0.02], [5.0, 5.02]);
        let floor = Floor::pooled([&one[..], &two[..]]).unwrap();
        assert!(near(floor.deviation, 0.014_142) && floor.freedom == 2);
        assert!(near(floor.half_width(Asked::alone(), 2, 2), 4.303 * 0.014_142));
        assert!(near(floor.half_width(Asked::alone(), 1, 4), 4.303 * 0.014_142 * 1.25_f64.sqrt()));
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
            let ratio = Ratio::between(&side(&[100.0]), &side(&[treatment]), Some(&floor), Asked::alone());
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
        let ratio = Ratio::between(&side(&[100.0; 3]), &side(&[110.0; 3]), Some(&floor), Asked::alone());
        let half = 2.306 * 0.01 * (2.0_f64 / 3.0).sqrt();
        assert!(near(ratio.value.unwrap(), 1.1));
        assert!(near(ratio.low.unwrap(), 1.1 * (-half).exp()) && near(ratio.high.unwrap(), 1.1 * half.exp()));
        assert_eq!(ratio.nil, Some(false));
    }

    #[test]
    fn among_several_comparisons_a_claim_needs_more_and_the_interval_stays() {
        let floor = Floor { deviation: 0.01, freedom: 8 };
        // One comparison: 2.306 · 0.01 · √(2/3) = 1.883 %; of three: 3.0158 · … = 2.462 %, both of logarithms.
        let check = |together, difference: f64, nil, unclaimed: bool| {
            let ratio = Ratio::between(
                &side(&[100.0; 3]),
                &side(&[100.0 * difference.exp(); 3]),
                Some(&floor),
                Asked { together, ..Asked::alone() },
            );
            assert_eq!((ratio.nil, ratio.is_unclaimed()), (nil, unclaimed), "{together} {difference} {ratio:?}");
            let alone = 2.306 * 0.01 * (2.0_f64 / 3.0).sqrt();
            assert!(near(ratio.low.unwrap(), (difference - alone).exp()), "{ratio:?}");
            assert!(near(ratio.high.unwrap(), (difference + alone).exp()), "{ratio:?}");
        };
        for sign in [1.0, -1.0] {
            check(1, sign * 0.018_8, Some(true), false);
            check(1, sign * 0.018_9, Some(false), false);
            check(3, sign * 0.018_8, Some(true), false);
            check(3, sign * 0.018_9, None, true);
            check(3, sign * 0.024_6, None, true);
            check(3, sign * 0.024_7, Some(false), false);
        }
    }

    #[test]
    fn a_difference_as_large_as_the_floor_is_not_nil() {
        let floor = Floor { deviation: 0.01, freedom: 8 };
        let half = floor.half_width(Asked::alone(), 1, 1);
        let side = |log: f64| Side { logs: vec![log], at_least: false };
        let nil = |together, log| {
            Ratio::between(&side(0.0), &side(log), Some(&floor), Asked { together, ..Asked::alone() }).nil
        };
        assert_eq!((nil(1, half), nil(3, half), nil(3, -half)), (Some(false), None, None));
        assert_eq!((nil(1, half * 0.999), nil(3, half * 0.999)), (Some(true), Some(true)));
        let together = floor.half_width(Asked { together: 3, ..Asked::alone() }, 1, 1);
        assert_eq!((nil(3, together), nil(3, -together)), (Some(false), Some(false)));
    }

    #[test]
    fn the_ratio_from_which_a_difference_is_claimed_is_told() {
        let floor = Floor { deviation: 0.01, freedom: 8 };
        let check = |together, least, expected: f64| {
            let asked = Asked { together, least };
            let ratio = Ratio::between(&side(&[100.0; 3]), &side(&[300.0; 3]), Some(&floor), asked);
            assert!(near(ratio.claimed_from.unwrap(), expected), "{ratio:?}");
        };
        check(1, 0.01, 1.019_0);
        check(3, 0.01, 1.024_9);
        check(3, 0.15, 1.15);
    }

    #[test]
    fn a_floor_on_one_side_bounds_one_side() {
        let floor = Floor { deviation: 0.01, freedom: 8 };
        let least = |values: &[f64]| Side { at_least: true, ..side(values) };
        let check = |control: Side, treatment: Side, low: bool, high: bool, nil| {
            let ratio = Ratio::between(&control, &treatment, Some(&floor), Asked::alone());
            assert_eq!((ratio.low.is_some(), ratio.high.is_some(), ratio.nil), (low, high, nil), "{ratio:?}");
        };
        check(side(&[100.0; 3]), least(&[200.0; 3]), true, false, Some(false));
        check(side(&[100.0; 3]), least(&[100.0; 3]), true, false, None);
        check(side(&[100.0; 3]), least(&[50.0; 3]), true, false, None);
        check(least(&[100.0; 3]), side(&[50.0; 3]), false, true, Some(false));
        check(least(&[100.0; 3]), side(&[150.0; 3]), false, true, None);
        let one_sided =
            Ratio::between(&side(&[100.0; 3]), &least(&[102.0; 3]), Some(&floor), Asked { together: 3, least: 0.01 });
        assert_eq!((one_sided.nil, one_sided.is_unclaimed()), (None, false), "{one_sided:?}");
        assert_eq!(Ratio::between(&least(&[1.0]), &least(&[2.0]), Some(&floor), Asked::alone()), Ratio::default());
        assert_eq!(Ratio::between(&side(&[]), &side(&[1.0]), Some(&floor), Asked::alone()), Ratio::default());
    }

    #[test]
    fn without_a_floor_nothing_is_claimed() {
        let ratio = Ratio::between(&side(&[100.0]), &side(&[300.0]), None, Asked::alone());
        assert!(near(ratio.value.unwrap(), 3.0));
        assert_eq!((ratio.low, ratio.high, ratio.nil, ratio.claimed_from), (None, None, None, None));
    }

    #[test]
    fn a_penalty_widens_the_interval() {
        let floor = Floor { deviation: 0.001, freedom: 8 };
        let asked = Asked { together: 1, least: 0.15 };
        let between = |treatment: f64| Ratio::between(&side(&[100.0; 3]), &side(&[treatment; 3]), Some(&floor), asked);
        assert_eq!(between(114.0).nil, Some(true));
        assert_eq!(between(116.0).nil, Some(false));
    }
}
