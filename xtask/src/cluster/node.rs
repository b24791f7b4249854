//! A node's programs: containerd, kubelet and kube-proxy, and their settings. In: the node, the layout, the keys.
//! Out: a cell. Starts nothing.

use serde_json::json;

use super::{
    build::Binaries,
    cell::{BINARIES, Cell, FILES, Program},
    control_plane::REGISTRY_PORT,
    keys::{Keys, User},
    layout::{CONTROL_PLANE, Layout, Node, PODS},
};
use crate::Fault;

/// Where Debian's package keeps the programs that make pods' networks.
pub(super) const NETWORK_PLUGINS: &str = "/usr/lib/cni";
/// The image that holds a pod's namespaces.
pub(super) const PAUSE_IMAGE: &str = "soak.local/pause:1";
pub(super) const PROXY: &str = "system:kube-proxy";

/// The user that a node's kubelet is.
pub(super) fn user(node: Node) -> User {
    User::new(format!("system:node:{}", node.name()), "system:nodes")
}

/// A node as a cell, its files written. `cgroup`: the group that its kubelet divides up.
pub(super) fn cell(node: Node, cgroup: &str, from: (&Layout, &Binaries, &Keys)) -> Result<Cell, Fault> {
    let (layout, binaries, keys) = from;
    let cell = Cell {
        name: node.name(),
        folder: layout.cell(&node.name()),
        binaries: binaries.folders(&["kubernetes"]),
        programs: vec![containerd(), kubelet(node), proxy(node)],
    };
    cell.write("containerd.toml", &containerd_settings())?;
    cell.write("network/soak.conflist", &network(node))?;
    cell.write(&format!("registries/{CONTROL_PLANE}:{REGISTRY_PORT}/hosts.toml"), &registry())?;
    cell.write("kubelet.yaml", &kubelet_settings(cgroup))?;
    cell.write("kubelet.kubeconfig.yaml", &keys.kubeconfig(&user(node).name))?;
    cell.write("proxy.kubeconfig.yaml", &keys.kubeconfig(PROXY))?;
    Ok(cell)
}

fn program(name: &str, binary: &str, arguments: &[String]) -> Program {
    let command = [binary.to_owned()].into_iter().chain(arguments.iter().cloned()).collect();
    Program { name: name.to_owned(), command }
}

fn containerd() -> Program {
    program("containerd", "containerd", &[format!("--config={FILES}/containerd.toml")])
}

fn kubelet(node: Node) -> Program {
    let arguments = [
        format!("--config={FILES}/kubelet.yaml"),
        format!("--kubeconfig={FILES}/kubelet.kubeconfig.yaml"),
        format!("--hostname-override={}", node.name()),
        format!("--node-ip={}", node.address()),
    ];
    program("kubelet", &format!("{BINARIES}/kubernetes/kubelet"), &arguments)
}

fn proxy(node: Node) -> Program {
    let arguments = [
        format!("--kubeconfig={FILES}/proxy.kubeconfig.yaml"),
        format!("--hostname-override={}", node.name()),
        format!("--cluster-cidr={PODS}"),
        "--proxy-mode=iptables".to_owned(),
        "--conntrack-max-per-core=0".to_owned(),
    ];
    program("kube-proxy", &format!("{BINARIES}/kubernetes/kube-proxy"), &arguments)
}

/// Without `restrict_oom_score_adj` runc fails where this machine may not lower a process's score.
fn containerd_settings() -> String {
    format!(
        "version = 2
[plugins.\"io.containerd.grpc.v1.cri\"]
  sandbox_image = \"{PAUSE_IMAGE}\"
  disable_apparmor = true
  restrict_oom_score_adj = true
[plugins.\"io.containerd.grpc.v1.cri\".cni]
  bin_dir = \"{NETWORK_PLUGINS}\"
  conf_dir = \"{FILES}/network\"
[plugins.\"io.containerd.grpc.v1.cri\".registry]
  config_path = \"{FILES}/registries\"
[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.runc]
  runtime_type = \"io.containerd.runc.v2\"
"
    )
}

fn network(node: Node) -> String {
    let address = json!({
        "type": "host-local",
        "ranges": [[{"subnet": node.pods()}]],
        "routes": [{"dst": "0.0.0.0/0"}],
    });
    let bridge = json!({"type": "bridge", "bridge": "pods", "isGateway": true, "hairpinMode": true, "ipam": address});
    let ports = json!({"type": "portmap", "capabilities": {"portMappings": true}});
    json!({"cniVersion": "0.4.0", "name": "soak", "plugins": [bridge, ports]}).to_string()
}

fn registry() -> String {
    let registry = format!("http://{CONTROL_PLANE}:{REGISTRY_PORT}");
    format!("server = \"{registry}\"\n[host.\"{registry}\"]\n  capabilities = [\"pull\", \"resolve\"]\n")
}

/// The kubelet's own port takes anybody: nothing outside this machine reaches it.
fn kubelet_settings(cgroup: &str) -> String {
    json!({
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {"anonymous": {"enabled": true}, "webhook": {"enabled": false}},
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": cgroup,
        "failCgroupV1": false,
        "failSwapOn": false,
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "volumePluginDir": "/var/lib/kubelet/volume-plugins",
        "resolvConf": "/dev/null",
        "clusterDomain": "cluster.local",
        "localStorageCapacityIsolation": false,
        "evictionHard": {"memory.available": "100Mi"},
        "imageGCHighThresholdPercent": 100,
        "imageGCLowThresholdPercent": 99,
        "nodeStatusUpdateFrequency": "4s",
        "syncFrequency": "10s",
    })
    .to_string()
}
