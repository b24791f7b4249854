//! The pods of a part: the arm with its witness, and the driver on another node. In: plan, images, the part; out: objects
//! as they are applied. `restricted` always, Guaranteed, without a service account's token. Pure.

use serde_json::{Value, json};
use soak_campaign::{
    plan::{PlannedArm, PlannedServer, Program, setting_words},
    step::PartKey,
};
use soak_crds::spec::Preset;
use soak_sample::ArmPorts;

use crate::{
    config::Images,
    names::{ATTEMPT, Base, CAMPAIGN, MANAGER, PART, ROLE, RUN, Role},
};

/// The user id of all processes, where the server names none.
const USER: i64 = 65_532;
/// What a witness is given.
pub(super) const WITNESS: (&str, &str) = ("100m", "64Mi");
/// Memory of a driver.
pub(super) const DRIVER_MEMORY: &str = "512Mi";
/// How long processes may take to end, seconds.
const GRACE_SECONDS: i64 = 2;
/// How long a driver that hears nothing keeps what is armed, seconds.
const LEASE_SECONDS: &str = "30";
/// Seconds beyond the time that the engine gives an arm to get ready: the engine's word comes first.
const PROBE_SPARE: i64 = 10;

/// What is common to the pods of a part.
#[derive(Debug, Clone)]
pub(crate) struct Making<'a> {
    /// The names.
    pub base: &'a Base,
    /// The namespace.
    pub namespace: &'a str,
    /// The campaign: name and uid.
    pub owner: (&'a str, &'a str),
    /// The run's place in the plan.
    pub run: usize,
    /// The part.
    pub part: &'a PartKey,
    /// The product's own images.
    pub images: &'a Images,
    /// The SHA-256 of the token of driver and witness.
    pub token_sha256: &'a str,
}

/// The arm's pod; `pinned` is the image that it ran first in this campaign. `None` where the program is not for a pod.
pub(crate) fn arm_pod(making: &Making<'_>, arm: &PlannedArm, ports: ArmPorts, pinned: Option<&str>) -> Option<Value> {
    let PlannedServer { pod, .. } = &arm.server;
    let user = pod.run_as_user.unwrap_or(USER);
    let written = pod.writable_paths.iter().filter(|path| *path != "/tmp");
    let paths: Vec<&str> = std::iter::once("/tmp").chain(written.map(String::as_str)).collect();
    let volumes: Vec<Value> = (0..paths.len()).map(|at| json!({"name": volume(at), "emptyDir": {}})).collect();
    let mounts: Vec<Value> =
        paths.iter().enumerate().map(|(at, path)| json!({"name": volume(at), "mountPath": path})).collect();
    let (image, args) = program(&arm.server, ports, making.images)?;
    let server = json!({
        "name": "arm",
        "image": pinned.unwrap_or(&image),
        "args": args,
        "env": arm.server.env.iter().map(|v| json!({"name": v.name, "value": v.value})).collect::<Vec<_>>(),
        "ports": [{"name": "load", "containerPort": ports.port}],
        "resources": resources(&format!("{}m", arm.server.cpu_milli), &arm.server.memory_bytes.to_string()),
        "securityContext": confined(!pod.writable_root),
        "volumeMounts": mounts,
        "startupProbe": ready(&arm.server, ports),
    });
    let witness = control_container("witness", &making.images.witness, control_port(ports), making, WITNESS);
    Some(pod_object(making, Role::Arm, &PodParts { user, share: true, containers: vec![server, witness], volumes }))
}

/// The driver's pod.
pub(crate) fn driver_pod(making: &Making<'_>, arm: &PlannedArm) -> Value {
    let cpu = format!("{}m", arm.client.cpu_milli);
    let port = crate::observe::CONTROL_PORTS[0];
    let driver = control_container("driver", &making.images.driver, port, making, (&cpu, DRIVER_MEMORY));
    pod_object(
        making,
        Role::Driver,
        &PodParts { user: USER, share: false, containers: vec![driver], volumes: Vec::new() },
    )
}

/// The port of a witness: one on which the arm does not listen.
pub(crate) fn control_port(arm: ArmPorts) -> u16 {
    let [first, second] = crate::observe::CONTROL_PORTS;
    if arm.port == first || arm.admin == Some(first) { second } else { first }
}

struct PodParts {
    user: i64,
    share: bool,
    containers: Vec<Value>,
    volumes: Vec<Value>,
}

