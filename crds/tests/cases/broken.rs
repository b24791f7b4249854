//! Campaigns that break one rule each. Shared by the tests in process and those on a real API server.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use serde_json::{Value, json};

/// A campaign that keeps every rule and has an object of every kind.
pub fn sound() -> Value {
    json!({
        "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": {"name": "x"},
        "spec": {
            "arms": [
                {"name": "rest", "server": {"preset": "rest"}, "protocol": "Http1"},
                {"name": "grpc", "server": {"preset": "jvm-grpc", "jvmOptions": ["-Xmx1g"]}, "protocol": "GrpcUnary",
                 "ramp": {"steps": {"rates": [1, 2, 3]}}},
                {"name": "cart", "server": {"image": "cart:1", "port": 80, "local": {"command": ["./cart"]}},
                 "protocol": "GrpcUnary", "request": {"grpc": {"service": "a.B", "method": "C"}}},
                {"name": "hold", "server": {"local": {"command": ["./x"]}, "port": 80}, "protocol": "Http2",
                 "request": {"method": "GET", "path": "/"}, "ramp": {"hold": {"rate": 1, "duration": "1h"}}},
                {"name": "socket", "server": {"preset": "websocket"}, "protocol": "WebSocket"},
                {"name": "rsocket", "server": {"preset": "jvm-rsocket"}, "protocol": "RSocket"},
            ],
            "bodies": [{"preset": "Tiny"}, {"name": "own", "text": "{}"}],
            "ramp": {"steps": {"from": 1, "to": 10, "by": 1}, "extend": {"maxSteps": 2}},
            "slo": {"p99": "50ms"},
            "thresholds": [{"name": "t", "arm": "rest", "p99Micros": {"atMost": 1}}],
            "levers": [{"name": "l", "arms": ["rest"], "args": ["-x"]},
                       {"name": "m", "arms": ["grpc"], "resources": {"cpu": 2}}],
            "compare": [{"name": "c", "control": "rest", "treatment": "grpc"}],
            "predictions": [{"name": "p", "arm": "rest", "capacityPerSecond": {"atLeast": 1}},
                            {"name": "q", "compare": "c", "capacityRatioPermille": {"atLeast": 1, "atMost": 2}}],
            "retention": {"maxAge": "24h"},
        },
    })
}

