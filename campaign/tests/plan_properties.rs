//! Whatever spec the schema's structure admits gives a plan that holds, or refusals; always the same; never a panic.

#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "a test")]

use proptest::{prelude::*, sample::select, strategy::ValueTree};
use serde_json::{Value, json};
use soak_campaign::plan::{self, Means, check::faults};
use soak_crds::SoakCampaignSpec;

/// A field that may be left out.
fn maybe<S: Strategy<Value = Value> + 'static>(name: &'static str, value: S) -> BoxedStrategy<Vec<(String, Value)>> {
    prop_oneof![
        9 => Just(Vec::new()),
        1 => value.prop_map(move |value| vec![(name.to_owned(), value)]),
    ]
    .boxed()
}

fn object(fields: Vec<BoxedStrategy<Vec<(String, Value)>>>) -> impl Strategy<Value = Value> {
    fields.prop_map(|fields| Value::Object(fields.into_iter().flatten().collect()))
}

fn span() -> impl Strategy<Value = Value> {
    let fair = select(vec!["1s", "5s", "110s", "10m"]);
    let wild = select(vec!["0s", "1ms", "500ms", "1h30m", "24h", "9999h"]);
    prop_oneof![9 => fair, 1 => wild].prop_map(Value::from)
}

fn rate() -> impl Strategy<Value = Value> {
    prop_oneof![9 => 1_i64..20_000, 1 => 1_i64..10_000_000].prop_map(Value::from)
}

fn steps() -> impl Strategy<Value = Value> {
    let even = (1_i64..2_000, 1_i64..50, 1_i64..500)
        .prop_map(|(from, count, by)| json!({"from": from, "to": from + count * by, "by": by}));
    let any = object(vec![maybe("from", rate()), maybe("to", rate()), maybe("by", rate())]);
    let listed = prop::collection::btree_set(1_i64..100_000, 1..12).prop_map(|rates| json!({"rates": rates}));
    prop_oneof![9 => even, 1 => any, 9 => listed]
}

fn ramp() -> impl Strategy<Value = Value> {
    object(vec![
        maybe("warmup", (rate(), span()).prop_map(|(rate, span)| json!({"rate": rate, "duration": span}))),
        maybe("stepDuration", span()),
        maybe("extend", (1_i64..100).prop_map(|n| json!({"maxSteps": n}))),
        maybe("hold", (rate(), span()).prop_map(|(rate, span)| json!({"rate": rate, "duration": span}))),
        maybe("steps", steps()),
    ])
}

fn client() -> impl Strategy<Value = Value> {
    let number = |most: i64| prop_oneof![1_i64..64, 1..=most].prop_map(Value::from);
    object(vec![
        maybe("connections", number(65_535)),
        maybe("maxConcurrentStreams", number(1_000_000)),
        maybe("maxInFlight", number(10_000_000)),
        maybe("streams", number(65_535)),
        maybe("workers", number(64)),
        maybe("drivers", number(64)),
        maybe("seed", number(9_007_199_254_740_991)),
        maybe("expectConnections", number(4_000_000)),
        maybe("pool", select(vec!["AsNeeded", "Eager"]).prop_map(Value::from)),
        maybe("idle", select(vec!["Spin", "Sleep"]).prop_map(Value::from)),
        maybe("arrivals", select(vec!["Uniform", "Poisson"]).prop_map(Value::from)),
        maybe("throttling", select(vec!["Refuse", "Accept"]).prop_map(Value::from)),
        maybe("timeout", span()),
        maybe("drain", span()),
        maybe("cpu", select(vec!["1m", "500m", "1", "1.2", "64"]).prop_map(Value::from)),
    ])
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![9 => "[a-z]{3,5}", 1 => "[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?"]
}

