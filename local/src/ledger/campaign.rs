//! `campaign.json`: the plan, and the facts under which it is carried out. Plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use soak_campaign::plan::Plan;
use soak_sample::Machine;

use crate::isolation::Enforced;

/// The version of an output folder's documents.
pub const VERSION: &str = "soak.dev/results/v1";

/// The plan, and the facts under which it is carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CampaignFile {
    /// [`VERSION`].
    pub version: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// The file it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<PathBuf>,
    /// The folder in which commands are executed; absent where none is executed here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_folder: Option<PathBuf>,
    /// The facts.
    pub facts: Facts,
    /// The plan.
    pub plan: Plan,
}

/// What is the same for every run of a campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// The version of `soak`.
    pub soak_version: String,
    /// The machine; of a cluster, the node of the arm that ran first.
    pub machine: Machine,
    /// What carries it out.
    #[serde(flatten)]
    pub executor: ExecutorFacts,
}

/// What carries a campaign out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ExecutorFacts {
    /// This machine.
    Machine(MachineFacts),
    /// A cluster.
    Cluster {
        /// Which, and what became of it.
        cluster: ClusterFacts,
    },
}

/// The program that carries a campaign out on one machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineFacts {
    /// sha256 of the program `soak`, which is driver and preset arms as well.
    pub soak_sha256: String,
    /// sha256 over what the preset arms are built from.
    pub arms_build_inputs_sha256: String,
    /// What keeps processes apart.
    pub isolation: IsolationFacts,
}

/// Where a campaign's ledger lies on a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterFacts {
    /// The namespace.
    pub namespace: String,
    /// What the names of its ConfigMaps begin with, and the value of their label.
    pub results: String,
    /// The campaign is over, whether or not every run is settled: its ConfigMaps have an index.
    pub over: bool,
    /// The version of what copied the ledger and wrote the documents.
    pub copied_by: String,
}

/// What keeps processes apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IsolationFacts {
    /// What is enforced; what is not is plain affinity or nothing.
    pub enforced: Enforced,
    /// Period of CPU quotas, microseconds; absent where quotas are not permitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota_period_micros: Option<u64>,
}
