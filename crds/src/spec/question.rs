//! What is asked of the numbers: service level, thresholds, comparisons, predictions, and the judge's bounds.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{pattern, rule::span_between, units::Span};

/// A service level: a step holds it when every limit given holds.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[x_kube(
    validation = Rule::new("has(self.p50) || has(self.p99) || has(self.p999) || has(self.errorsPermille)")
        .message("must have at least one of p50, p99, p999 and errorsPermille")
)]
#[serde(rename_all = "camelCase")]
pub struct Slo {
    /// The highest p50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = span_between("1ms", "10m"))]
    pub p50: Option<Span>,
    /// The highest p99.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = span_between("1ms", "10m"))]
    pub p99: Option<Span>,
    /// The highest p999.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = span_between("1ms", "10m"))]
    pub p999: Option<Span>,
    /// The highest share of calls due that were not answered well, in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1000))]
    pub errors_permille: Option<i32>,
}

/// Limits within which a number must lie.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[x_kube(
    validation = Rule::new("has(self.atLeast) || has(self.atMost)").message("must have atLeast or atMost"),
    validation = Rule::new("!has(self.atLeast) || !has(self.atMost) || self.atLeast <= self.atMost")
        .message("must not be less than atLeast")
        .field_path(".atMost")
)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    /// The lowest allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub at_least: Option<i64>,
    /// The highest allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub at_most: Option<i64>,
}

/// A limit on one arm that decides whether the campaign passes.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[x_kube(
    validation = Rule::new(
        "has(self.capacityPerSecond) || has(self.sloCapacityPerSecond) || has(self.cpuNanosPerRequest) \
         || has(self.p99Micros)"
    )
    .message("must have at least one of capacityPerSecond, sloCapacityPerSecond, cpuNanosPerRequest and p99Micros")
)]
#[serde(rename_all = "camelCase")]
pub struct Threshold {
    /// The threshold's name, unique in the campaign.
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub name: String,
    /// The arm.
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub arm: String,
    /// The body, where the campaign has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub body: Option<String>,
    /// Capacity, calls per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_per_second: Option<Range>,
    /// Capacity at the campaign's service level, calls per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slo_capacity_per_second: Option<Range>,
    /// CPU per request at the highest step below the knee, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_nanos_per_request: Option<Range>,
    /// p99 at the highest step below the knee, microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_micros: Option<Range>,
}

/// Two arms compared.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[x_kube(
    validation = Rule::new("self.control != self.treatment")
        .message("must be another arm than control")
        .field_path(".treatment")
)]
#[serde(rename_all = "camelCase")]
pub struct Compare {
    /// The comparison's name, unique in the campaign.
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub name: String,
    /// The arm compared with.
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub control: String,
    /// The arm compared.
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub treatment: String,
    /// Compare also where the ramps differ, with the remark that differences under 15 % mean nothing.
    #[serde(default)]
    pub across_ramps: bool,
}

/// What is expected, fixed before the campaign starts. Of `compare` and `arm` exactly one.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[x_kube(
    validation = Rule::new("has(self.compare) != has(self.arm)")
        .message("must have exactly one of compare and arm"),
    validation = Rule::new(
        "has(self.arm) || has(self.capacityRatioPermille) || has(self.cpuRatioPermille) || has(self.p50RatioPermille)"
    )
    .message("must have one of capacityRatioPermille, cpuRatioPermille and p50RatioPermille beside compare"),
    validation = Rule::new("!has(self.arm) || has(self.capacityPerSecond)")
        .message("must be set beside arm")
        .field_path(".capacityPerSecond"),
    validation = Rule::new("has(self.arm) || !has(self.capacityPerSecond)")
        .message("speaks of one arm: set arm in place of compare")
        .field_path(".capacityPerSecond"),
    validation = Rule::new(
        "!has(self.arm) || (!has(self.capacityRatioPermille) && !has(self.cpuRatioPermille) && !has(self.p50RatioPermille))"
    )
    .message("has no ratios, which speak of a comparison: set compare in place of arm")
    .field_path(".arm")
)]
#[serde(rename_all = "camelCase")]
pub struct Prediction {
    /// The prediction's name, unique in the campaign.
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub name: String,
    /// The comparison it speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub compare: Option<String>,
    /// The arm it speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub arm: Option<String>,
    /// Capacity of the treatment over the control's, thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_ratio_permille: Option<Range>,
    /// CPU per request of the treatment over the control's at matched rates, thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ratio_permille: Option<Range>,
    /// p50 of the treatment over the control's at matched rates, thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ratio_permille: Option<Range>,
    /// The arm's capacity, calls per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_per_second: Option<Range>,
}

