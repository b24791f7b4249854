//! A campaign's verdicts: replicates, comparisons, levers, predictions, thresholds, on runs whose ramps are made up.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::needless_pass_by_value,
    reason = "a test may fail, and the values are exact"
)]

use std::collections::BTreeMap;

use serde_json::{Value, json};
use soak_campaign::plan::{Means, Plan, plan};
use soak_campaign::table::Row;
use soak_campaign::verdict::student::student;
use soak_campaign::verdict::{
    Answer, CampaignJudgement, Capacity, Comparison, RunJudgement, RunResult, fingerprint, judge_campaign, judge_run,
    ratio_words,
};
use soak_crds::spec::JudgeBounds;
use soak_sample::Machine;

fn planned(extra: Value) -> Plan {
    let mut spec = json!({
        "arms": [
            {"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"},
            {"name": "b", "server": {"preset": "rest"}, "protocol": "Http1"},
        ],
        "bodies": [{"preset": "Tiny"}],
        "ramp": {"steps": {"rates": [100, 200]}},
    });
    let questions = ["compare", "predictions", "thresholds"];
    let extra = extra.as_object().unwrap();
    for (key, value) in extra.iter().filter(|(key, _)| !questions.contains(&key.as_str())) {
        spec[key] = value.clone();
    }
    let resource =
        json!({"apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": {"name": "c"}, "spec": spec});
    let spec = serde_json::from_value(soak_crds::with_defaults(&resource)["spec"].clone()).unwrap();
    let mut plan = plan(&spec, "c", &Means::default()).unwrap();
    let of = |key: &str| extra.get(key).cloned().unwrap_or_else(|| json!([]));
    plan.compare = serde_json::from_value(of("compare")).unwrap();
    plan.predictions = serde_json::from_value(of("predictions")).unwrap();
    plan.thresholds = serde_json::from_value(of("thresholds")).unwrap();
    plan
}

/// One run: an arm of this capacity and cost, offered 100 to `last` by 100.
struct Run {
    arm: &'static str,
    fingerprint: BTreeMap<String, String>,
    rows: Vec<Row>,
    judgement: RunJudgement,
    void: Option<&'static str>,
}

fn run(arm: &'static str, capacity: f64, cost: f64, last: u32) -> Run {
    let step = |at: u32| {
        let offered = f64::from(at * 100);
        let delivered = offered.min(capacity);
        Row {
            offered,
            delivered: Some(delivered),
            knee_per_second: Some(offered - delivered),
            p50_micros: Some(cost / 100.0),
            p99_micros: Some(cost / 10.0),
            cpu_nanos_per_request: Some(cost * (1.0 + 100.0 / offered)),
            rss_bytes: Some(1_000_000),
            ..Row::default()
        }
    };
    let rows = std::iter::once(Row { warmup: true, ..step(1) }).chain((1..=last / 100).map(step)).collect();
    let (rows, judgement) = judge_run(rows, &[], &JudgeBounds::default());
    let fingerprint = [("ramp", "r"), ("body", "tiny"), ("client", "c"), ("kernel", "6.1")];
    let fingerprint = fingerprint.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Run { arm, fingerprint, rows, judgement, void: None }
}

fn three(arm: &'static str, capacity: f64, cost: f64, last: u32) -> Vec<Run> {
    [0.995, 1.0, 1.005].map(|wobble| run(arm, capacity * wobble, cost * wobble, last)).into()
}

fn judge(plan: &Plan, runs: &[Run]) -> CampaignJudgement {
    let results: Vec<_> = runs
        .iter()
        .map(|run| RunResult {
            run: run.arm,
            arm: run.arm,
            body: "tiny",
            fingerprint: &run.fingerprint,
            rows: &run.rows,
            judgement: &run.judgement,
            void: run.void,
        })
        .collect();
    judge_campaign(plan, &results)
}

fn compared(runs: &[Run]) -> Comparison {
    let plan = planned(json!({"compare": [{"name": "x", "control": "a", "treatment": "b"}]}));
    judge(&plan, runs).comparisons.remove(0)
}

fn both(one: Vec<Run>, two: Vec<Run>) -> Vec<Run> {
    one.into_iter().chain(two).collect()
}

fn near(value: Option<f64>, expected: f64) -> bool {
    value.is_some_and(|value| (value / expected - 1.0).abs() < 2e-3)
}

