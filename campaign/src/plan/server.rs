//! From a server as it is written, and a lever's changes, to what is run.

use std::collections::BTreeMap;

use soak_crds::spec::{EnvVar, Lever, Server, Settings};

use soak_sample::Protocol;

use super::{Executor, FieldPath, PlannedServer, PodShape, Program, layers::Refusals};

/// The server of an arm, before levers.
pub(super) fn resolve(server: &Server, at: &FieldPath, executor: Executor, refusals: &mut Refusals) -> PlannedServer {
    let program = program(server, at, executor, refusals);
    PlannedServer {
        port: port(server, at, &program, refusals),
        program,
        args: server.args.clone(),
        env: without_doubles(&server.env, &at.field("env"), refusals),
        jvm_options: server.jvm_options.clone(),
        settings: server.settings.clone().unwrap_or_default(),
        cpu_milli: at_least(server.resources.cpu.milli(), 10, &at.field("resources").field("cpu"), "10m", refusals),
        memory_bytes: at_least(
            server.resources.memory.bytes(),
            16 << 20,
            &at.field("resources").field("memory"),
            "16Mi",
            refusals,
        ),
        ready_path: server.ready_path.clone(),
        ready_timeout_millis: at_least(server.ready_timeout.millis(), 1, &at.field("readyTimeout"), "1ms", refusals),
        reproducible: server.reproducible,
        pod: match executor {
            Executor::Local => PodShape::default(),
            Executor::Cluster => PodShape {
                run_as_user: server.run_as_user,
                writable_paths: server.writable_paths.clone(),
                writable_root: !server.read_only_root_filesystem,
            },
        },
    }
}

fn program(server: &Server, at: &FieldPath, executor: Executor, refusals: &mut Refusals) -> Program {
    let Server { preset, image, service, local, .. } = server;
    match (preset, image, service, local, executor) {
        (Some(preset), _, _, _, _) => Program::Preset(*preset),
        (None, _, _, Some(local), Executor::Local) => Program::Command(local.command.clone()),
        (None, Some(image), None, _, _) => Program::Image(image.clone()),
        (None, None, Some(service), _, _) => Program::Service(service.clone()),
        (None, Some(image), Some(_), _, _) => {
            refusals.add(at, None, "needs one of preset, image and service, not several");
            Program::Image(image.clone())
        }
        (None, None, None, Some(local), Executor::Cluster) => {
            refusals.add(&at.field("local"), None, "runs on one machine alone; a cluster needs image or service");
            Program::Command(local.command.clone())
        }
        (None, None, None, None, _) => {
            refusals.add(at, None, "needs one of preset, image, service and local");
            Program::Command(Vec::new())
        }
    }
}

fn port(server: &Server, at: &FieldPath, program: &Program, refusals: &mut Refusals) -> Option<u16> {
    let field = at.field("port");
    match (server.port, program) {
        (Some(port), _) => {
            let number = u16::try_from(port).ok().filter(|port| *port > 0);
            if number.is_none() {
                refusals.add(&field, Some(port.to_string()), "must be 1 to 65535");
            }
            number
        }
        (None, Program::Preset(_)) => None,
        (None, Program::Image(_) | Program::Service(_) | Program::Command(_)) => {
            refusals.add(&field, None, "is needed: the port on which the server listens");
            None
        }
    }
}

/// Environment variables, refused where one is written twice.
fn without_doubles(env: &[EnvVar], at: &FieldPath, refusals: &mut Refusals) -> Vec<EnvVar> {
    let mut seen = BTreeMap::new();
    for (index, variable) in env.iter().enumerate() {
        if let Some(first) = seen.insert(&variable.name, index) {
            let message = format!("is set twice: first by item {first}");
            refusals.add(&at.item(index).field("name"), Some(variable.name.clone()), message);
        }
    }
    env.to_vec()
}

fn at_least(value: i64, least: i64, at: &FieldPath, words: &str, refusals: &mut Refusals) -> i64 {
    if value < least {
        refusals.add(at, None, format!("must be at least {words}"));
    }
    value.max(least)
}

/// The server with a lever's changes.
pub(super) fn pulled(base: &PlannedServer, lever: &Lever, at: &FieldPath, refusals: &mut Refusals) -> PlannedServer {
    let mut server = base.clone();
    server.args.extend(lever.args.iter().cloned());
    server.jvm_options.extend(lever.jvm_options.iter().cloned());
    for variable in without_doubles(&lever.env, &at.field("env"), refusals) {
        match server.env.iter_mut().find(|known| known.name == variable.name) {
            Some(known) => known.value = variable.value,
            None => server.env.push(variable),
        }
    }
    if let Some(settings) = &lever.settings {
        server.settings = over(&server.settings, settings);
    }
    let resources = at.field("resources");
    let change = lever.resources.as_ref();
    if let Some(cpu) = change.and_then(|change| change.cpu.as_ref()) {
        server.cpu_milli = at_least(cpu.milli(), 10, &resources.field("cpu"), "10m", refusals);
    }
    if let Some(memory) = change.and_then(|change| change.memory.as_ref()) {
        server.memory_bytes = at_least(memory.bytes(), 16 << 20, &resources.field("memory"), "16Mi", refusals);
    }
    server
}

/// Settings that a server of this protocol has no use for are refused: they would be levers without an effect.
pub(super) fn refuse_without_meaning(
    settings: &Settings,
    spoken: (bool, Protocol),
    at: &FieldPath,
    refusals: &mut Refusals,
) {
    let (is_preset, protocol) = spoken;
    let at = at.field("settings");
    if !is_preset {
        refusals.add(&at, None, "belong to presets; use args or env for a server of your own");
        return;
    }
    let table = [
        ("maxConcurrentStreams", settings.max_concurrent_streams, protocol == Protocol::Http1, "HTTP/2"),
        ("initialWindow", settings.initial_window, protocol == Protocol::Http1, "HTTP/2"),
        ("inboundCredits", settings.inbound_credits, protocol != Protocol::GrpcStream, "GrpcStream"),
    ];
    for (name, value, useless, over) in table {
        if let Some(value) = value.filter(|_| useless) {
            refusals.add(
                &at.field(name),
                Some(value.to_string()),
                format!("has an effect over {over} alone; leave it out"),
            );
        }
    }
}

/// Settings with those of `top` in place of what they set.
fn over(base: &Settings, top: &Settings) -> Settings {
    let Settings { executor, worker_threads, codec, max_concurrent_streams, initial_window, inbound_credits, work } =
        top.clone();
    Settings {
        executor: executor.or(base.executor),
        worker_threads: worker_threads.or(base.worker_threads),
        codec: codec.or(base.codec),
        max_concurrent_streams: max_concurrent_streams.or(base.max_concurrent_streams),
        initial_window: initial_window.or(base.initial_window),
        inbound_credits: inbound_credits.or(base.inbound_credits),
        work: work.or_else(|| base.work.clone()),
    }
}
