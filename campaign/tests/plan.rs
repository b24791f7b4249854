//! Plans and refusals: what each spec gives, as tables.

#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "a test")]

use serde_json::{Value, json};
use soak_campaign::plan::{self, Executor, Means, Plan, PlannedStep, Program, StepKind, check::faults};
use soak_crds::SoakCampaignSpec;
use soak_sample::{ClientShape, Idle, PoolPolicy};

/// A small valid campaign.
fn small() -> Value {
    json!({
        "arms": [{"name": "rest", "server": {"preset": "rest"}, "protocol": "Http1"}],
        "bodies": [{"preset": "Tiny"}],
        "ramp": {"warmup": {"rate": 100, "duration": "5s"}, "steps": {"rates": [200, 400]}, "stepDuration": "5s"},
        "replicates": 1
    })
}

/// The small campaign with changes laid over it: objects are merged, everything else is replaced.
fn with(changes: &Value) -> SoakCampaignSpec {
    let mut spec = small();
    lay(&mut spec, changes);
    let resource =
        json!({"apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": {"name": "c"}, "spec": spec});
    serde_json::from_value(soak_crds::with_defaults(&resource)["spec"].clone()).unwrap()
}

fn lay(below: &mut Value, above: &Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (field, value) in above {
                lay(below.entry(field).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above.clone(),
    }
}

fn planned(changes: &Value) -> Plan {
    let plan = plan::plan(&with(changes), "c", &Means::default()).unwrap();
    assert_eq!(faults(&plan), Vec::<String>::new());
    plan
}

fn refused(changes: &Value, means: &Means) -> Vec<String> {
    let refusals = plan::plan(&with(changes), "c", means).err().unwrap_or_default();
    refusals
        .into_iter()
        .map(|refusal| {
            let value = refusal.value.map(|value| format!(" ({value})")).unwrap_or_default();
            format!("{}{value} {}", refusal.field, refusal.message)
        })
        .collect()
}

/// The refusals begin with these texts, and there are no others.
fn check(changes: &Value, expected: &[&str]) {
    let refused = refused(changes, &Means::default());
    let same = refused.len() == expected.len() && refused.iter().zip(expected).all(|(is, begin)| is.starts_with(begin));
    assert!(same, "{changes}\n  refused: {refused:#?}\n  expected: {expected:#?}");
}

#[test]
fn a_ramp_that_cannot_be_run_is_refused() {
    let steps = |steps: Value| json!({"ramp": {"steps": steps}});
    check(&steps(json!({"rates": [200, 200]})), &["spec.ramp.steps.rates[1] (200) must rise: 200 follows 200"]);
    check(&steps(json!({"rates": [400, 200]})), &["spec.ramp.steps.rates[1] (200) must rise"]);
    check(&steps(json!({"rates": [0, 200]})), &["spec.ramp.steps.rates[0] (0) must be 1 to 1000000"]);
    check(&steps(json!({"rates": [200, 1_000_000_000]})), &["spec.ramp.steps.rates[1] (1000000000) must be 1 to"]);
    check(&steps(json!(null)), &["spec.ramp.steps is needed"]);
    let even = |from: i64, to: i64, by: i64| steps(json!({"rates": [], "from": from, "to": to, "by": by}));
    check(&even(600, 200, 200), &["spec.ramp.steps.to (200) must not be less than from"]);
    check(&even(200, 900, 200), &["spec.ramp.steps.by (200) must divide the way from 200 to 900"]);
    check(&even(1, 1000, 1), &["spec.ramp.steps.by (1) makes 1000 steps"]);
    check(&even(200, 600, 0), &["spec.ramp.steps.by (0) must be at least 1"]);
    check(&json!({"ramp": {"stepDuration": "500ms"}}), &["spec.ramp.stepDuration (500ms) must be 1s to 24h"]);
    check(&json!({"ramp": {"warmup": {"rate": 0}}}), &["spec.ramp.warmup.rate (0) must be"]);
    let days = json!({"ramp": {"stepDuration": "24h", "steps": {"rates": (1..40).collect::<Vec<_>>()}}});
    check(&days, &["spec.ramp makes 39 days of load"]);
}

#[test]
fn a_hold_is_made_in_stretches_of_equal_length() {
    let check = |duration: &str, stretches: usize, seconds: i64| {
        let hold = json!({"ramp": {"hold": {"rate": 300, "duration": duration}, "steps": null}});
        let steps = planned(&hold).runs[0].steps[1..].to_vec();
        let same = |step: &PlannedStep| {
            (step.kind, step.rate, step.duration_nanos) == (StepKind::Hold, 300, seconds * 1_000_000_000)
        };
        assert!(steps.len() == stretches && steps.iter().all(same), "{duration}: {steps:?}");
    };
    check("4h", 240, 60);
    check("24h", 720, 120);
    check("2m", 12, 10);
    check("10s", 10, 1);
}

#[test]
fn a_refusal_names_the_place_where_the_field_was_written() {
    let arm = |ramp: Value| json!({"arms": [{"name": "rest", "server": {"preset": "rest"}, "protocol": "Http1", "ramp": ramp}]});
    check(&arm(json!({"steps": {"rates": [2, 1]}})), &["spec.arms[0].ramp.steps.rates[1] (1) must rise"]);
    check(&arm(json!({"stepDuration": "1ms"})), &["spec.arms[0].ramp.stepDuration (1ms)"]);
    let campaign = json!({"client": {"workers": 4, "connections": 2}});
    check(&campaign, &["spec.client.connections (2) leaves 2 connections for 4 workers"]);
}

#[test]
fn a_fault_of_the_campaign_is_told_once_however_many_arms_it_touches() {
    let arm = |name: &str| json!({"name": name, "server": {"preset": "rest"}, "protocol": "Http1"});
    check(
        &json!({"arms": [arm("a"), arm("b"), arm("c")], "ramp": {"stepDuration": "1ms"}}),
        &["spec.ramp.stepDuration (1ms)"],
    );
}

#[test]
fn all_refusals_come_at_once() {
    check(
        &json!({
            "arms": [{"name": "own", "server": {"local": {"command": ["./own"]}}, "protocol": "Http1"}],
            "bodies": [{"preset": "Tiny"}, {"preset": "Tiny"}],
            "ramp": {"steps": {"rates": [5, 4]}, "stepDuration": "1ms"},
            "client": {"cpu": "500m"},
            "bench": "Steady"
        }),
        &[
            "spec.bench is not supported yet",
            "spec.bodies[1].name (tiny) is the name of an earlier body",
            "spec.arms[0].server.port is needed",
            "spec.arms[0].request is needed",
            "spec.ramp.stepDuration (1ms)",
            "spec.ramp.steps.rates[1] (4) must rise",
            "spec.client.cpu (500m) must be at least 1200m",
        ],
    );
}

#[test]
fn what_has_no_effect_yet_is_refused_by_name() {
    let supported = "is not supported yet";
    for (field, value) in [
        ("bench", json!("ColdStart")),
        ("profile", json!({"kind": "Agent"})),
        ("tls", json!({"mode": "SelfSigned"})),
        ("pool", json!("lab")),
        ("retention", json!({"keepLast": 3})),
        ("suspend", json!(true)),
        ("cancel", json!(true)),
        ("withdrawn", json!([{"run": "a-b-r1", "reason": "wrong"}])),
        ("placement", json!("SameNode")),
    ] {
        check(&json!({field: value}), &[&format!("spec.{field} {supported}")]);
    }
    let cluster = Means { executor: Executor::Cluster, ..Means::default() };
    let open = json!({"retention": {"keepLast": 3}, "withdrawn": [{"run": "a-b-r1", "reason": "wrong"}]});
    assert_eq!(refused(&open, &cluster), Vec::<String>::new(), "both take effect on a cluster, at any time");
    for protocol in ["GrpcServerStream", "GrpcClientStream", "WebSocket", "RSocket"] {
        let arm = json!({"arms": [{"name": "a", "server": {"preset": "grpc"}, "protocol": protocol}]});
        check(&arm, &[&format!("spec.arms[0].protocol ({protocol}) {supported}")]);
    }
    for preset in ["websocket", "rsocket", "jvm-rest", "jvm-grpc", "jvm-websocket", "jvm-rsocket"] {
        let arm = json!({"arms": [{"name": "a", "server": {"preset": preset}, "protocol": "Http1"}]});
        check(&arm, &[&format!("spec.arms[0].server.preset ({preset}) {supported}")]);
    }
    check(
        &json!({"client": {"drivers": 2}}),
        &["spec.client.drivers (2) is not supported yet; on one machine raise workers"],
    );
    let server = |server: Value| {
        let request = json!({"path": "/"});
        json!({"arms": [{"name": "a", "server": server, "protocol": "Http1", "request": request}]})
    };
    let image = server(json!({"image": "a:1", "port": 80}));
    check(&image, &["spec.arms[0].server.image (a:1) is not supported yet; write local.command"]);
    check(&server(json!({"service": "a", "port": 80})), &["spec.arms[0].server.service (a) is not supported yet"]);
}

#[test]
fn a_server_with_an_image_and_a_command_runs_by_command_on_one_machine() {
    let plan = planned(&json!({"arms": [{
        "name": "cart",
        "server": {"image": "cart:1", "port": 8080, "local": {"command": ["./cart", "-v"]}},
        "protocol": "Http1",
        "request": {"method": "GET", "path": "/cart"}
    }]}));
    assert_eq!(plan.arms[0].server.program, Program::Command(vec!["./cart".to_owned(), "-v".to_owned()]));
    let request = &plan.runs[0].request;
    assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/cart"));
    assert_eq!((request.body.len(), &request.content_type), (0, &None));
}

#[test]
fn each_protocol_has_its_own_client_where_nothing_is_written() {
    let check = |preset: &str, protocol: &str, expected: (u32, u32, u32, u32), drain_millis: i64| {
        let plan = planned(&json!({"arms": [{"name": "a", "server": {"preset": preset}, "protocol": protocol}]}));
        let client = &plan.arms[0].client;
        let (connections, max_concurrent_streams, max_in_flight, streams) = expected;
        let shape =
            ClientShape { connections, max_concurrent_streams, max_in_flight, streams, pool: PoolPolicy::AsNeeded };
        assert_eq!(client.shape, shape, "{protocol}");
        assert_eq!(client.drain_nanos, drain_millis * 1_000_000, "{protocol}");
        assert_eq!((client.idle, client.workers, client.drivers, client.cpu_milli), (Idle::Spin, 1, 1, 1200));
    };
    check("rest", "Http1", (256, 1, 256, 0), 5_000);
    check("rest", "Http2", (8, 512, 4096, 0), 5_000);
    check("grpc", "GrpcUnary", (8, 512, 4096, 0), 5_000);
    check("grpc", "GrpcStream", (1, 256, 5120, 20), 500);
}

#[test]
fn an_arms_own_client_and_ramp_are_laid_over_the_campaigns_field_by_field() {
    let plan = planned(&json!({
        "arms": [{
            "name": "a", "server": {"preset": "grpc"}, "protocol": "GrpcStream",
            "client": {"streams": 40, "workers": 2}, "ramp": {"stepDuration": "9s"}
        }],
        "client": {"idle": "Sleep", "streams": 30, "maxConcurrentStreams": 10, "arrivals": "Poisson", "seed": 7}
    }));
    let client = &plan.arms[0].client;
    assert_eq!((client.shape.streams, client.shape.max_concurrent_streams, client.shape.max_in_flight), (40, 10, 400));
    assert_eq!((client.shape.connections, client.cpu_milli), (2, 2000));
    assert_eq!((client.idle, client.arrivals.seed), (Idle::Sleep, 7));
    let steps: Vec<(i64, i64)> =
        plan.runs[0].steps.iter().map(|step| (step.rate, step.duration_nanos / 1_000_000_000)).collect();
    assert_eq!(steps, [(100, 5), (200, 9), (400, 9)]);
}

#[test]
fn fields_without_meaning_for_a_protocol_are_refused_where_they_were_written_for_it() {
    let arm = |protocol: &str, client: Value| {
        let preset = if protocol.starts_with("Grpc") { "grpc" } else { "rest" };
        json!({"arms": [{"name": "a", "server": {"preset": preset}, "protocol": protocol, "client": client}]})
    };
    check(&arm("Http1", json!({"maxConcurrentStreams": 2})), &["spec.arms[0].client.maxConcurrentStreams (2)"]);
    check(&arm("Http2", json!({"streams": 2})), &["spec.arms[0].client.streams (2) has a meaning over GrpcStream"]);
    check(
        &json!({"client": {"streams": 2}}),
        &["spec.client.streams (2) has a meaning over GrpcStream alone, and no arm"],
    );
    let settings = |settings: Value| json!({"arms": [{"name": "a", "server": {"preset": "rest", "settings": settings}, "protocol": "Http1"}]});
    check(&settings(json!({"initialWindow": 70_000})), &["spec.arms[0].server.settings.initialWindow (70000)"]);
    check(&settings(json!({"inboundCredits": 7})), &["spec.arms[0].server.settings.inboundCredits (7)"]);
}

#[test]
fn a_spinning_driver_without_spare_cpu_is_refused_unless_throttling_is_accepted() {
    check(&json!({"client": {"cpu": "1"}}), &["spec.client.cpu (1) must be at least 1200m"]);
    check(&json!({"client": {"cpu": "1200m"}}), &[]);
    check(&json!({"client": {"cpu": "1", "idle": "Sleep"}}), &[]);
    check(&json!({"client": {"cpu": "500m", "throttling": "Accept"}}), &[]);
    check(&json!({"client": {"workers": 2, "cpu": "2"}}), &["spec.client.cpu (2) must be at least 2200m"]);
}

#[test]
fn a_gap_bound_that_the_drain_alone_passes_is_refused() {
    check(&json!({"judge": {"gapMillis": 5_200}}), &["spec.judge.gapMillis (5200) must be at least 5700"]);
    check(&json!({"judge": {"gapMillis": 5_700}}), &[]);
    check(&json!({"judge": {"gapMillis": 1_200}, "client": {"drain": "500ms"}}), &[]);
}

#[test]
fn bodies_come_from_presets_texts_base64_and_files() {
    let means = Means {
        executor: Executor::Local,
        files: [("b.bin".to_owned(), Ok(vec![1, 2, 3])), ("gone".to_owned(), Err("no such file".to_owned()))].into(),
    };
    let bodies = json!({"bodies": [
        {"preset": "Tiny"},
        {"name": "text", "text": "hi", "contentType": "text/plain"},
        {"name": "raw", "base64": "AQI="},
        {"name": "file", "file": "b.bin"}
    ]});
    let plan = plan::plan(&with(&bodies), "c", &means).unwrap();
    assert_eq!(faults(&plan), Vec::<String>::new());
    let mut got: Vec<_> = plan
        .runs
        .iter()
        .map(|run| (run.body.as_str(), run.request.body.len(), run.request.content_type.as_deref(), run.body_leaves))
        .collect();
    got.sort_unstable();
    let json = Some("application/json");
    let expected = [
        ("file", 3, json, None),
        ("raw", 2, json, None),
        ("text", 2, Some("text/plain"), None),
        ("tiny", 16, json, Some(1)),
    ];
    assert_eq!(got, expected);
    let lost = refused(&json!({"bodies": [{"name": "f", "file": "gone"}]}), &means);
    assert_eq!(lost, ["spec.bodies[0].file (gone) cannot be read: no such file"]);
    let large = Means { files: [("b".to_owned(), Ok(vec![0; (1 << 20) + 1]))].into(), ..Means::default() };
    let large = refused(&json!({"bodies": [{"name": "f", "file": "b"}]}), &large);
    assert_eq!(large, ["spec.bodies[0] (1048577 bytes) must be at most 1048576 bytes"]);
}

#[test]
fn presets_are_asked_on_their_own_paths() {
    let check = |preset: &str, protocol: &str, path: &str, content_type: &str, bytes: usize| {
        let plan = planned(&json!({"arms": [{"name": "a", "server": {"preset": preset}, "protocol": protocol}]}));
        let request = &plan.runs[0].request;
        let got = (request.path.as_str(), request.content_type.as_deref(), request.body.len());
        assert_eq!(got, (path, Some(content_type), bytes));
    };
    check("rest", "Http1", "/echo", "application/json", 16);
    check("rest", "Http2", "/echo", "application/json", 16);
    check("grpc", "GrpcUnary", "/soak.echo.v1.Echo/Unary", "application/grpc", 7);
    check("grpc", "GrpcStream", "/soak.echo.v1.Echo/Stream", "application/grpc", 7);
}

#[test]
fn levers_are_tried_one_at_a_time_and_then_together() {
    let plan = planned(&json!({
        "arms": [
            {"name": "a", "server": {"preset": "rest", "settings": {"codec": "Compiled"}}, "protocol": "Http1"},
            {"name": "b", "server": {"preset": "rest"}, "protocol": "Http2"}
        ],
        "levers": [
            {"name": "dynamic", "arms": ["a", "b"], "settings": {"codec": "Dynamic"}},
            {"name": "half", "arms": ["a"], "resources": {"cpu": "500m"}, "env": [{"name": "X", "value": "1"}]}
        ]
    }));
    let names: Vec<&str> = plan.arms.iter().map(|arm| arm.name.as_str()).collect();
    assert_eq!(names, ["a", "a+dynamic", "a+half", "a+dynamic+half", "b", "b+dynamic"]);
    let stacked = &plan.arms[3];
    assert_eq!(stacked.variant_of.as_deref(), Some("a"));
    assert_eq!((stacked.server.cpu_milli, stacked.server.env.len()), (500, 1));
    assert_eq!(stacked.server.settings.codec, Some(soak_crds::spec::Codec::Dynamic));
    assert_eq!((plan.arms[1].server.cpu_milli, plan.arms[1].server.env.len()), (1000, 0));
    assert!(plan.runs.iter().any(|run| run.id.0 == "a.dynamic.half-tiny-r1"));
}

#[test]
fn levers_that_name_no_arm_or_have_no_meaning_are_refused() {
    let lever = |lever: Value| json!({"levers": [lever]});
    check(
        &lever(json!({"name": "l", "arms": ["x"], "resources": {"cpu": "1"}})),
        &["spec.levers[0].arms[0] (x) must be one of spec.arms: rest"],
    );
    check(
        &lever(json!({"name": "l", "arms": ["rest"], "args": ["-v"]})),
        &["spec.levers[0].args is not supported yet"],
    );
    check(
        &lever(json!({"name": "l", "arms": ["rest"], "client": {"streams": 3}})),
        &["spec.levers[0].client.streams (3) has a meaning over GrpcStream"],
    );
}

#[test]
fn runs_come_in_rounds_in_an_order_that_the_seed_decides() {
    let arms: Vec<Value> =
        (0..6).map(|n| json!({"name": format!("a{n}"), "server": {"preset": "rest"}, "protocol": "Http1"})).collect();
    let order = |order: Value| {
        let plan = planned(&json!({"arms": arms, "replicates": 3, "order": order}));
        plan.runs.iter().map(|run| run.id.0.clone()).collect::<Vec<_>>()
    };
    let random = order(json!({"seed": 4}));
    assert_eq!(random, order(json!({"seed": 4})));
    assert_ne!(random, order(json!({"seed": 5})));
    let round = |from: usize| random[from..from + 6].iter().map(|id| id.split('-').next().unwrap()).collect::<Vec<_>>();
    assert!(round(0) != round(6) || round(6) != round(12), "{random:?}");
    let written = order(json!({"kind": "AsWritten"}));
    assert_eq!(
        &written[..7],
        ["a0-tiny-r1", "a1-tiny-r1", "a2-tiny-r1", "a3-tiny-r1", "a4-tiny-r1", "a5-tiny-r1", "a0-tiny-r2"]
    );
}

#[test]
fn names_of_runs_stay_short_and_apart() {
    let arm = |name: &str| json!({"name": name, "server": {"preset": "rest"}, "protocol": "Http1"});
    let long = "a".repeat(40);
    let plan = planned(
        &json!({"arms": [arm(&long), arm(&(long[1..].to_owned() + "b"))], "bodies": [{"preset": "Realistic", "name": "b".repeat(40)}]}),
    );
    assert!(plan.runs.iter().all(|run| run.id.0.len() <= 50), "{:?}", plan.runs[0].id);
    let own = |name: &str| json!({"name": name, "text": "x"});
    check(
        &json!({"arms": [arm("a-b"), arm("a")], "bodies": [own("c"), own("b-c")]}),
        &["spec.arms gives two runs the name a-b-c-r1"],
    );
}

#[test]
fn an_arm_without_bodies_under_several_bodies_is_refused() {
    let arm = json!({"name": "own", "server": {"local": {"command": ["./own"]}, "port": 80}, "protocol": "Http1", "request": {"method": "GET"}});
    check(
        &json!({"arms": [arm], "bodies": [{"preset": "Tiny"}, {"preset": "Dense"}]}),
        &["spec.bodies holds 2 bodies, and arm own"],
    );
}

#[test]
fn headers_that_the_driver_writes_are_refused() {
    let arm = |name: &str| {
        let request = json!({"headers": [{"name": name, "value": "x"}]});
        json!({"arms": [{"name": "own", "server": {"local": {"command": ["./own"]}, "port": 80}, "protocol": "Http1", "request": request}]})
    };
    check(&arm("x-tenant"), &[]);
    check(
        &arm("content-length"),
        &["spec.arms[0].request.headers[0].name (content-length) is written by the driver; leave it out"],
    );
    check(
        &arm("content-type"),
        &["spec.arms[0].request.headers[0].name (content-type) is written by the driver; set bodies"],
    );
}

#[test]
fn the_expected_time_is_that_of_the_steps_and_their_drains() {
    let plan = planned(&json!({}));
    assert_eq!(plan.expected_millis, 2_500 + 3 * (5_000 + 5_000 + 200));
}

#[test]
fn runs_of_two_protocols_with_the_same_ramp_and_preset_body_have_one_fingerprint() {
    let arm = |name: &str, preset: &str, protocol: &str| json!({"name": name, "server": {"preset": preset}, "protocol": protocol});
    let arms = json!([arm("a", "rest", "Http1"), arm("b", "grpc", "GrpcUnary")]);
    let plan = planned(&json!({"arms": arms}));
    assert_eq!(plan.runs[0].fingerprint, plan.runs[1].fingerprint);
    let other = |changes: Value| planned(&changes).runs[0].fingerprint.clone();
    let base = other(json!({}));
    let part = |text: &str, at: usize| text.split(' ').nth(at).unwrap().to_owned();
    let ramp = other(json!({"ramp": {"stepDuration": "6s"}}));
    let client = other(json!({"client": {"connections": 9}}));
    let body = other(json!({"bodies": [{"preset": "Dense"}]}));
    for (at, changed) in [(0, ramp), (1, body), (2, client)] {
        for place in 0..3 {
            assert_eq!(part(&base, place) != part(&changed, place), place == at, "{base} and {changed}");
        }
    }
}

#[test]
fn the_hash_changes_with_whatever_is_asked_and_with_nothing_else() {
    let hash = |changes: Value| planned(&changes).hash;
    let base = hash(json!({}));
    assert_eq!(base, hash(json!({})));
    let arm = |changes: Value| {
        let mut arm = small()["arms"][0].clone();
        lay(&mut arm, &changes);
        json!({"arms": [arm]})
    };
    let changes = [
        json!({"replicates": 2}),
        json!({"order": {"seed": 2}}),
        json!({"order": {"kind": "AsWritten"}}),
        json!({"bodies": [{"preset": "Dense"}]}),
        json!({"bodies": [{"preset": "Tiny", "name": "small"}]}),
        json!({"ramp": {"warmup": {"rate": 101}}}),
        json!({"ramp": {"warmup": {"duration": "6s"}}}),
        json!({"ramp": {"steps": {"rates": [200, 401]}}}),
        json!({"ramp": {"stepDuration": "6s"}}),
        json!({"ramp": {"extend": {"maxSteps": 1}}}),
        json!({"slo": {"p99": "50ms"}}),
        json!({"judge": {"kneeP50Factor": 11}}),
        json!({"client": {"connections": 255}}),
        json!({"client": {"pool": "Eager"}}),
        json!({"client": {"idle": "Sleep"}}),
        json!({"client": {"workers": 2}}),
        json!({"client": {"arrivals": "Poisson"}}),
        json!({"client": {"seed": 2}}),
        json!({"client": {"expectConnections": 256}}),
        json!({"client": {"timeout": "1s"}}),
        json!({"client": {"drain": "1s"}}),
        json!({"client": {"cpu": "1300m"}}),
        arm(json!({"name": "other"})),
        arm(json!({"protocol": "Http2"})),
        arm(json!({"server": {"env": [{"name": "X", "value": "1"}]}})),
        arm(json!({"server": {"settings": {"codec": "Dynamic"}}})),
        arm(json!({"server": {"resources": {"cpu": "500m"}}})),
        arm(json!({"server": {"resources": {"memory": "512Mi"}}})),
        arm(json!({"server": {"port": 81}})),
        arm(json!({"server": {"readyPath": "/x"}})),
        arm(json!({"server": {"readyTimeout": "61s"}})),
        arm(json!({"server": {"reproducible": false}})),
        json!({"levers": [{"name": "l", "arms": ["rest"], "resources": {"cpu": "500m"}}]}),
    ];
    let mut hashes: Vec<String> = changes.iter().map(|change| hash(change.clone())).chain([base]).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), changes.len() + 1, "two different campaigns have one hash");
}