#[test]
fn replicates_are_shown_each_with_their_median_and_range() {
    let mut runs = three("a", 500.0, 1e6, 1000);
    runs.push(Run { void: Some("a lever did not hold"), ..run("a", 9000.0, 1e6, 1000) });
    let judged = judge(&planned(json!({})), &runs);
    let arm = &judged.arms[0];
    assert_eq!(arm.replicates.len(), 4);
    assert_eq!(arm.replicates[3].capacity, None);
    assert_eq!(arm.replicates[3].reason.as_deref(), Some("a lever did not hold"));
    let floor = judged.floors["tiny"];
    assert!(floor.freedom == 2 && near(Some(floor.deviation), 0.005), "{floor:?}");
    assert!(near(arm.low, 497.5) && near(arm.high, 502.5));
    assert_eq!(arm.capacity.unwrap().per_second, 500.0);
    assert!(!arm.capacity.unwrap().at_least);
    assert_eq!((judged.arms[1].capacity, judged.arms[1].replicates.len()), (None, 0));
}

#[test]
fn equal_arms_are_nil_in_everything() {
    let found = compared(&both(three("a", 500.0, 1e6, 1000), three("b", 502.0, 1.002e6, 1000)));
    for ratio in [found.capacity, found.cpu, found.p50, found.p99, found.memory] {
        assert_eq!(ratio.nil, Some(true), "{ratio:?}");
    }
    assert!(ratio_words(&found.capacity).starts_with("nil ("));
    assert_eq!(found.refused, Vec::<String>::new());
}

#[test]
fn a_real_difference_is_claimed_with_its_interval() {
    let found = compared(&both(three("a", 500.0, 1e6, 1000), three("b", 600.0, 0.8e6, 1000)));
    assert!(near(found.capacity.value, 1.2) && found.capacity.nil == Some(false));
    assert!(found.capacity.low.unwrap() > 1.15 && found.capacity.high.unwrap() < 1.25);
    assert_eq!((found.control.as_str(), found.treatment.as_str(), found.body.as_str()), ("a", "b", "tiny"));
    assert!(near(found.cpu.value, 0.8) && found.cpu.nil == Some(false));
    assert!(near(found.p50.value, 0.8) && near(found.p99.value, 0.8));
    // Below both knees, the first step left out.
    let rates: Vec<_> = found.matched.iter().map(|matched| matched.rate).collect();
    assert_eq!(rates, [200.0, 300.0, 400.0]);
    assert!(near(found.matched[0].cpu.value, 0.8));
}

/// Four arms of three replicates, half a percent apart.
fn four(last: f64) -> Vec<Run> {
    let arms = [("a", 500.0), ("b", 500.0), ("c", 500.0), ("d", last)];
    arms.into_iter().flat_map(|(arm, capacity)| three(arm, capacity, 1e6, 1000)).collect()
}

fn of_three(runs: &[Run]) -> Vec<Comparison> {
    let arm = |name: &str| json!({"name": name, "server": {"preset": "rest"}, "protocol": "Http1"});
    let compare = |name: &str| json!({"name": name, "control": "a", "treatment": name});
    let plan = planned(json!({
        "arms": (["a", "b", "c", "d"].map(arm)),
        "compare": (["b", "c", "d"].map(compare)),
    }));
    judge(&plan, runs).comparisons
}

#[test]
fn of_several_comparisons_each_must_lie_further_beyond_chance() {
    // By chance 0.94 % alone, so the floor of 1 %; of three 1.23 %.
    let check = |last: f64, nil, remark: bool| {
        let found = of_three(&four(last)).pop().unwrap();
        assert_eq!((found.asked, found.capacity.nil), (3, nil), "{last} {:?}", found.capacity);
        let words = "capacity: above the floor of one comparison, below that of 3; \
                     not claimed: ask fewer, or add replicates";
        assert_eq!(found.remarks.iter().any(|told| told == words), remark, "{:?}", found.remarks);
        assert_eq!(ratio_words(&found.capacity).ends_with(", not claimed"), remark);
    };
    check(504.9, Some(true), false);
    check(505.5, None, true);
    check(506.5, Some(false), false);
    // The interval is that of one comparison.
    let unclaimed = of_three(&four(505.5)).pop().unwrap().capacity;
    assert!(unclaimed.low.unwrap() > 1.0 && unclaimed.high.unwrap() < 1.022, "{unclaimed:?}");
    assert!(near(unclaimed.claimed_from, 1.0124));
}

