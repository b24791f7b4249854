//! What a user is told: the view of a campaign's results, under 16 kB whatever its size.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The campaign's state and results in short. Absent means not known; never 0 for unknown.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct SoakCampaignStatus {
    /// The generation of the spec that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Set once load has been sent; the spec is frozen from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// When the campaign ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// sha256 of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<String>,
    /// What is running, in words for a reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Pass, Fail, Inconclusive or Invalid, once finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Outcome>,
    /// The results of each arm × body.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<ArmStatus>,
}

/// The four outcomes of a campaign, best first.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing that was asked failed.
    Pass,
    /// A question that was asked cannot be answered by what was measured.
    Inconclusive,
    /// A threshold or prediction failed.
    Fail,
    /// There is no valid number: limited, void, or a lever that was not held.
    Invalid,
}

/// The results of one arm under one body.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ArmStatus {
    /// The arm.
    pub name: String,
    /// What was spoken.
    pub protocol: String,
    /// The body.
    pub body: String,
    /// What was executed: an image digest, or on one machine the program's sha256.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The knee, where the ramp reached it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knee: Option<KneeStatus>,
    /// The capacity, or a floor of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<CapacityStatus>,
    /// The highest rate within the campaign's service level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slo_capacity: Option<i64>,
    /// The step at which delivery collapsed, its offered rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collapse: Option<i64>,
    /// Whether the ramp must be longer to find the capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extend: Option<bool>,
    /// The capacity of each replicate, calls per second; null for one without a valid number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replicates: Vec<ReplicateStatus>,
    /// Highest over lowest replicate, less one, thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread_permille: Option<i64>,
    /// CPU per request at the matched rate, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_nanos_per_request: Option<i64>,
    /// What the numbers of this arm are worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Outcome>,
}

/// The knee lies between these two offered rates.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct KneeStatus {
    /// The last judged step that delivers.
    pub last: i64,
    /// The first that does not.
    pub first_broken: i64,
}

/// Capacity in calls per second.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct CapacityStatus {
    /// Calls per second, rounded.
    pub per_second: i64,
    /// True where it is a floor.
    pub at_least: bool,
}

/// One replicate's capacity.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ReplicateStatus {
    /// The run.
    pub run: String,
    /// Its capacity, absent where it has no valid number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<CapacityStatus>,
    /// Why it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
