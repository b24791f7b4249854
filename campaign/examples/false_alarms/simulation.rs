//! Draws campaigns and has them judged. The generator is small and its seed fixed: the same figures everywhere.

use std::collections::BTreeMap;

use serde_json::json;
use soak_campaign::plan::{Means, Plan, plan};
use soak_campaign::verdict::{Capacity, RunJudgement, RunResult, judge_campaign};
use soak_crds::spec::Compare;

const ARMS: [&str; 4] = ["a", "b", "c", "d"];
const REPLICATES: usize = 3;
/// Standard deviation of a capacity's logarithm: three replicates then lie 0.1 to 4 % apart, as seen in real campaigns.
const SPREAD: (f64, f64) = (0.0006, 0.0236);

/// How often a difference was claimed, as shares.
pub struct Odds {
    /// Between the first arm and the second.
    pub one: f64,
    /// Between the first arm and any other.
    pub any: f64,
}

/// Judges so many campaigns in which the second arm is better than the others by so many times the spread.
pub fn simulate(campaigns: u32, seed: u64, times: f64) -> Odds {
    let plan = the_plan();
    let mut chance = Chance { state: seed };
    let (mut one, mut any) = (0, 0);
    for _ in 0..campaigns {
        let claimed = judged(&plan, &mut chance, times);
        one += u32::from(claimed[0]);
        any += u32::from(claimed.contains(&true));
    }
    Odds { one: f64::from(one) / f64::from(campaigns), any: f64::from(any) / f64::from(campaigns) }
}

/// Whether the second, third and fourth arm are each said to differ from the first.
fn judged(plan: &Plan, chance: &mut Chance, times: f64) -> Vec<bool> {
    let spread = SPREAD.0 + chance.uniform() * (SPREAD.1 - SPREAD.0);
    let mut draw = |arm: usize| {
        let mean = if arm == 1 { times * spread } else { 0.0 };
        let per_second = 1000.0 * (mean + spread * chance.normal()).exp();
        RunJudgement { capacity: Some(Capacity { per_second, at_least: false }), ..RunJudgement::default() }
    };
    let drawn: Vec<(&str, RunJudgement)> =
        (0..ARMS.len() * REPLICATES).map(|run| (ARMS[run % ARMS.len()], draw(run % ARMS.len()))).collect();
    let fingerprint = BTreeMap::new();
    let run = |(arm, judgement)| RunResult {
        run: arm,
        arm,
        body: "tiny",
        fingerprint: &fingerprint,
        rows: &[],
        judgement,
        void: None,
    };
    let runs: Vec<_> = drawn.iter().map(|(arm, judgement)| run((*arm, judgement))).collect();
    let judgement = judge_campaign(plan, &runs);
    judgement.comparisons.iter().map(|comparison| comparison.capacity.nil == Some(false)).collect()
}

#[allow(clippy::expect_used, reason = "a constant document, planned by every run of the tests")]
fn the_plan() -> Plan {
    let arms: Vec<_> =
        ARMS.iter().map(|name| json!({"name": name, "server": {"preset": "rest"}, "protocol": "Http1"})).collect();
    let spec = json!({"arms": arms, "bodies": [{"preset": "Tiny"}], "ramp": {"steps": {"rates": [100, 200]}}});
    let resource =
        json!({"apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": {"name": "c"}, "spec": spec});
    let spec = serde_json::from_value(soak_crds::with_defaults(&resource)["spec"].clone()).expect("a valid spec");
    let mut plan = plan(&spec, "equal-arms", &Means::default()).expect("a valid plan");
    let against_first = |name: &&str| Compare {
        name: (*name).to_owned(),
        control: ARMS[0].to_owned(),
        treatment: (*name).to_owned(),
        across_ramps: false,
    };
    plan.compare = ARMS[1..].iter().map(against_first).collect();
    plan
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
