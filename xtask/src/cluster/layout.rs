//! Where the test cluster lives: its folders and its addresses. All of it lies in one folder and in address ranges that
//! are reserved for tests of networks (RFC 2544), so that it meets nothing that a machine uses. Touches nothing.

use std::path::{Path, PathBuf};

/// The state of a running cluster; gone when it is down.
const ROOT: &str = "/var/lib/soak-cluster";
/// The address range of the services, and the API server's own service in it.
pub(super) const SERVICES: &str = "198.18.128.0/17";
pub(super) const FIRST_SERVICE: &str = "198.18.128.1";
/// Every pod's address.
pub(super) const PODS: &str = "198.19.0.0/16";
/// The API server's address; the registry listens there too.
pub(super) const CONTROL_PLANE: &str = "198.18.0.1";
/// This machine's address on the cluster's network.
pub(super) const HOST: &str = "198.18.0.254";
/// The end of the link that this machine holds.
pub(super) const HOST_LINK: &str = "soak-host";
/// The name of the control plane's cell.
pub(super) const CONTROL_PLANE_CELL: &str = "control-plane";
/// The most nodes: what the addresses and one machine's sense allow.
pub(super) const MOST_NODES: u8 = 9;

/// The cluster's folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The one on this machine.
    pub fn here() -> Self {
        Self { root: ROOT.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What a user of the cluster sets `KUBECONFIG` to.
    pub fn kubeconfig(&self) -> PathBuf {
        self.root.join("kubeconfig.yaml")
    }

    /// Certificates, keys and tokens.
    pub fn keys(&self) -> PathBuf {
        self.root.join("keys")
    }

    /// Links to kubectl and Helm.
    pub fn programs(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// The folder of a cell: its own `/run` and `/var` lie in it.
    pub fn cell(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The socket of a node's containerd, as seen from outside.
    pub fn containerd(&self, node: Node) -> PathBuf {
        self.cell(&node.name()).join("run/containerd/containerd.sock")
    }

    /// The nodes of the cluster that is up: those that have a folder.
    pub fn nodes(&self) -> Vec<Node> {
        Node::first(MOST_NODES).filter(|node| self.cell(&node.name()).is_dir()).collect()
    }
}

/// A node by its number, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node(u8);

impl Node {
    /// The first `count` nodes.
    pub fn first(count: u8) -> impl Iterator<Item = Self> {
        (1..=count.min(MOST_NODES)).map(Self)
    }

    /// Its name in the cluster, which is also its cell's.
    pub fn name(self) -> String {
        format!("n{}", self.0)
    }

    pub fn address(self) -> String {
        format!("198.18.0.{}", 10 + self.0)
    }

    /// The range of its pods' addresses.
    pub fn pods(self) -> String {
        format!("198.19.{}.0/24", self.0)
    }
}
