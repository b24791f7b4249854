//! Draws campaigns and has them judged. The generator is small and its seed fixed: the same figures everywhere.

use std::collections::BTreeMap;

use serde_json::json;
use soak_campaign::plan::{Means, Plan, plan};
use soak_campaign::verdict::{Capacity, RunJudgement, RunResult, judge_campaign};

const ARMS: [&str; 4] = ["a", "b", "c", "d"];
const REPLICATES: usize = 3;
/// Standard deviation of a capacity's logarithm: three replicates then lie 0.1 to 4 % apart, as seen in real campaigns.
const SPREAD: (f64, f64) = (0.0006, 0.0236);
/// The share of runs that go wrong, and by how many spreads.
const OUTLIERS: (f64, f64) = (0.05, 5.0);

/// What kind of campaign is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    /// Comparisons asked: the first arm with the second, and on to the last.
    pub asked: usize,
    /// Replicates that count.
    pub replicates: Replicates,
    /// How runs of one arm differ.
    pub spread: Spread,
    /// How far the second arm lies above the others, in spreads.
    pub apart: f64,
}

/// Replicates that count.
#[derive(Debug, Clone, Copy)]
pub enum Replicates {
    /// Three of every arm.
    Three,
    /// One of three is void in the second and the fourth arm.
    TwoAndThree,
}

/// How runs of one arm differ.
#[derive(Debug, Clone, Copy)]
pub enum Spread {
    /// Normally, the same in every arm.
    Same,
    /// The same, but one run in twenty is five spreads low.
    Outliers,
    /// The second arm's spread is three times that of the others.
    OneWider,
}

/// How often a difference was claimed, as shares.
pub struct Odds {
    /// Between the first arm and the second, in the direction in which they differ.
    pub given: f64,
    /// In any comparison.
    pub any: f64,
}

/// Judges so many campaigns.
pub fn simulate(campaigns: u32, seed: u64, drawn: Drawn) -> Odds {
    let plan = the_plan(drawn.asked);
    let mut chance = Chance { state: seed };
    let (mut given, mut any) = (0, 0);
    for _ in 0..campaigns {
        let claimed = claimed(&plan, &mut chance, drawn);
        given += u32::from(claimed[0]);
        any += u32::from(claimed.contains(&true));
    }
    Odds { given: f64::from(given) / f64::from(campaigns), any: f64::from(any) / f64::from(campaigns) }
}

/// Whether each comparison is said to differ, and in the direction in which it does where there is one.
fn claimed(plan: &Plan, chance: &mut Chance, drawn: Drawn) -> Vec<bool> {
    let spread = SPREAD.0 + chance.uniform() * (SPREAD.1 - SPREAD.0);
    let runs: Vec<(usize, RunJudgement, Option<&str>)> = (0..ARMS.len() * REPLICATES)
        .map(|run| {
            let arm = run % ARMS.len();
            let per_second = 1000.0 * (spread * deviation(chance, drawn, arm)).exp();
            let capacity = Some(Capacity { per_second, at_least: false });
            (arm, RunJudgement { capacity, ..RunJudgement::default() }, void(drawn.replicates, run))
        })
        .collect();
    let fingerprint = BTreeMap::new();
    let result = |(arm, judgement, void)| RunResult {
        run: ARMS[arm],
        arm: ARMS[arm],
        body: "tiny",
        fingerprint: &fingerprint,
        rows: &[],
        judgement,
        void,
    };
    let results: Vec<_> = runs.iter().map(|(arm, judgement, void)| result((*arm, judgement, *void))).collect();
    let judgement = judge_campaign(plan, &results);
    let right = |value: Option<f64>| drawn.apart <= 0.0 || value.is_some_and(|value| value > 1.0);
    let capacities = judgement.comparisons.iter().map(|comparison| comparison.capacity);
    capacities.map(|ratio| ratio.nil == Some(false) && right(ratio.value)).collect()
}

/// How far one run lies from the others' mean, in spreads.
fn deviation(chance: &mut Chance, drawn: Drawn, arm: usize) -> f64 {
    let second = arm == 1;
    let mean = if second { drawn.apart } else { 0.0 };
    let normal = chance.normal();
    mean + match drawn.spread {
        Spread::Outliers if chance.uniform() <= OUTLIERS.0 => normal - OUTLIERS.1,
        Spread::OneWider if second => 3.0 * normal,
        Spread::Same | Spread::Outliers | Spread::OneWider => normal,
    }
}

fn void(replicates: Replicates, run: usize) -> Option<&'static str> {
    match replicates {
        Replicates::Three => None,
        Replicates::TwoAndThree => (run < ARMS.len() && run % 2 == 1).then_some("a lever did not hold"),
    }
}

#[allow(clippy::expect_used, reason = "a constant document, planned by every run of the tests")]
fn the_plan(asked: usize) -> Plan {
    let arms: Vec<_> =
        ARMS.iter().map(|name| json!({"name": name, "server": {"preset": "rest"}, "protocol": "Http1"})).collect();
    let against_first = |name: &&str| json!({"name": name, "control": ARMS[0], "treatment": name});
    let compare: Vec<_> = ARMS[1..=asked].iter().map(against_first).collect();
    let spec = json!({
        "arms": arms,
        "bodies": [{"preset": "Tiny"}],
        "ramp": {"steps": {"rates": [100, 200]}},
        "compare": compare,
    });
    let resource =
        json!({"apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": {"name": "c"}, "spec": spec});
    let spec = serde_json::from_value(soak_crds::with_defaults(&resource)["spec"].clone()).expect("a valid spec");
    plan(&spec, "equal-arms", &Means::default()).expect("a valid plan")
}

/// `SplitMix64`.
struct Chance {
    state: u64,
}

impl Chance {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Above 0, up to 1.
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Box and Muller.
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