#[test]
fn costs_and_latencies_of_several_comparisons_are_held_to_the_same_bound() {
    let mut runs = four(500.0);
    for row in runs.iter_mut().filter(|run| run.arm == "d").flat_map(|run| &mut run.rows) {
        row.cpu_nanos_per_request = row.cpu_nanos_per_request.map(|cpu| cpu * 0.989);
        row.p99_micros = row.p99_micros.map(|p99| p99 * 1.011);
    }
    let found = of_three(&runs).pop().unwrap();
    assert!(found.cpu.is_unclaimed() && found.p99.is_unclaimed(), "{found:?}");
    assert_eq!((found.capacity.nil, found.p50.nil), (Some(true), Some(true)));
    assert_eq!(
        found.remarks,
        [
            "CPU per request, p99: above the floor of one comparison, below that of 3; not claimed: ask fewer, or add replicates"
        ]
    );
    // Rate by rate there are three times as many looks.
    assert_eq!(found.matched.len(), 3);
    let claimed_from = (student(8, 9) * 0.005 * (2.0_f64 / 3.0).sqrt()).exp();
    assert!(found.matched[0].cpu.claimed_from.is_some_and(|from| (from - claimed_from).abs() < 1e-5), "{claimed_from}");
}

#[test]
fn a_floor_bounds_the_ratio_on_one_side() {
    let found = compared(&both(three("a", 500.0, 1e6, 1000), three("b", 5000.0, 1e6, 1000)));
    assert!(near(found.capacity.value, 2.0) && found.capacity.low.unwrap() > 1.9);
    assert_eq!((found.capacity.high, found.capacity.nil), (None, Some(false)));
    assert!(found.remarks.iter().any(|remark| remark.contains("treatment's capacity is a floor")));
    let neither = compared(&both(three("a", 5000.0, 1e6, 1000), three("b", 5000.0, 1e6, 1000)));
    assert_eq!(neither.capacity.value, None);
}

#[test]
fn one_replicate_claims_nothing() {
    let found = compared(&[run("a", 500.0, 1e6, 1000), run("b", 900.0, 1e6, 1500)]);
    assert!(near(found.capacity.value, 1.8));
    assert_eq!((found.capacity.low, found.capacity.nil), (None, None));
    assert!(found.remarks.iter().any(|remark| remark.contains("too few replicates")));
}

#[test]
fn fingerprints_that_differ_are_refused_with_the_list() {
    let mut other = three("b", 600.0, 1e6, 1000);
    for run in &mut other {
        run.fingerprint.insert("kernel".to_owned(), "6.2".to_owned());
        run.fingerprint.remove("client");
    }
    let found = compared(&both(three("a", 500.0, 1e6, 1000), other));
    assert_eq!(found.refused, ["client: c ≠ unknown", "kernel: 6.1 ≠ 6.2"]);
    assert_eq!((found.capacity.value, found.matched.len()), (None, 0));
}

#[test]
fn another_ramp_is_compared_by_explicit_wish_with_its_penalty() {
    let runs = |capacity| {
        let mut other = three("b", capacity, 1e6, 1000);
        for run in &mut other {
            run.fingerprint.insert("ramp".to_owned(), "other".to_owned());
        }
        both(three("a", 500.0, 1e6, 1000), other)
    };
    assert_eq!(compared(&runs(600.0)).refused, ["ramp: r ≠ other"]);
    let plan = planned(json!({"compare": [{"name": "x", "control": "a", "treatment": "b", "acrossRamps": true}]}));
    let found = |capacity| judge(&plan, &runs(capacity)).comparisons.remove(0);
    assert!(found(600.0).penalty.unwrap().contains("15 %"));
    assert_eq!(found(560.0).capacity.nil, Some(true), "12 % mean nothing");
    assert_eq!(found(600.0).capacity.nil, Some(false));
}

#[test]
fn a_void_replicate_is_in_no_comparison() {
    let mut runs = both(three("a", 500.0, 1e6, 1000), three("b", 500.0, 1e6, 1000));
    runs.push(Run { void: Some("withdrawn"), ..run("b", 900.0, 9e6, 1500) });
    assert!(near(compared(&runs).capacity.value, 1.0));
    let none = compared(&three("a", 500.0, 1e6, 1000));
    assert_eq!((none.capacity.value, none.matched.len()), (None, 0));
    assert!(none.remarks.iter().any(|remark| remark.starts_with("no rate is kept by every run of both arms")));
    assert!(none.remarks.iter().any(|remark| remark == "the treatment has no run that counts"));
}

