//! The ramp: warm-up, then steps at fixed offered rates, or one rate held.

use kube::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::units::Span;

/// The offered rates of a run: a warm-up, then ascending steps that should pass the knee; or one rate held for long.
/// In an arm's own ramp, what is absent is taken from the campaign's.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
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
    pub rate: i64,
    /// How long.
    pub duration: Span,
}

/// The steps' rates: `rates`, or `from`, `to` and `by`.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Steps {
    /// First rate, calls per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// Last rate, calls per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// Difference between two rates, calls per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<i64>,
    /// The rates one by one, ascending, calls per second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<i64>,
}

/// How a ramp extends itself.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Extend {
    /// The most steps added.
    pub max_steps: i32,
}

/// One rate for long.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    /// Calls per second.
    pub rate: i64,
    /// How long.
    pub duration: Span,
}