#[test]
fn a_plan_survives_its_own_json() {
    let plan = planned(&json!({"slo": {"p99": "50ms"}, "replicates": 2}));
    let json = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
}

#[test]
fn the_check_finds_what_is_wrong_with_a_plan() {
    let check = |spoil: fn(&mut Plan), expected: &str| {
        let mut plan = planned(&json!({"replicates": 2}));
        spoil(&mut plan);
        let faults = faults(&plan);
        assert!(faults.iter().any(|fault| fault.contains(expected)), "{expected}: {faults:?}");
    };
    check(|plan| plan.expected_millis += 1, "add up");
    check(|plan| plan.hash.clear(), "hash");
    check(|plan| plan.runs[1].id = plan.runs[0].id.clone(), "twice");
    check(|plan| plan.runs[0].id.0 = "../x".to_owned(), "unsafe");
    check(|plan| plan.runs.swap(0, 1), "later round");
    check(|plan| plan.runs.truncate(1), "not there exactly once");
    check(|plan| plan.runs[0].body = "other".to_owned(), "was not asked for");
    check(|plan| plan.runs[0].steps[1].rate = 999, "does not rise");
    check(|plan| plan.runs[0].steps.truncate(1), "no step is judged");
    check(|plan| plan.runs[0].steps[2].index = 7, "index 7");
    check(|plan| plan.arms[0].client.shape.connections = 0, "fewer connections");
    check(|plan| plan.arms[0].client.shape.streams = 1, "streams on a protocol");
}