#[test]
fn predictions_are_held_failed_or_undecidable_by_the_interval() {
    let runs = both(three("a", 500.0, 1e6, 1000), three("b", 600.0, 0.8e6, 1000));
    let check = |prediction: Value, expected| {
        let mut named = json!({"name": "p"});
        named.as_object_mut().unwrap().extend(prediction.as_object().unwrap().clone());
        let plan = planned(json!({
            "compare": [{"name": "x", "control": "a", "treatment": "b"}],
            "predictions": [named],
        }));
        let found = judge(&plan, &runs).predictions.remove(0);
        assert_eq!(found.answer, expected, "{prediction} {:?}", found.evidence);
        assert!(!found.evidence.is_empty());
        assert!(found.evidence.iter().all(|evidence| evidence.measure != "refused"), "{:?}", found.evidence);
    };
    let ratio = |range: Value| json!({"compare": "x", "capacityRatioPermille": range});
    check(ratio(json!({"atLeast": 1100})), Answer::Held);
    check(ratio(json!({"atLeast": 1100, "atMost": 1300})), Answer::Held);
    check(ratio(json!({"atLeast": 1300})), Answer::Failed);
    check(ratio(json!({"atMost": 1100})), Answer::Failed);
    check(ratio(json!({"atLeast": 1200})), Answer::Undecidable);
    check(
        json!({"compare": "x", "cpuRatioPermille": {"atMost": 850}, "p50RatioPermille": {"atMost": 850}}),
        Answer::Held,
    );
    check(
        json!({"compare": "x", "cpuRatioPermille": {"atMost": 850}, "p50RatioPermille": {"atMost": 700}}),
        Answer::Failed,
    );
    check(json!({"arm": "a", "capacityPerSecond": {"atLeast": 400}}), Answer::Held);
    check(json!({"arm": "a", "capacityPerSecond": {"atLeast": 600}}), Answer::Failed);
    check(json!({"arm": "b", "capacityPerSecond": {"atLeast": 590}}), Answer::Held);
    check(json!({"compare": "nowhere", "capacityRatioPermille": {"atLeast": 1}}), Answer::Undecidable);
}

#[test]
fn a_floor_holds_a_prediction_and_never_fails_it() {
    let runs = three("a", 5000.0, 1e6, 1000);
    let check = |range: Value, expected| {
        let plan = planned(json!({"predictions": [{"name": "p", "arm": "a", "capacityPerSecond": range}]}));
        assert_eq!(judge(&plan, &runs).predictions[0].answer, expected, "{range}");
    };
    check(json!({"atLeast": 900}), Answer::Held);
    check(json!({"atLeast": 2000}), Answer::Undecidable);
    check(json!({"atMost": 2000}), Answer::Undecidable);
    check(json!({"atMost": 500}), Answer::Failed);
}

#[test]
fn thresholds_decide_by_the_number_beside_them() {
    let mut runs = three("a", 490.0, 1e6, 1000);
    for run in &mut runs {
        run.judgement.slo_capacity = run.judgement.capacity;
    }
    let check = |limit: Value, expected, words: &str| {
        let mut named = json!({"name": "t", "arm": "a"});
        named.as_object_mut().unwrap().extend(limit.as_object().unwrap().clone());
        let found = judge(&planned(json!({"thresholds": [named]})), &runs).thresholds.remove(0);
        assert_eq!(found.answer, expected, "{limit}");
        assert_eq!(found.evidence[0].value, words, "{limit}");
    };
    check(json!({"capacityPerSecond": {"atLeast": 490}}), Answer::Held, "490");
    check(json!({"capacityPerSecond": {"atLeast": 491}}), Answer::Failed, "490");
    check(json!({"sloCapacityPerSecond": {"atLeast": 490}}), Answer::Held, "490");
    // At 400/s, the highest step below the knee: 1.25 × the cost.
    check(json!({"cpuNanosPerRequest": {"atMost": 1_250_000}}), Answer::Held, "1,250,000");
    check(json!({"cpuNanosPerRequest": {"atMost": 1_249_000}}), Answer::Failed, "1,250,000");
    check(json!({"p99Micros": {"atMost": 100_000}}), Answer::Held, "100,000");
    for run in &mut runs {
        run.void = Some("void");
    }
    let plan = planned(json!({"thresholds": [{"name": "t", "arm": "a", "capacityPerSecond": {"atLeast": 1}}]}));
    assert_eq!(judge(&plan, &runs).thresholds[0].answer, Answer::Undecidable);
}