fn pod_object(making: &Making<'_>, role: Role, parts: &PodParts) -> Value {
    let Making { base, namespace, owner: (name, uid), run, part, .. } = making;
    let PodParts { user, share, containers, volumes } = parts;
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": base.pod(*run, part, role),
            "namespace": namespace,
            "labels": {
                "app.kubernetes.io/name": "soak",
                "app.kubernetes.io/component": role.word(),
                "app.kubernetes.io/managed-by": MANAGER,
                CAMPAIGN: base.label(),
                ROLE: role.word(),
                RUN: run.to_string(),
                ATTEMPT: part.attempt.attempt.to_string(),
                PART: part.part.to_string(),
            },
            "annotations": {
                "sidecar.istio.io/inject": "false",
                "linkerd.io/inject": "disabled",
                "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
                "karpenter.sh/do-not-disrupt": "true",
            },
            "ownerReferences": [{
                "apiVersion": "soak.dev/v1alpha1",
                "kind": "SoakCampaign",
                "name": name,
                "uid": uid,
                "controller": true,
            }],
        },
        "spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": false,
            "enableServiceLinks": false,
            "shareProcessNamespace": share,
            "terminationGracePeriodSeconds": GRACE_SECONDS,
            "securityContext": {
                "runAsNonRoot": true,
                "runAsUser": user,
                "runAsGroup": user,
                "fsGroup": user,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": apart(base)}},
            "containers": containers,
            "volumes": volumes,
        },
    })
}

/// Arm and driver never share a node, and neither do campaigns: no pod of ours goes where another of ours is.
fn apart(base: &Base) -> Value {
    let others = |operator: &str| {
        json!({
            "topologyKey": "kubernetes.io/hostname",
            "labelSelector": {"matchExpressions": [
                {"key": ROLE, "operator": "In", "values": [Role::Arm.word(), Role::Driver.word()]},
                {"key": CAMPAIGN, "operator": operator, "values": [base.label()]},
            ]},
        })
    };
    let mut elsewhere = others("NotIn");
    elsewhere["namespaceSelector"] = json!({});
    json!([others("In"), elsewhere])
}

/// Image and arguments of a server.
fn program(server: &PlannedServer, ports: ArmPorts, images: &Images) -> Option<(String, Vec<String>)> {
    match &server.program {
        Program::Preset(preset) => {
            let mut words = vec![preset_word(*preset)?.to_owned(), "--host=0.0.0.0".to_owned()];
            words.push(format!("--port={}", ports.port));
            words.extend(ports.admin.map(|port| format!("--admin-port={port}")));
            words.extend(setting_words(&server.settings));
            words.extend(server.args.iter().cloned());
            Some((images.arm.clone(), words))
        }
        Program::Image(image) => Some((image.clone(), server.args.clone())),
        Program::Service(_) | Program::Command(_) => None,
    }
}

/// The word of a preset on the command line; `None` for those that are not there yet.
fn preset_word(preset: Preset) -> Option<&'static str> {
    match preset {
        Preset::Rest => Some("rest"),
        Preset::Grpc => Some("grpc"),
        Preset::Websocket
        | Preset::Rsocket
        | Preset::JvmRest
        | Preset::JvmGrpc
        | Preset::JvmWebsocket
        | Preset::JvmRsocket => None,
    }
}

/// How a server shows that it is ready. Asked until it is, and never under load.
fn ready(server: &PlannedServer, ports: ArmPorts) -> Value {
    let failures = server.ready_timeout_millis / 1000 + PROBE_SPARE;
    let http = |path: &str, port: u16| {
        let get = json!({"path": path, "port": port});
        json!({"periodSeconds": 1, "failureThreshold": failures, "httpGet": get})
    };
    match (&server.ready_path, ports.admin) {
        (Some(path), _) => http(path, ports.port),
        (None, Some(admin)) => http("/metrics", admin),
        (None, None) => {
            json!({"periodSeconds": 1, "failureThreshold": failures, "tcpSocket": {"port": ports.port}})
        }
    }
}

fn control_container(name: &str, image: &str, port: u16, making: &Making<'_>, (cpu, memory): (&str, &str)) -> Value {
    json!({
        "name": name,
        "image": image,
        "env": [
            {"name": "SOAK_LISTEN", "value": format!("0.0.0.0:{port}")},
            {"name": "SOAK_TOKEN_SHA256", "value": making.token_sha256},
            {"name": "SOAK_LEASE_SECONDS", "value": LEASE_SECONDS},
        ],
        "ports": [{"name": "control", "containerPort": port}],
        "resources": resources(cpu, memory),
        "securityContext": confined(true),
        "startupProbe": {
            "periodSeconds": 1,
            "failureThreshold": 60,
            "httpGet": {"path": "/healthz", "port": port},
        },
    })
}

/// The same as request and limit: the pod is Guaranteed.
fn resources(cpu: &str, memory: &str) -> Value {
    json!({"requests": {"cpu": cpu, "memory": memory}, "limits": {"cpu": cpu, "memory": memory}})
}

fn confined(read_only: bool) -> Value {
    json!({
        "allowPrivilegeEscalation": false,
        "readOnlyRootFilesystem": read_only,
        "capabilities": {"drop": ["ALL"]},
    })
}

fn volume(at: usize) -> String {
    format!("writable-{at}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