/// The judge's bounds. Each is printed with the verdict that it decided.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase", default)]
pub struct JudgeBounds {
    /// A step delivers when at least this share of the calls due was answered well, hundredths of a percent.
    #[schemars(range(min = 5_000, max = 10_000))]
    pub knee_answered_per_ten_thousand: i32,
    /// A step delivers when fewer than this share of the calls due were never sent, hundredths of a percent.
    #[schemars(range(min = 1, max = 5_000))]
    pub knee_never_sent_per_ten_thousand: i32,
    /// A step delivers when its p50 is under this many times the lowest p50 of the judged steps.
    #[schemars(range(min = 2, max = 1_000))]
    pub knee_p50_factor: i32,
    /// A clean step answers at least this share, hundredths of a percent.
    #[schemars(range(min = 5_000, max = 10_000))]
    pub clean_answered_per_ten_thousand: i32,
    /// A clean step has fewer than this share of the calls due never sent, hundredths of a percent.
    #[schemars(range(min = 1, max = 5_000))]
    pub clean_never_sent_per_ten_thousand: i32,
    /// A step past the knee is saturated when it delivers less than this share, percent.
    #[schemars(range(min = 50, max = 100))]
    pub saturated_delivered_percent: i32,
    /// The steps of a plateau lie within this much of their highest, percent.
    #[schemars(range(min = 1, max = 50))]
    pub plateau_spread_percent: i32,
    /// A plateau has at least this many steps.
    #[schemars(range(min = 2, max = 20))]
    pub plateau_min_steps: i32,
    /// A step collapses when it delivers less than this share of the best step before it, percent.
    #[schemars(range(min = 10, max = 99))]
    pub collapse_delivered_percent: i32,
    /// The driver is late when the p99 of its send error passes this, microseconds.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub send_error_micros: i64,
    /// The ramp is split where the gap between two steps, the drain included, passes this, milliseconds.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub gap_millis: i64,
    /// The clock offset between driver and witness is not usable beyond this, microseconds.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub clock_offset_micros: i64,
    /// The node is contaminated when what is neither arm, driver nor witness takes more than this, thousandths of a CPU.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub foreign_milli_cpu: i32,
    /// The node is contaminated when its hypervisor takes more than this from it, thousandths of a CPU.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub steal_milli_cpu: i32,
    /// The node's sampling has a gap where two readings lie further apart than this, milliseconds.
    #[schemars(range(min = 1_100, max = 3_600_000))]
    pub sampling_gap_millis: i64,
    /// An arm is at its quota when it uses at least this share of it, or is throttled in most periods, percent.
    #[schemars(range(min = 50, max = 100))]
    pub quota_used_percent: i32,
    /// The host has no room when the CPUs that the arm may use were idle for less than this share of the step, percent.
    #[schemars(range(min = 0, max = 50))]
    pub host_idle_percent: i32,
    /// The host has no room when the arm's threads waited to run for more than this share of the step beyond their throttling and each
    /// other, percent.
    #[schemars(range(min = 1, max = 100))]
    pub host_wait_percent: i32,
    /// The client's shape is full when at least this share of its slots was busy, percent.
    #[schemars(range(min = 50, max = 100))]
    pub slots_busy_percent: i32,
    /// A full shape limits the step while its p50 is under this many times the lowest p50 of the judged steps.
    #[schemars(range(min = 2, max = 100))]
    pub shape_p50_factor: i32,
    /// A hold drifts when p99, CPU per request or resident memory of its last quarter differ from the first by this much or more, beyond
    /// their noise, percent.
    #[schemars(range(min = 1, max = 100))]
    pub drift_percent: i32,
    /// A hold drifts when the calls not answered well rise by more than this share of the calls due, hundredths of a percent.
    #[schemars(range(min = 1, max = 5_000))]
    pub drift_errors_per_ten_thousand: i32,
    /// Each quarter of a hold needs at least this many stretches that count for drift to be told.
    #[schemars(range(min = 2, max = 1_000))]
    pub drift_min_stretches: i32,
}

impl Default for JudgeBounds {
    fn default() -> Self {
        Self {
            knee_answered_per_ten_thousand: 9950,
            knee_never_sent_per_ten_thousand: 50,
            knee_p50_factor: 10,
            clean_answered_per_ten_thousand: 9990,
            clean_never_sent_per_ten_thousand: 10,
            saturated_delivered_percent: 98,
            plateau_spread_percent: 5,
            plateau_min_steps: 3,
            collapse_delivered_percent: 85,
            send_error_micros: 1000,
            gap_millis: 8000,
            clock_offset_micros: 1000,
            foreign_milli_cpu: 150,
            steal_milli_cpu: 200,
            sampling_gap_millis: 2500,
            quota_used_percent: 95,
            host_idle_percent: 2,
            host_wait_percent: 10,
            slots_busy_percent: 90,
            shape_p50_factor: 2,
            drift_percent: 5,
            drift_errors_per_ten_thousand: 10,
            drift_min_stretches: 3,
        }
    }
}