#[test]
fn a_lever_is_worth_what_it_changes_against_the_unchanged_arm() {
    let plan = planned(json!({"levers": [
        {"name": "on", "arms": ["a"], "settings": {"workerThreads": 2}},
        {"name": "same", "arms": ["a"], "resources": {"cpu": "1"}},
    ]}));
    let names: Vec<_> = plan.arms.iter().map(|arm| arm.name.as_str()).collect();
    assert_eq!(names, ["a", "a+on", "a+same", "a+on+same", "b"]);
    let mut runs = three("a", 500.0, 1e6, 1000);
    for (arm, capacity) in [("a+on", 600.0), ("a+same", 501.0), ("a+on+same", 600.0)] {
        runs.extend(three(arm, capacity, 1e6, 1000));
    }
    for run in runs.iter_mut().filter(|run| run.arm == "a+on") {
        run.fingerprint.insert("client".to_owned(), "a lever may change the client".to_owned());
    }
    let levers = judge(&plan, &runs).levers;
    let worth: Vec<_> =
        levers.iter().map(|lever| (lever.levers.join("+"), lever.already_on, lever.capacity.nil)).collect();
    let expected = [("on", false, Some(false)), ("same", true, Some(true)), ("on+same", false, Some(false))];
    assert_eq!(worth, expected.map(|(name, on, nil)| (name.to_owned(), on, nil)));
    assert!(levers.iter().all(|lever| lever.asked == 3));
    assert!(near(levers[0].capacity.value, 1.2) && levers[0].cpu.nil == Some(true));
}

#[test]
fn each_rate_is_compared_with_itself() {
    let mut runs = both(three("a", 500.0, 1e6, 1000), three("b", 500.0, 1e6, 1000));
    for row in runs.iter_mut().filter(|run| run.arm == "b").flat_map(|run| &mut run.rows) {
        if (row.offered - 300.0).abs() < 1.0 {
            row.cpu_nanos_per_request = row.cpu_nanos_per_request.map(|cpu| cpu * 0.8);
        }
    }
    let found = compared(&runs);
    assert!(near(found.matched[0].cpu.value, 1.0) && near(found.matched[1].cpu.value, 0.8), "{:?}", found.matched);
}

#[test]
fn a_run_whose_cost_is_zero_is_left_out_of_the_cost() {
    let mut runs = both(three("a", 500.0, 1e6, 1000), three("b", 500.0, 1e6, 1000));
    for row in &mut runs[3].rows {
        row.cpu_nanos_per_request = Some(0.0);
    }
    let found = compared(&runs);
    assert!(found.cpu.value.is_some_and(|value| (value - 1.0).abs() < 0.01), "{:?}", found.cpu);
    assert!(near(found.capacity.value, 1.0));
}

#[test]
fn a_run_that_delivered_nothing_has_no_capacity() {
    let mut runs = three("a", 500.0, 1e6, 1000);
    runs[0].judgement.capacity = Some(Capacity { per_second: 0.0, at_least: true });
    let arm = judge(&planned(json!({})), &runs).arms.remove(0);
    assert_eq!(arm.replicates[0].capacity, None);
    assert_eq!(arm.replicates[0].reason.as_deref(), Some("no step can be judged"));
    assert!(!arm.capacity.unwrap().at_least && near(arm.low, 500.0));
}

#[test]
fn a_threshold_for_another_body_is_not_asked_of_this_one() {
    let asked = |body: Value| {
        let mut threshold = json!({"name": "t", "arm": "a", "capacityPerSecond": {"atLeast": 400}});
        if !body.is_null() {
            threshold["body"] = body;
        }
        judge(&planned(json!({"thresholds": [threshold]})), &three("a", 500.0, 1e6, 1000)).thresholds.len()
    };
    assert_eq!((asked(Value::Null), asked(json!("tiny")), asked(json!("other"))), (1, 1, 0));
}

#[test]
fn a_fingerprint_is_what_the_plan_and_the_machine_say() {
    let plan = planned(json!({}));
    let machine = Machine { kernel: "6.1".to_owned(), smt: Some(true), ..Machine::default() };
    let found = fingerprint(&plan.runs[0], "soak 0.1", &machine);
    let planned: Vec<&str> = plan.runs[0].fingerprint.split_whitespace().collect();
    assert!(!planned.is_empty());
    for part in planned {
        let (name, value) = part.split_once(':').unwrap();
        assert_eq!(found[name], value);
    }
    let machine = ["kernel", "SMT", "interrupt accounting", "governor", "cgroups", "measured by"];
    let told = machine.map(|name| found[name].as_str());
    assert_eq!(told, ["6.1", "yes", "unknown", "unknown", "unknown", "soak 0.1"]);
}
