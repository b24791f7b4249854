//! What was declared of a lever, what the running process showed, and where it was read.

use serde::{Deserialize, Serialize};

/// One lever's proof on one arm. Every declared lever has one, also where nothing could be observed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeverProof {
    /// The lever: `args --codec`, `env RUST_LOG`, `settings.executor`, `resources.cpu`, …
    pub lever: String,
    /// What was declared.
    pub declared: String,
    /// What the process showed; null where it could not be observed.
    pub observed: Option<String>,
    /// Where it was read.
    pub source: ProofSource,
    /// True where the process showed what was declared; null where this machine does not permit to enforce it,
    /// which tables say. What could be enforced and was not observed is not held.
    pub held: Option<bool>,
    /// What a reader should know besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Where a lever was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProofSource {
    /// The JVM's own flags, by its attach protocol.
    Attach,
    /// The process's command line.
    CommandLine,
    /// The process's environment.
    Environ,
    /// The limits of the process's cgroup.
    Cgroup,
    /// The CPUs on which each thread of the process may run.
    Affinity,
    /// The server's admin port.
    Admin,
    /// The kubelet's report of the pod.
    Kubelet,
}
