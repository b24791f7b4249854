//! The client's shape: connections, streams, pace and the driver's own means.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    rule::span_between,
    units::{Cpu, Span},
};

/// The client's shape. What is absent takes the protocol's default: HTTP/1.1 256 connections; HTTP/2 and gRPC unary
/// 8 connections × 512 streams and 4,096 calls in flight; gRPC streams 20 streams with 256 messages in flight each.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Client {
    /// The most connections opened, over all workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_535))]
    pub connections: Option<i32>,
    /// The most calls in flight on one HTTP/2 connection; on gRPC streams the most messages in flight on one stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_concurrent_streams: Option<i32>,
    /// The most calls in flight, over all connections and workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub max_in_flight: Option<i32>,
    /// Long-lived streams, over all workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_535))]
    pub streams: Option<i32>,
    /// Whether connections are opened at once or as they are needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<Pool>,
    /// What the driver does between two sends. Default: `Spin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Idle>,
    /// Threads that send, in each driver. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 64))]
    pub workers: Option<i32>,
    /// Driver processes or pods. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 64))]
    pub drivers: Option<i32>,
    /// How calls are spaced. Default: `Uniform`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// The seed of `Poisson` arrivals. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    pub seed: Option<i64>,
    /// The number of connections that must have been opened; another number voids the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 4_000_000))]
    pub expect_connections: Option<i32>,
    /// After this long a call counts as timed out. Default: 30s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = span_between("1ms", "10m"))]
    pub timeout: Option<Span>,
    /// How long answers are awaited after a step's end. Default: 5s, on gRPC streams 500ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = span_between("0s", "10m"))]
    pub drain: Option<Span>,
    /// The driver's CPU limit. Default: its workers plus 0.2 while spinning, its workers while sleeping.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cpu>,
    /// Whether a driver that is bound to be throttled is refused. Default: `Refuse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttling: Option<Throttling>,
}

/// Whether connections are opened at once or as they are needed.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pool {
    /// Fill the first connection before the next is opened.
    AsNeeded,
    /// Open all connections and go round robin.
    Eager,
}

/// What the driver does between two sends.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Idle {
    /// Never sleep: owns a core and sends within microseconds.
    Spin,
    /// Sleep in the kernel until shortly before the next send is due: for shared machines and small quotas.
    Sleep,
}

/// How calls are spaced.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrivals {
    /// Evenly.
    Uniform,
    /// With exponential gaps from a seed.
    Poisson,
}

/// Whether a driver that is bound to be throttled is refused.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Throttling {
    /// The campaign is refused.
    Refuse,
    /// The campaign runs and its steps are judged by what happened.
    Accept,
}
