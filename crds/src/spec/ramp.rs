//! The ramp: warm-up, then steps at fixed offered rates, or one rate held.

use kube::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::{rule::span_between, units::Span};

/// The offered rates of a run: a warm-up, then ascending steps that should pass the knee; or one rate held for long.
/// In an arm's own ramp, what is absent is taken from the campaign's.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[x_kube(
    validation = Rule::new("!has(self.steps) || !has(self.hold)")
        .message("must have at most one of steps and hold"),
    validation = Rule::new("!has(self.hold) || !has(self.extend)")
        .message("adds steps: must be left out where hold is set")
        .field_path(".extend")
)]
#[serde(rename_all = "camelCase")]
pub struct Ramp {
    /// Load before the first step, shown and never judged. Default: 200/s for 300s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup: Option<Warmup>,
    /// The steps' rates, ascending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Steps>,
    /// How long each step lasts. Default: 110s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = span_between("1s", "24h"))]
    pub step_duration: Option<Span>,
    /// Add steps until the plateau is found or the cap is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extend: Option<Extend>,
    /// One rate for long, judged for drift, in place of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
}

/// Load before the first step.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Warmup {
    /// Calls per second.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub rate: i64,
    /// How long; `0s` for none.
    #[x_kube(validation = span_between("0s", "24h"))]
    pub duration: Span,
}

/// The steps' rates: `rates`, or `from`, `to` and `by`.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[x_kube(
    validation = Rule::new(
        "has(self.rates) ? !has(self.from) && !has(self.to) && !has(self.by) : \
         has(self.from) && has(self.to) && has(self.by)"
    )
    .message("must have either rates, or all of from, to and by"),
    validation = Rule::new("!has(self.from) || !has(self.to) || self.from <= self.to")
        .message("must not be less than from: the ramp goes up")
        .field_path(".to"),
    validation = Rule::new(
        "!has(self.from) || !has(self.to) || !has(self.by) || self.from > self.to || (self.to - self.from) / self.by < 200"
    )
    .message("gives more than 200 steps: raise it, or bring from and to closer")
    .field_path(".by"),
    validation = Rule::new(
        "!has(self.from) || !has(self.to) || !has(self.by) || self.from > self.to || (self.to - self.from) % self.by == 0"
    )
    .message("must divide the way between from and to, or the ramp stops short of to")
    .field_path(".by"),
    validation = Rule::new("!has(self.rates) || self.rates.isSorted()")
        .message("must ascend: the ramp goes up")
        .field_path(".rates")
)]
#[serde(rename_all = "camelCase")]
pub struct Steps {
    /// First rate, calls per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub from: Option<i64>,
    /// Last rate, calls per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub to: Option<i64>,
    /// Difference between two rates, calls per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub by: Option<i64>,
    /// The rates one by one, ascending, calls per second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 200), inner(range(min = 1, max = 10_000_000)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub rates: Vec<i64>,
}

/// How a ramp extends itself.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Extend {
    /// The most steps added.
    #[schemars(range(min = 1, max = 100))]
    pub max_steps: i32,
}

/// One rate for long.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    /// Calls per second.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub rate: i64,
    /// How long.
    #[x_kube(validation = span_between("10s", "720h"))]
    pub duration: Span,
}
