//! What the caller brings beside the spec: where the plan will be carried out, and the files that the spec names.

use std::collections::BTreeMap;

/// What the caller brings beside the spec.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Means {
    /// Where the plan will be carried out.
    pub executor: Executor,
    /// The content of each `bodies[].file`, by the name as written; or why it could not be read.
    pub files: BTreeMap<String, Result<Vec<u8>, String>>,
}

/// Where a plan is carried out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Executor {
    /// On this machine.
    #[default]
    Local,
    /// On a cluster.
    Cluster,
}
