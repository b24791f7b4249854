//! What is asked of the numbers: service level, thresholds, comparisons, predictions, and the judge's bounds.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Span;

/// A service level: a step holds it when every limit given holds.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Slo {
    /// The highest p50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50: Option<Span>,
    /// The highest p99.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<Span>,
    /// The highest p999.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p999: Option<Span>,
    /// The highest share of calls due that were not answered well, in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors_permille: Option<i32>,
}

/// Limits within which a number must lie.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    /// The lowest allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<i64>,
    /// The highest allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<i64>,
}

/// A limit on one arm that decides whether the campaign passes.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Threshold {
    /// The threshold's name, unique in the campaign.
    pub name: String,
    /// The arm.
    pub arm: String,
    /// The body, where the campaign has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
#[serde(rename_all = "camelCase")]
pub struct Compare {
    /// The comparison's name, unique in the campaign.
    pub name: String,
    /// The arm compared with.
    pub control: String,
    /// The arm compared.
    pub treatment: String,
    /// Compare also where the ramps differ, with the remark that differences under 15 % mean nothing.
    #[serde(default)]
    pub across_ramps: bool,
}

/// What is expected, fixed before the campaign starts. Of `compare` and `arm` exactly one.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Prediction {
    /// The prediction's name, unique in the campaign.
    pub name: String,
    /// The comparison it speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compare: Option<String>,
    /// The arm it speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    pub knee_answered_per_ten_thousand: i32,
    /// … and fewer than this share were never sent, hundredths of a percent.
    pub knee_never_sent_per_ten_thousand: i32,
    /// … and its p50 is under this many times the lowest p50 of the judged steps.
    pub knee_p50_factor: i32,
    /// A clean step answers at least this share, hundredths of a percent.
    pub clean_answered_per_ten_thousand: i32,
    /// … and has fewer than this share never sent, hundredths of a percent.
    pub clean_never_sent_per_ten_thousand: i32,
    /// A step past the knee is saturated when it delivers less than this share, percent.
    pub saturated_delivered_percent: i32,
    /// The steps of a plateau lie within this much of their highest, percent.
    pub plateau_spread_percent: i32,
    /// A plateau has at least this many steps.
    pub plateau_min_steps: i32,
    /// A step collapses when it delivers less than this share of the best step before it, percent.
    pub collapse_delivered_percent: i32,
    /// The driver is late when the p99 of its send error passes this, microseconds.
    pub send_error_micros: i64,
    /// The ramp is split where the gap between two steps passes this, milliseconds.
    pub gap_millis: i64,
    /// The clock offset between driver and witness is not usable beyond this, microseconds.
    pub clock_offset_micros: i64,
    /// The node is contaminated when what is neither arm, driver nor witness takes more than this, thousandths of a CPU.
    pub foreign_milli_cpu: i32,
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
            gap_millis: 2000,
            clock_offset_micros: 1000,
            foreign_milli_cpu: 150,
        }
    }
}
