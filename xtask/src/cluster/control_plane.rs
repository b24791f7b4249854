//! The control plane's programs: etcd, the API server, the controllers, the scheduler, and a registry for images.
//! In: the layout and the keys. Out: a cell. Starts nothing.

use super::{
    build::Binaries,
    cell::{BINARIES, Cell, FILES, Program},
    keys::Keys,
    layout::{CONTROL_PLANE, CONTROL_PLANE_CELL, Layout, SERVICES},
};
use crate::Fault;

/// The port of the registry, which speaks plain HTTP.
pub(super) const REGISTRY_PORT: u16 = 5000;
pub(super) const CONTROLLERS: &str = "system:kube-controller-manager";
pub(super) const SCHEDULER: &str = "system:kube-scheduler";
/// Files of the keys that the API server and the controllers read.
const KEYS: [&str; 6] = ["ca.crt", "api.crt", "api.key", "accounts.key", "accounts.pub", "tokens.csv"];

/// The control plane as a cell, its files written.
pub(super) fn cell(layout: &Layout, binaries: &Binaries, keys: &Keys) -> Result<Cell, Fault> {
    let cell = Cell {
        name: CONTROL_PLANE_CELL.to_owned(),
        folder: layout.cell(CONTROL_PLANE_CELL),
        binaries: binaries.folders(&["etcd", "kubernetes", "registry"]),
        programs: vec![etcd(), api_server(), controllers(), scheduler(), registry()],
    };
    for name in KEYS {
        let file = layout.keys().join(name);
        cell.write(name, &std::fs::read_to_string(&file).map_err(|error| Fault::file(&file, error))?)?;
    }
    cell.write("controllers.yaml", &keys.kubeconfig(CONTROLLERS))?;
    cell.write("scheduler.yaml", &keys.kubeconfig(SCHEDULER))?;
    cell.write("registry.yaml", &registry_settings())?;
    Ok(cell)
}

fn program(name: &str, binary: &str, arguments: &[String]) -> Program {
    let command = [format!("{BINARIES}/{binary}")].into_iter().chain(arguments.iter().cloned()).collect();
    Program { name: name.to_owned(), command }
}

fn etcd() -> Program {
    let arguments = [
        "--data-dir=/var/lib/etcd",
        "--listen-client-urls=http://127.0.0.1:2379",
        "--advertise-client-urls=http://127.0.0.1:2379",
        "--listen-peer-urls=http://127.0.0.1:2380",
        "--unsafe-no-fsync",
    ];
    program("etcd", "etcd/etcd", &arguments.map(str::to_owned))
}

fn api_server() -> Program {
    let arguments = [
        "--etcd-servers=http://127.0.0.1:2379".to_owned(),
        format!("--bind-address={CONTROL_PLANE}"),
        format!("--advertise-address={CONTROL_PLANE}"),
        "--secure-port=6443".to_owned(),
        format!("--tls-cert-file={FILES}/api.crt"),
        format!("--tls-private-key-file={FILES}/api.key"),
        format!("--client-ca-file={FILES}/ca.crt"),
        format!("--requestheader-client-ca-file={FILES}/ca.crt"),
        format!("--token-auth-file={FILES}/tokens.csv"),
        "--authorization-mode=Node,RBAC".to_owned(),
        "--enable-admission-plugins=NodeRestriction".to_owned(),
        // For tests that change pods on their way, as webhooks of others do.
        "--feature-gates=MutatingAdmissionPolicy=true".to_owned(),
        "--runtime-config=admissionregistration.k8s.io/v1beta1=true".to_owned(),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        format!("--service-account-key-file={FILES}/accounts.pub"),
        format!("--service-account-signing-key-file={FILES}/accounts.key"),
        format!("--service-cluster-ip-range={SERVICES}"),
        // Nodes have no names that resolve; their logs are asked for by address.
        "--kubelet-preferred-address-types=InternalIP".to_owned(),
        "--allow-privileged=true".to_owned(),
        "--profiling=false".to_owned(),
    ];
    program("kube-apiserver", "kubernetes/kube-apiserver", &arguments)
}

fn controllers() -> Program {
    let arguments = [
        format!("--kubeconfig={FILES}/controllers.yaml"),
        format!("--authentication-kubeconfig={FILES}/controllers.yaml"),
        format!("--authorization-kubeconfig={FILES}/controllers.yaml"),
        format!("--service-account-private-key-file={FILES}/accounts.key"),
        format!("--root-ca-file={FILES}/ca.crt"),
        "--use-service-account-credentials=true".to_owned(),
        "--leader-elect=false".to_owned(),
        "--allocate-node-cidrs=false".to_owned(),
        "--node-monitor-grace-period=20s".to_owned(),
    ];
    program("kube-controller-manager", "kubernetes/kube-controller-manager", &arguments)
}

fn scheduler() -> Program {
    let arguments = [
        format!("--kubeconfig={FILES}/scheduler.yaml"),
        format!("--authentication-kubeconfig={FILES}/scheduler.yaml"),
        format!("--authorization-kubeconfig={FILES}/scheduler.yaml"),
        "--leader-elect=false".to_owned(),
    ];
    program("kube-scheduler", "kubernetes/kube-scheduler", &arguments)
}

fn registry() -> Program {
    program("registry", "registry/registry", &["serve".to_owned(), format!("{FILES}/registry.yaml")])
}

fn registry_settings() -> String {
    format!(
        "version: 0.1
storage:
  filesystem: {{rootdirectory: /var/lib/registry}}
  delete: {{enabled: true}}
http: {{addr: \"{CONTROL_PLANE}:{REGISTRY_PORT}\"}}
log: {{level: warn}}
"
    )
}
