//! What a user asks for: the `SoakCampaign` resource.

mod arm;
mod body;
mod client;
mod lever;
mod question;
mod ramp;
mod run_policy;

use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

pub use arm::{
    Arm, Codec, EnvVar, Executor, GrpcCall, HttpMethod, Local, Preset, Protocol, Request, RequestHeader, Resources,
    Server, Settings, Work, WorkKind,
};
pub use body::{Body, BodyPreset};
pub use client::{Arrivals, Client, Idle, Pool, Throttling};
pub use lever::Lever;
pub use question::{Compare, JudgeBounds, Prediction, Range, Slo, Threshold};
pub use ramp::{Extend, Hold, Ramp, Steps, Warmup};
pub use run_policy::{
    Bench, OnDelete, Order, OrderKind, Placement, Profile, ProfileKind, Retention, Tls, TlsMode, Withdrawal,
};

use crate::status::SoakCampaignStatus;

/// A campaign: arms under a ramp of offered rates, each with bodies and levers, and the questions asked of the numbers.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "soak.dev",
    version = "v1alpha1",
    kind = "SoakCampaign",
    namespaced,
    status = "SoakCampaignStatus",
    shortname = "soak",
    category = "soak"
)]
#[serde(rename_all = "camelCase")]
pub struct SoakCampaignSpec {
    /// The servers under test, each one configuration. The first is the base of the ladder's × column.
    pub arms: Vec<Arm>,
    /// The request payloads. Every arm is run with every body.
    #[serde(default = "default_bodies")]
    pub bodies: Vec<Body>,
    /// The offered rates, for every arm that does not bring its own.
    #[serde(default)]
    pub ramp: Ramp,
    /// The client's shape, for every arm that does not bring its own.
    #[serde(default)]
    pub client: Client,
    /// How often each arm × body is run, in fresh processes.
    #[serde(default = "default_replicates")]
    pub replicates: i32,
    /// In which order runs are made within a round of replicates.
    #[serde(default)]
    pub order: Order,
    /// The service level at which the capacity is also stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slo: Option<Slo>,
    /// Limits that decide whether the campaign passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<Threshold>,
    /// Settings tried one at a time against the same baseline, then stacked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levers: Vec<Lever>,
    /// Arms compared with each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compare: Vec<Compare>,
    /// What is expected, written before and judged after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<Prediction>,
    /// The judge's bounds. The defaults are those of the method.
    #[serde(default)]
    pub judge: JudgeBounds,
    /// A bench in place of the ramp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<Bench>,
    /// Profiling, the same for every arm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Transport security between driver and arms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// Where arm and driver run in relation to each other.
    #[serde(default)]
    pub placement: Placement,
    /// The queue in which campaigns wait for each other: campaigns of one pool run one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// How long results are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<Retention>,
    /// Finish the step at hand, then hold until set to false.
    #[serde(default)]
    pub suspend: bool,
    /// Stop the load and end the campaign, keeping what was measured.
    #[serde(default)]
    pub cancel: bool,
    /// Results taken back, with the reason. The old numbers stay, struck through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn: Vec<Withdrawal>,
}

fn default_bodies() -> Vec<Body> {
    vec![Body::preset(BodyPreset::Realistic)]
}

fn default_replicates() -> i32 {
    3
}