/// A case: what is put where, and the field that is then refused.
pub fn cases() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("/arms/0/protocol", json!("GrpcUnary"), "spec.arms[0].protocol"),
        ("/arms/1/protocol", json!("Http2"), "spec.arms[1].protocol"),
        ("/arms/4/protocol", json!("RSocket"), "spec.arms[4].protocol"),
        ("/arms/5/protocol", json!("WebSocket"), "spec.arms[5].protocol"),
        ("/arms/0/request", json!({"path": "/x"}), "spec.arms[0].request"),
        ("/arms/3/request", json!({"grpc": {"service": "a", "method": "b"}}), "spec.arms[3].request.grpc"),
        ("/arms/2/request/path", json!("/x"), "spec.arms[2].request"),
        ("/arms/2/request", Value::Null, "spec.arms[2].request"),
        ("/arms/2/request", json!({}), "spec.arms[2].request.grpc"),
        ("/arms/0/server/image", json!("x"), "spec.arms[0].server"),
        ("/arms/3/server/local", Value::Null, "spec.arms[3].server"),
        ("/arms/0/server/local", json!({"command": ["x"]}), "spec.arms[0].server.local"),
        ("/arms/3/server/port", Value::Null, "spec.arms[3].server.port"),
        ("/arms/3/server/settings", json!({"workerThreads": 1}), "spec.arms[3].server.settings"),
        ("/arms/0/server/jvmOptions", json!(["-Xmx1g"]), "spec.arms[0].server.jvmOptions"),
        ("/arms/0/server/readyTimeout", json!("0s"), "spec.arms[0].server.readyTimeout"),
        ("/bodies/0/text", json!("x"), "spec.bodies[0]"),
        ("/bodies/0/preset", Value::Null, "spec.bodies[0]"),
        ("/bodies/1/name", Value::Null, "spec.bodies[1].name"),
        ("/ramp/hold", json!({"rate": 1, "duration": "1h"}), "spec.ramp"),
        ("/arms/3/ramp/extend", json!({"maxSteps": 1}), "spec.arms[3].ramp.extend"),
        ("/arms/3/ramp/hold/duration", json!("1s"), "spec.arms[3].ramp.hold.duration"),
        ("/ramp/stepDuration", json!("25h"), "spec.ramp.stepDuration"),
        ("/ramp/warmup", json!({"rate": 1, "duration": "25h"}), "spec.ramp.warmup.duration"),
        ("/ramp/steps/rates", json!([1]), "spec.ramp.steps"),
        ("/ramp/steps/by", Value::Null, "spec.ramp.steps"),
        ("/arms/1/ramp/steps/rates", json!([2, 1]), "spec.arms[1].ramp.steps.rates"),
        ("/ramp/steps/from", json!(11), "spec.ramp.steps.to"),
        ("/ramp/steps/to", json!(201), "spec.ramp.steps.by"),
        ("/ramp/steps/by", json!(2), "spec.ramp.steps.by"),
        ("/client", json!({"timeout": "11m"}), "spec.client.timeout"),
        ("/client", json!({"drain": "11m"}), "spec.client.drain"),
        ("/slo", json!({}), "spec.slo"),
        ("/slo", json!({"p50": "0s"}), "spec.slo.p50"),
        ("/slo", json!({"p99": "0s"}), "spec.slo.p99"),
        ("/slo", json!({"p999": "0s"}), "spec.slo.p999"),
        ("/thresholds/0/p99Micros", Value::Null, "spec.thresholds[0]"),
        ("/thresholds/0/p99Micros", json!({}), "spec.thresholds[0].p99Micros"),
        ("/thresholds/0/p99Micros", json!({"atLeast": 2, "atMost": 1}), "spec.thresholds[0].p99Micros.atMost"),
        ("/thresholds/0/arm", json!("none"), "spec.thresholds"),
        ("/levers/0/args", Value::Null, "spec.levers[0]"),
        ("/levers/0/arms", json!(["rest", "none"]), "spec.levers"),
        ("/levers/1/resources", json!({}), "spec.levers[1].resources"),
        ("/compare/0/treatment", json!("rest"), "spec.compare[0].treatment"),
        ("/compare/0/treatment", json!("none"), "spec.compare"),
        ("/compare/0/control", json!("none"), "spec.compare"),
        ("/predictions/0/compare", json!("c"), "spec.predictions[0]"),
        ("/predictions/0/arm", json!("none"), "spec.predictions"),
        ("/predictions/1/compare", json!("none"), "spec.predictions"),
        ("/predictions/1/capacityRatioPermille", Value::Null, "spec.predictions[1]"),
        ("/predictions/0/capacityPerSecond", Value::Null, "spec.predictions[0].capacityPerSecond"),
        ("/predictions/1/capacityPerSecond", json!({"atLeast": 1}), "spec.predictions[1].capacityPerSecond"),
        ("/predictions/0/cpuRatioPermille", json!({"atLeast": 1}), "spec.predictions[0].arm"),
        ("/judge", json!({"cleanAnsweredPerTenThousand": 9000}), "spec.judge"),
        ("/retention/maxAge", json!("1m"), "spec.retention.maxAge"),
    ]
}

/// The sound campaign with `value` put at `at` below the spec; null takes the field away.
pub fn changed(at: &str, value: &Value) -> Value {
    let mut campaign = sound();
    let (parent, name) = at.rsplit_once('/').unwrap();
    let parent = campaign["spec"].pointer_mut(parent).unwrap_or_else(|| panic!("no {parent}")).as_object_mut().unwrap();
    if value.is_null() {
        parent.remove(name).unwrap_or_else(|| panic!("no {at}"));
    } else {
        parent.insert(name.to_owned(), value.clone());
    }
    campaign
}
