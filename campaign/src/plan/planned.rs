//! The plan: plain data, serialised as `campaign.json`, hashed, frozen once load has been sent.

use std::fmt;

use serde::{Deserialize, Serialize};
use soak_crds::spec::{Compare, EnvVar, JudgeBounds, Lever, Prediction, Preset, Settings, Slo, Threshold};
use soak_sample::{Arrivals, ClientShape, Idle, Protocol, Request};

/// Everything that will be run, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The campaign's name.
    pub name: String,
    /// The product's version that made the plan.
    pub planned_by: String,
    /// Arms, lever variants included, in the order of the tables.
    pub arms: Vec<PlannedArm>,
    /// Bodies.
    pub bodies: Vec<PlannedBody>,
    /// Runs in the order in which they are made.
    pub runs: Vec<PlannedRun>,
    /// Seed of that order; absent where it is as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_seed: Option<i64>,
    /// Replicates of each arm × body.
    pub replicates: u32,
    /// The judge's bounds.
    pub bounds: JudgeBounds,
    /// What is asked of the numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slo: Option<Slo>,
    /// Limits that decide the outcome.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<Threshold>,
    /// Comparisons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compare: Vec<Compare>,
    /// Levers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levers: Vec<Lever>,
    /// Predictions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<Prediction>,
    /// Expected wall time of all runs, milliseconds.
    pub expected_millis: i64,
    /// sha256 over everything above, hexadecimal.
    pub hash: String,
}

/// One arm with every setting resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedArm {
    /// The arm's name; a lever variant is called `arm+lever`.
    pub name: String,
    /// The arm and levers that this is a variant of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant_of: Option<String>,
    /// The levers of the variant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levers: Vec<String>,
    /// What is run.
    pub server: PlannedServer,
    /// What is spoken.
    pub protocol: Protocol,
    /// The client.
    pub client: PlannedClient,
}

/// What is run, resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedServer {
    /// The program.
    pub program: Program,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its environment, each variable a lever.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<EnvVar>,
    /// JVM options, each a lever.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jvm_options: Vec<String>,
    /// Declared settings, each a lever.
    #[serde(default)]
    pub settings: Settings,
    /// CPU limit, thousandths of a CPU.
    pub cpu_milli: i64,
    /// Memory limit, bytes.
    pub memory_bytes: i64,
    /// Port to connect to; absent: the program chooses and tells (presets).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Path that answers 2xx once ready; absent: a connection that is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_path: Option<String>,
    /// How long it may take to get ready, milliseconds.
    pub ready_timeout_millis: i64,
    /// Whether its digest can be built again.
    pub reproducible: bool,
    /// What its pod is given besides, on a cluster.
    #[serde(default, skip_serializing_if = "PodShape::is_default")]
    pub pod: PodShape,
}

/// What an arm's pod is given besides its server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodShape {
    /// The user id of its processes; absent: the executor's own choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_as_user: Option<i64>,
    /// Folders that the server may write, besides `/tmp`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writable_paths: Vec<String>,
    /// Whether the whole file system may be written.
    #[serde(default)]
    pub writable_root: bool,
}

impl PodShape {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The program of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Program {
    /// One of the product's own.
    Preset(Preset),
    /// A container image.
    Image(String),
    /// A standing arm behind this Service.
    Service(String),
    /// A program on this machine and its first arguments.
    Command(Vec<String>),
}

/// The client of one arm, resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedClient {
    /// Connections, streams, what may be in flight.
    pub shape: ClientShape,
    /// Between two sends.
    pub idle: Idle,
    /// Threads that send in each driver.
    pub workers: u32,
    /// Drivers.
    pub drivers: u32,
    /// Spacing of calls.
    pub arrivals: Arrivals,
    /// The number of connections that must have been opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_connections: Option<u32>,
    /// Time-out of a call, nanoseconds from its due time.
    pub timeout_nanos: i64,
    /// Drain after each step, nanoseconds.
    pub drain_nanos: i64,
    /// CPU limit of each driver, thousandths of a CPU.
    pub cpu_milli: i64,
}

/// A body, resolved. Presets differ by protocol; a body of the user's own does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedBody {
    /// Its name in tables.
    pub name: String,
    /// The preset it is made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<soak_crds::spec::BodyPreset>,
}

/// `arm-body-rN`: names files and rows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunId(pub String);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One arm × body × replicate through one ramp, in one fresh process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedRun {
    /// Its name.
    pub id: RunId,
    /// The arm's name.
    pub arm: String,
    /// The body's name.
    pub body: String,
    /// From 1.
    pub replicate: u32,
    /// What each call carries.
    pub request: Request,
    /// sha256 of the payload, hexadecimal.
    pub body_sha256: String,
    /// Leaf values of the payload, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_leaves: Option<u32>,
    /// Warm-up first, then the steps.
    pub steps: Vec<PlannedStep>,
    /// Steps that may be added past the last one.
    pub extend_max_steps: u32,
    /// Runs compare only where this is equal: ramp, body, client shape.
    pub fingerprint: String,
    /// Expected wall time, milliseconds.
    pub expected_millis: i64,
}

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedStep {
    /// From 0, the warm-up included.
    pub index: u32,
    /// What it is for.
    pub kind: StepKind,
    /// Calls per second.
    pub rate: i64,
    /// Length, nanoseconds.
    pub duration_nanos: i64,
}

/// What a step is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StepKind {
    /// Shown, never judged.
    Warmup,
    /// A step of the ramp.
    Ramp,
    /// Added past the ramp's end.
    Extension,
    /// One rate for long.
    Hold,
}
