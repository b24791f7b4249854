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
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub observed_generation: Option<i64>,
    /// When the first load was sent, RFC 3339; the spec is frozen from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub started: Option<String>,
    /// When the campaign ended, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub finished: Option<String>,
    /// sha256 of the plan, hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub plan_hash: Option<String>,
    /// sha256 of the predictions as they were when the campaign was accepted, hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub predictions_hash: Option<String>,
    /// The generation of the spec that was frozen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub started_generation: Option<i64>,
    /// The arms, for `kubectl get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub arm_names: Option<String>,
    /// The step at hand of all steps, such as `7/12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 32))]
    pub step: Option<String>,
    /// The run at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub run: Option<String>,
    /// The knee of each arm in short, for `kubectl get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub knee_summary: Option<String>,
    /// What is running, in words for a reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub summary: Option<String>,
    /// Pass, Fail, Inconclusive or Invalid, once finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Outcome>,
    /// The results of each arm × body.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 512))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub arms: Vec<ArmStatus>,
    /// The comparisons that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub comparisons: Vec<ComparisonStatus>,
    /// The predictions, judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub predictions: Vec<PredictionStatus>,
    /// The thresholds, judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub thresholds: Vec<ThresholdStatus>,
    /// What each lever was worth, alone and stacked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub levers: Vec<LeverStatus>,
    /// What was taken back, with the numbers as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub withdrawn: Vec<WithdrawnStatus>,
    /// Where the tables, rows and histograms are: the name of the results' index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub results: Option<String>,
    /// The state for tools. Types: `Accepted`, `Reconciling`, `Stalled`, `Ready`, `Succeeded`, `Finished`, `ResultsComplete`, `WithdrawalsRecorded`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
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
    #[schemars(length(max = 100))]
    pub name: String,
    /// What was spoken.
    #[schemars(length(max = 32))]
    pub protocol: String,
    /// The body.
    #[schemars(length(max = 40))]
    pub body: String,
    /// What was executed: an image digest, or on one machine the program's sha256.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub digest: Option<String>,
    /// The knee, where the ramp reached it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knee: Option<KneeStatus>,
    /// The capacity, or a floor of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<CapacityStatus>,
    /// The highest rate within the campaign's service level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub slo_capacity: Option<i64>,
    /// The step at which delivery collapsed, its offered rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub collapse: Option<i64>,
    /// Whether the ramp must be longer to find the capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extend: Option<bool>,
    /// The capacity of each replicate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub replicates: Vec<ReplicateStatus>,
    /// Highest over lowest replicate, less one, thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub spread_permille: Option<i64>,
    /// CPU per request at the matched rate, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub cpu_nanos_per_request: Option<i64>,
    /// What drifted in a hold, or why that cannot be told; empty where it held, and for a ramp.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8), inner(length(max = 256)))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub drift: Vec<String>,
    /// What the numbers of this arm are worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Outcome>,
}

/// The knee lies between these two offered rates.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct KneeStatus {
    /// The last judged step that delivers.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub last: i64,
    /// The first that does not.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub first_broken: i64,
}

/// Capacity in calls per second.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct CapacityStatus {
    /// Calls per second, rounded.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub per_second: i64,
    /// True where it is a floor.
    pub at_least: bool,
}

/// One replicate's capacity.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ReplicateStatus {
    /// The run.
    #[schemars(length(max = 200))]
    pub run: String,
    /// Its capacity, absent where it has no valid number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<CapacityStatus>,
    /// Why it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub reason: Option<String>,
}

/// A comparison, judged.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ComparisonStatus {
    /// The comparison.
    #[schemars(length(max = 100))]
    pub name: String,
    /// The body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 40))]
    pub body: Option<String>,
    /// Capacity of the treatment over the control's, thousandths; absent where it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub capacity_ratio_permille: Option<i64>,
    /// The ratio's lower bound, thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub low: Option<i64>,
    /// The ratio's upper bound, thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub high: Option<i64>,
    /// True where the difference is below the noise floor, false where it is claimed; absent where neither can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nil: Option<bool>,
    /// Comparisons asked of this body: the more there are, the further beyond chance a difference must lie to be claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_i64))]
    pub asked: Option<i64>,
    /// The ratio from which a difference is claimed, thousandths; downward from its inverse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1_000, max = 9_007_199_254_740_991_i64))]
    pub claimed_from: Option<i64>,
    /// Why the two must not be compared: each difference that was not declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), inner(length(max = 256)))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub refused: Vec<String>,
}

/// What a lever was worth: the arm with it over the arm without.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct LeverStatus {
    /// The unchanged arm.
    #[schemars(length(max = 100))]
    pub arm: String,
    /// The body.
    #[schemars(length(max = 40))]
    pub body: String,
    /// The lever; several with ` + ` between them where they are stacked.
    #[schemars(length(max = 256))]
    pub lever: String,
    /// The unchanged arm had it.
    #[serde(default)]
    pub already_on: bool,
    /// Capacity, thousandths; absent where it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub capacity_ratio_permille: Option<i64>,
    /// CPU per request at matched rates, thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub cpu_ratio_permille: Option<i64>,
    /// p50 at matched rates, thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub p50_ratio_permille: Option<i64>,
    /// Resident memory at matched rates, thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub memory_ratio_permille: Option<i64>,
    /// The measures whose difference is below the noise floor: capacity, cpu, p50, memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 4), inner(length(max = 16)))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub nil: Vec<String>,
}

/// A number that was taken back: it stays, beside its reason and what stands in its place.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct WithdrawnStatus {
    /// The run.
    #[schemars(length(max = 200))]
    pub run: String,
    /// The step's offered rate, calls per second; absent: the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub step: Option<i64>,
    /// When, RFC 3339.
    #[schemars(length(max = 64))]
    pub at: String,
    /// What the step delivered, or the run's capacity, before; absent where there was no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<CapacityStatus>,
    /// Why it was taken back.
    #[schemars(length(max = 256))]
    pub reason: String,
    /// What stands in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub superseded_by: Option<String>,
}

/// A prediction, judged.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct PredictionStatus {
    /// The prediction.
    #[schemars(length(max = 40))]
    pub name: String,
    /// What came of it; absent until it is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<PredictionOutcome>,
    /// The number and the threshold side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub evidence: Option<String>,
}

/// What came of a prediction.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PredictionOutcome {
    /// The number lies within what was predicted.
    Held,
    /// It does not.
    Failed,
    /// There is no number that could tell.
    Undecidable,
}

/// A threshold, judged.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ThresholdStatus {
    /// The threshold.
    #[schemars(length(max = 40))]
    pub name: String,
    /// What came of it; absent until it is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The number and the limit side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub evidence: Option<String>,
}

/// One aspect of the campaign's state, as tools of the field read it.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Which aspect.
    #[schemars(length(max = 64))]
    #[serde(rename = "type")]
    pub type_: String,
    /// Whether it holds.
    pub status: ConditionState,
    /// The generation of the spec that this speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub observed_generation: Option<i64>,
    /// When the status last changed, RFC 3339.
    #[schemars(length(max = 64))]
    pub last_transition_time: String,
    /// Why, in one word.
    #[schemars(length(max = 128))]
    pub reason: String,
    /// Why, for a reader.
    #[schemars(length(max = 1024))]
    pub message: String,
}

/// Whether a condition holds.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ConditionState {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// Not known yet.
    #[default]
    Unknown,
}
