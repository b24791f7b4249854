//! What a user asks for: the `SoakCampaign` resource.

#![allow(clippy::duplicated_attributes, reason = "printer columns repeat their keys")]

mod arm;
mod body;
mod client;
mod lever;
mod question;
mod ramp;
mod request;
mod run_policy;
mod server;
mod settings;

use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

pub use arm::{Arm, Protocol};
pub use body::{Body, BodyPreset};
pub use client::{Arrivals, Client, Idle, Pool, Throttling};
pub use lever::{Lever, ResourceChange};
pub use question::{Compare, JudgeBounds, Prediction, Range, Slo, Threshold};
pub use ramp::{Extend, Hold, Ramp, Steps, Warmup};
pub use request::{GrpcCall, HttpMethod, Request, RequestHeader};
pub use run_policy::{
    Bench, OnDelete, Order, OrderKind, Placement, Profile, ProfileKind, Retention, Tls, TlsMode, Withdrawal,
};
pub use server::{EnvVar, Local, Preset, Resources, Server};
pub use settings::{Codec, Executor, Settings, Work, WorkKind};

use crate::{pattern, status::SoakCampaignStatus};

/// A campaign: arms under a ramp of offered rates, each with bodies and levers, and the questions asked of the numbers.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "soak.dev",
    version = "v1alpha1",
    kind = "SoakCampaign",
    namespaced,
    status = "SoakCampaignStatus",
    shortname = "soak",
    category = "soak",
    doc = "A campaign: arms under a ramp of offered rates, and what their numbers are worth. `spec` asks, `status` answers.",
    printcolumn(
        name = "Arms",
        type_ = "string",
        json_path = ".status.armNames",
        description = "The arms, as they are written."
    ),
    printcolumn(
        name = "Step",
        type_ = "string",
        json_path = ".status.step",
        description = "The step at hand of all steps."
    ),
    printcolumn(
        name = "Verdict",
        type_ = "string",
        json_path = ".status.verdict",
        description = "Pass, Fail, Inconclusive or Invalid, once finished."
    ),
    printcolumn(
        name = "Knee",
        type_ = "string",
        json_path = ".status.kneeSummary",
        description = "The knee of each arm, calls per second."
    ),
    printcolumn(
        name = "Summary",
        type_ = "string",
        json_path = ".status.summary",
        priority = 1,
        description = "What is running, in words for a reader."
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    selectable = ".spec.suspend",
    selectable = ".status.verdict"
)]
#[x_kube(
    validation = Rule::new("!has(self.compare) || self.compare.all(c, self.arms.exists(a, a.name == c.control))")
        .message("must have one of spec.arms as each control")
        .field_path(".compare"),
    validation = Rule::new("!has(self.compare) || self.compare.all(c, self.arms.exists(a, a.name == c.treatment))")
        .message("must have one of spec.arms as each treatment")
        .field_path(".compare"),
    validation = Rule::new("!has(self.thresholds) || self.thresholds.all(t, self.arms.exists(a, a.name == t.arm))")
        .message("must have one of spec.arms as each arm")
        .field_path(".thresholds"),
    validation = Rule::new(
        "!has(self.levers) || self.levers.all(l, l.arms.all(name, self.arms.exists(a, a.name == name)))"
    )
    .message("must have none but spec.arms in arms")
    .field_path(".levers"),
    validation = Rule::new(
        "!has(self.predictions) || self.predictions.all(p, !has(p.arm) || self.arms.exists(a, a.name == p.arm))"
    )
    .message("must have one of spec.arms as arm")
    .field_path(".predictions"),
    validation = Rule::new(
        "!has(self.predictions) || self.predictions.all(p, !has(p.compare) || \
         (has(self.compare) && self.compare.exists(c, c.name == p.compare)))"
    )
    .message("must have one of spec.compare as compare")
    .field_path(".predictions")
)]
#[serde(rename_all = "camelCase")]
pub struct SoakCampaignSpec {
    /// The servers under test, each one configuration. The first is the base of the ladder's × column.
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub arms: Vec<Arm>,
    /// The request payloads. Every arm is run with every body.
    #[serde(default = "default_bodies")]
    #[schemars(length(min = 1, max = 8))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub bodies: Vec<Body>,
    /// The offered rates, for every arm that does not bring its own.
    #[serde(default)]
    pub ramp: Ramp,
    /// The client's shape, for every arm that does not bring its own.
    #[serde(default)]
    pub client: Client,
    /// How often each arm × body is run, in fresh processes.
    #[serde(default = "default_replicates")]
    #[schemars(range(min = 1, max = 20))]
    pub replicates: i32,
    /// In which order runs are made within a round of replicates.
    #[serde(default)]
    pub order: Order,
    /// The service level at which the capacity is also stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slo: Option<Slo>,
    /// Limits that decide whether the campaign passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub thresholds: Vec<Threshold>,
    /// Settings tried one at a time against the same baseline, then stacked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub levers: Vec<Lever>,
    /// Arms compared with each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub compare: Vec<Compare>,
    /// What is expected, written before and judged after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub predictions: Vec<Prediction>,
    /// The judge's bounds. The defaults are those of the method.
    #[serde(default)]
    #[x_kube(
        validation = Rule::new(
            "self.cleanAnsweredPerTenThousand >= self.kneeAnsweredPerTenThousand \
             && self.cleanNeverSentPerTenThousand <= self.kneeNeverSentPerTenThousand"
        )
        .message("must not hold a clean step to less than a step that keeps the knee's bounds")
    )]
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
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub pool: Option<String>,
    /// How long results are kept; the newest go by maxAge alone, and none before the campaign is over.
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
    #[schemars(length(max = 256))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub withdrawn: Vec<Withdrawal>,
}

fn default_bodies() -> Vec<Body> {
    vec![Body::preset(BodyPreset::Realistic)]
}

fn default_replicates() -> i32 {
    3
}
