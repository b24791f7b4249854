//! How runs are made and results are kept: order, placement, bench, profile, TLS, retention, withdrawals.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{pattern, rule::span_between, units::Span};

/// In which order runs are made.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase", default)]
pub struct Order {
    /// Random within each round of replicates, or as written.
    pub kind: OrderKind,
    /// The seed of the random order.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub seed: i64,
}

impl Default for Order {
    fn default() -> Self {
        Self { kind: OrderKind::Random, seed: 1 }
    }
}

/// Random within each round, or as written.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderKind {
    /// Random within each round of replicates, from the seed.
    Random,
    /// Arms and bodies as they are written.
    AsWritten,
}

/// Where arm and driver run in relation to each other.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Placement {
    /// On different nodes.
    #[default]
    Spread,
    /// On one node: every number is a floor.
    SameNode,
}

/// A bench in place of the ramp.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bench {
    /// From the start of the process to its first good answer.
    ColdStart,
    /// Closed loop: sequential latency and many-way throughput after a warm-up.
    Steady,
    /// Closed loop over loopback at several body sizes.
    Loopback,
}

/// Profiling, the same for every arm.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// How.
    pub kind: ProfileKind,
}

/// How arms are profiled.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProfileKind {
    /// An agent that the arm's own configuration loads; declared here.
    Agent,
}

/// Transport security between driver and arms.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Tls {
    /// Which certificates are used.
    pub mode: TlsMode,
}

/// Which certificates are used.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TlsMode {
    /// Made for the campaign.
    SelfSigned,
}

/// How long results are kept; the newest go by maxAge alone, and none before the campaign is over.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// Results of the newest campaigns of this name that are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    pub keep_last: Option<i32>,
    /// Results whose last object is older than this are removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = span_between("1h", "9999h"))]
    pub max_age: Option<Span>,
    /// The most bytes kept; the oldest results go first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_099_511_627_776_i64))]
    pub max_bytes: Option<i64>,
    /// What happens to results when the campaign is deleted. Default: `Keep`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_delete: Option<OnDelete>,
}

/// What happens to results when the campaign is deleted.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OnDelete {
    /// They stay.
    Keep,
    /// They go with it.
    Delete,
}

/// A result taken back.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Withdrawal {
    /// The run, such as `rest-h1-realistic-r1`.
    #[schemars(length(min = 1, max = 200), regex(pattern = pattern::RUN))]
    pub run: String,
    /// The step's offered rate; absent: the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub step: Option<i64>,
    /// Why it is taken back.
    #[schemars(length(min = 1, max = 1024))]
    pub reason: String,
    /// What stands in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub superseded_by: Option<String>,
}