fn arm() -> impl Strategy<Value = Value> {
    let fair = select(vec![("rest", "Http1"), ("rest", "Http2"), ("grpc", "GrpcUnary"), ("grpc", "GrpcStream")]);
    let not_yet = select(vec![("grpc", "GrpcClientStream"), ("jvm-rest", "Http1")]);
    let pair = prop_oneof![19 => fair, 1 => not_yet];
    let settings = object(vec![
        maybe("codec", select(vec!["Compiled", "Dynamic"]).prop_map(Value::from)),
        maybe("executor", select(vec!["Direct", "Threads", "Virtual"]).prop_map(Value::from)),
        maybe("inboundCredits", (1_i64..9).prop_map(Value::from)),
    ]);
    let rest = object(vec![maybe("client", client()), maybe("ramp", ramp())]);
    (name(), pair, prop::option::weighted(0.2, settings), rest).prop_map(
        |(name, (preset, protocol), settings, rest)| {
            let mut arm = json!({"name": name, "server": {"preset": preset}, "protocol": protocol});
            if let Some(settings) = settings {
                arm["server"]["settings"] = settings;
            }
            if let (Value::Object(arm), Value::Object(rest)) = (&mut arm, rest) {
                arm.extend(rest);
            }
            arm
        },
    )
}

fn body() -> impl Strategy<Value = Value> {
    let preset = select(vec!["Tiny", "Realistic", "Dense"]).prop_map(|preset| json!({"preset": preset}));
    let own = (name(), "[ -~]{0,20}").prop_map(|(name, text)| json!({"name": name, "text": text}));
    let file = name().prop_map(|name| json!({"name": name, "file": "f"}));
    let base64 = name().prop_map(|name| json!({"name": name, "base64": "AQ=="}));
    prop_oneof![1 => preset, 1 => own, 1 => file, 1 => base64]
}

fn spec() -> impl Strategy<Value = Value> {
    let lever = (name(), name(), client())
        .prop_map(|(name, arm, client)| json!({"name": name, "arms": [arm], "client": client}));
    let fields = object(vec![
        maybe("client", client()),
        maybe("replicates", (1_i64..20).prop_map(Value::from)),
        maybe("order", (0_i64..9).prop_map(|seed| json!({"seed": seed}))),
        maybe("levers", prop::collection::vec(lever, 1..3).prop_map(Value::from)),
        maybe("slo", span().prop_map(|span| json!({"p99": span}))),
    ]);
    let lists = (prop::collection::vec(arm(), 1..4), prop::collection::vec(body(), 1..3), ramp(), steps(), fields);
    lists.prop_map(|(arms, bodies, mut ramp, steps, fields)| {
        if ramp.get("hold").is_none() {
            ramp["steps"] = steps;
        }
        let mut spec = json!({"arms": arms, "bodies": bodies, "ramp": ramp});
        if let (Value::Object(spec), Value::Object(fields)) = (&mut spec, fields) {
            spec.extend(fields);
        }
        spec
    })
}

fn read(spec: Value) -> SoakCampaignSpec {
    let resource =
        json!({"apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": {"name": "c"}, "spec": spec});
    serde_json::from_value(soak_crds::with_defaults(&resource)["spec"].clone()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_spec_gives_a_plan_that_holds_or_says_why_not(spec in spec()) {
        let spec = read(spec);
        let means = Means { files: [("f".to_owned(), Ok(vec![7]))].into(), ..Means::default() };
        let planned = plan::plan(&spec, "c", &means);
        prop_assert_eq!(&planned, &plan::plan(&spec.clone(), "c", &means));
        match planned {
            Ok(plan) => prop_assert_eq!(faults(&plan), Vec::<String>::new()),
            Err(refusals) => {
                prop_assert!(!refusals.is_empty());
                for refusal in refusals {
                    prop_assert!(refusal.field.to_string().starts_with("spec."), "{:?}", refusal);
                    prop_assert!(!refusal.message.is_empty());
                }
            }
        }
    }
}

/// The generator above is worth something only if a fair share of its specs can be planned.
#[test]
fn the_generated_specs_are_of_both_kinds() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let means = Means { files: [("f".to_owned(), Ok(vec![7]))].into(), ..Means::default() };
    let planned = (0..400)
        .filter(|_| {
            let spec = spec().new_tree(&mut runner).unwrap().current();
            plan::plan(&read(spec), "c", &means).is_ok()
        })
        .count();
    assert!((20..=380).contains(&planned), "{planned} of 400 specs were planned");
}
