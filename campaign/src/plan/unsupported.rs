//! Fields that the resource has and nothing gives an effect to yet: refused by name, never ignored. One table; what comes
//! to have an effect loses its line here.

use soak_crds::spec::{Arm, Executor as WrittenExecutor, Lever, Placement, Preset, Protocol, Server, SoakCampaignSpec};

use super::{Executor, FieldPath, layers::Refusals};

/// A field, its value as written, and the way out where there is one.
struct Unsupported {
    at: FieldPath,
    value: Option<String>,
    way_out: &'static str,
}

fn found(at: FieldPath, value: Option<String>, way_out: &'static str) -> Unsupported {
    Unsupported { at, value, way_out }
}

/// Refuses what has no effect yet.
pub(super) fn refuse(spec: &SoakCampaignSpec, executor: Executor, refusals: &mut Refusals) {
    let arms = FieldPath::spec().field("arms");
    let levers = FieldPath::spec().field("levers");
    let all = campaign(spec, executor)
        .into_iter()
        .chain(spec.arms.iter().enumerate().flat_map(|(index, arm)| self::arm(arm, &arms.item(index), executor)))
        .chain(
            spec.levers
                .iter()
                .enumerate()
                .flat_map(|(index, lever)| self::lever(spec, lever, &levers.item(index), executor)),
        );
    for Unsupported { at, value, way_out } in all {
        let message = if way_out.is_empty() {
            "is not supported yet".to_owned()
        } else {
            format!("is not supported yet; {way_out}")
        };
        refusals.add(&at, value, message);
    }
}

fn campaign(spec: &SoakCampaignSpec, executor: Executor) -> Vec<Unsupported> {
    let local = executor == Executor::Local;
    let table = [
        (spec.bench.is_some(), "bench", ""),
        (spec.profile.is_some(), "profile", ""),
        (spec.tls.is_some(), "tls", ""),
        (spec.pool.is_some() && local, "pool", "campaigns on one machine are queued by whoever starts them"),
        (spec.pool.is_some() && !local, "pool", "leave it out; campaigns of a namespace queue"),
        (spec.retention.is_some() && local, "retention", "on one machine results stay until their folder is removed"),
        (spec.suspend && local, "suspend", "on one machine stop by Ctrl-C and go on by --resume"),
        (spec.cancel && local, "cancel", "on one machine stop by Ctrl-C"),
        (!spec.withdrawn.is_empty() && local, "withdrawn", "on one machine take back by soak withdraw"),
        (spec.placement == Placement::SameNode && local, "placement", "on one machine arm and driver always share it"),
        (spec.placement == Placement::SameNode && !local, "placement", "leave it out for two nodes"),
    ];
    let fields = table.into_iter().filter(|(written, _, _)| *written);
    let drivers = drivers(spec.client.drivers, &FieldPath::spec().field("client"), executor);
    fields.map(|(_, field, way_out)| found(FieldPath::spec().field(field), None, way_out)).chain(drivers).collect()
}

fn arm(arm: &Arm, at: &FieldPath, executor: Executor) -> Vec<Unsupported> {
    let protocol = match arm.protocol {
        Protocol::Http1 | Protocol::Http2 | Protocol::GrpcUnary | Protocol::GrpcStream => None,
        Protocol::GrpcServerStream | Protocol::GrpcClientStream | Protocol::WebSocket | Protocol::RSocket => {
            let way_out = "supported are Http1, Http2, GrpcUnary and GrpcStream";
            Some(found(at.field("protocol"), Some(format!("{:?}", arm.protocol)), way_out))
        }
    };
    let drivers = arm.client.as_ref().and_then(|client| drivers(client.drivers, &at.field("client"), executor));
    protocol.into_iter().chain(drivers).chain(server(&arm.server, &at.field("server"), executor)).collect()
}

fn server(server: &Server, at: &FieldPath, executor: Executor) -> Vec<Unsupported> {
    let preset = server
        .preset
        .and_then(preset)
        .map(|name| found(at.field("preset"), Some(name.to_owned()), "supported are rest and grpc"));
    let way_out = "write local.command, the program that runs the server on this machine";
    let elsewhere = executor == Executor::Local && server.local.is_none();
    let image = server.image.clone().filter(|_| elsewhere).map(|image| found(at.field("image"), Some(image), way_out));
    let service = server.service.clone().filter(|_| elsewhere || executor == Executor::Cluster);
    let service_way_out = if executor == Executor::Local { way_out } else { "write image" };
    let service = service.map(|service| found(at.field("service"), Some(service), service_way_out));
    let args = (server.preset.is_some() && !server.args.is_empty())
        .then(|| found(at.field("args"), None, "presets are set up by settings"));
    let jvm = (!server.jvm_options.is_empty())
        .then(|| found(at.field("jvmOptions"), None, "write a JVM's options into local.command or args"));
    let settings = server.settings.as_ref().is_some_and(|settings| settings.executor == Some(WrittenExecutor::Virtual));
    let executor = settings.then(|| virtual_threads(at));
    preset.into_iter().chain(image).chain(service).chain(args).chain(jvm).chain(executor).collect()
}

/// The name of a preset that is not there yet.
fn preset(preset: Preset) -> Option<&'static str> {
    match preset {
        Preset::Rest | Preset::Grpc => None,
        Preset::Websocket => Some("websocket"),
        Preset::Rsocket => Some("rsocket"),
        Preset::JvmRest => Some("jvm-rest"),
        Preset::JvmGrpc => Some("jvm-grpc"),
        Preset::JvmWebsocket => Some("jvm-websocket"),
        Preset::JvmRsocket => Some("jvm-rsocket"),
    }
}

fn drivers(drivers: Option<i32>, at: &FieldPath, executor: Executor) -> Option<Unsupported> {
    let many = drivers.filter(|drivers| *drivers > 1)?;
    let way_out = match executor {
        Executor::Local => "on one machine raise workers",
        Executor::Cluster => "raise workers",
    };
    Some(found(at.field("drivers"), Some(many.to_string()), way_out))
}

fn lever(spec: &SoakCampaignSpec, lever: &Lever, at: &FieldPath, executor: Executor) -> Vec<Unsupported> {
    let preset = |name: &String| spec.arms.iter().any(|arm| arm.name == *name && arm.server.preset.is_some());
    let args = (!lever.args.is_empty() && lever.arms.iter().any(preset))
        .then(|| found(at.field("args"), None, "presets are set up by settings"));
    let jvm = (!lever.jvm_options.is_empty()).then(|| found(at.field("jvmOptions"), None, ""));
    let drivers = lever.client.as_ref().and_then(|client| drivers(client.drivers, &at.field("client"), executor));
    let settings = lever.settings.as_ref().is_some_and(|settings| settings.executor == Some(WrittenExecutor::Virtual));
    let settings = settings.then(|| virtual_threads(at));
    args.into_iter().chain(jvm).chain(drivers).chain(settings).collect()
}

fn virtual_threads(at: &FieldPath) -> Unsupported {
    found(at.field("settings").field("executor"), Some("Virtual".to_owned()), "choose Direct or Threads")
}
