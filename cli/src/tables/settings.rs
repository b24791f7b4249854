//! The settings that head a run's table: arm, client, body, and where each ran. Pure.

use serde_json::Value;
use soak_campaign::{
    plan::{PlannedArm, PlannedClient, PlannedRun, PlannedServer, Program},
    status::protocol,
};
use soak_local::{isolation::Sharing, ledger::PartPlace};
use soak_sample::{ArrivalsKind, Idle, PoolPolicy, Protocol};

use super::{
    facts::{count, cpus, executed},
    number,
};

/// The arm in one line.
pub fn arm(arm: &PlannedArm, places: &[PartPlace]) -> String {
    let PlannedServer { program, cpu_milli, memory_bytes, settings, .. } = &arm.server;
    let program = match program {
        Program::Preset(preset) => format!("preset {}", word(preset)),
        Program::Image(image) => format!("image {image}"),
        Program::Service(service) => format!("service {service}"),
        Program::Command(command) => format!("command `{}`", command.join(" ")),
    };
    let mut parts = vec![
        format!("arm {}: {program}", arm.name),
        protocol(arm.protocol).to_owned(),
        format!("{} CPU", cores(*cpu_milli)),
        number::memory(memory_bytes.unsigned_abs()),
    ];
    parts.extend(setting_words(&serde_json::to_value(settings).unwrap_or_default()));
    parts.extend(arm.server.args.iter().map(|arg| format!("`{arg}`")));
    parts.extend(arm.server.env.iter().map(|variable| format!("`{}={}`", variable.name, variable.value)));
    let mut digests: Vec<&str> = places.iter().map(PartPlace::executed).collect();
    digests.dedup();
    parts.extend(digests.iter().map(|digest| executed(digest)));
    parts.join(", ")
}

/// The client in one line.
pub fn client(protocol: Protocol, client: &PlannedClient) -> String {
    let shape = &client.shape;
    let pool = match shape.pool {
        PoolPolicy::AsNeeded => "opened as needed",
        PoolPolicy::Eager => "all opened at the start",
    };
    let lanes = match protocol {
        Protocol::Http1 => format!("at most {}", count(shape.connections, "connection")),
        Protocol::Http2 | Protocol::GrpcUnary => format!(
            "at most {} × {}, {} in flight",
            count(shape.connections, "connection"),
            count(shape.max_concurrent_streams, "stream"),
            number::whole(shape.max_in_flight)
        ),
        Protocol::GrpcStream => format!(
            "{}, {} in flight on each",
            count(shape.streams, "stream"),
            number::whole(shape.max_concurrent_streams)
        ),
    };
    let idle = match client.idle {
        Idle::Spin => "spinning",
        Idle::Sleep => "sleeping",
    };
    let arrivals = match client.arrivals.kind {
        ArrivalsKind::Uniform => "uniform arrivals".to_owned(),
        ArrivalsKind::Poisson => format!("Poisson arrivals, seed {}", client.arrivals.seed),
    };
    format!(
        "client: {lanes}, {pool}, {} {idle}, {} CPU, {arrivals}, time-out {}, drain {}",
        count(client.workers, "worker"),
        cores(client.cpu_milli),
        nanos(client.timeout_nanos),
        nanos(client.drain_nanos),
    )
}

/// The body in one line.
pub fn body(run: &PlannedRun) -> String {
    let bytes = run.request.body.len();
    let leaves = run.body_leaves.map(|leaves| format!(", {}", count(leaves, "leaf value"))).unwrap_or_default();
    let what = match bytes {
        0 => "no body".to_owned(),
        bytes => format!("body {}: {} B{leaves}, sha256 {}", run.body, number::whole(bytes), run.body_sha256),
    };
    format!("{} {}, {what}", run.request.method, run.request.path)
}

/// Where arm and driver ran, in one line.
pub fn places(places: &[PartPlace]) -> Option<String> {
    match places.last()? {
        PartPlace::Processes(last) => {
            let sharing = match last.sharing {
                Sharing::DifferentCores => "on different cores",
                Sharing::OneCore => "on threads of one core: each slows the other",
                Sharing::OneCpu => "on one CPU: every number is a floor",
            };
            Some(format!(
                "arm on CPU {}, driver on CPU {}, executor and witness on CPU {}; {sharing}",
                cpus(&last.arm_cpus),
                cpus(&last.driver_cpus),
                cpus(&last.rest_cpus)
            ))
        }
        PartPlace::Pods(last) => Some(format!(
            "arm in pod {} on node {}, driver in pod {} on node {}; {} and {}",
            last.arm.name, last.arm.node, last.driver.name, last.driver.node, last.arm.qos_class, last.driver.qos_class
        )),
    }
}

/// An amount of CPU: `1`, `0.2`.
pub fn cores(milli: i64) -> String {
    let text = format!("{}.{:03}", milli / 1000, milli.unsigned_abs() % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn nanos(nanos: i64) -> String {
    match nanos / 1_000_000 {
        millis if millis % 1000 == 0 => number::span(millis),
        millis => format!("{} ms", number::whole(millis)),
    }
}

/// Declared settings as the resource spells them: `codec Dynamic`.
fn setting_words(settings: &Value) -> Vec<String> {
    let fields = settings.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    fields
        .map(|(name, value)| match value {
            Value::Object(inner) => {
                let inner: Vec<String> = inner.iter().map(|(name, value)| format!("{name} {}", plain(value))).collect();
                format!("{name} {}", inner.join(" "))
            }
            other => format!("{name} {}", plain(other)),
        })
        .collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn word<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_value(value).map(|value| plain(&value)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{cores, setting_words};

    #[test]
    fn cpu_is_written_without_needless_digits() {
        let check = |milli: i64, expected: &str| assert_eq!(cores(milli), expected);
        check(1000, "1");
        check(200, "0.2");
        check(1250, "1.25");
        check(5, "0.005");
    }

    #[test]
    fn settings_are_written_as_the_resource_spells_them() {
        let settings = json!({"codec": "Dynamic", "work": {"kind": "Spin", "micros": 50}, "executor": null});
        assert_eq!(setting_words(&settings), ["codec Dynamic", "work kind Spin micros 50"]);
    }
}
