//! The order that a driver carries out: one step's load.

use serde::{Deserialize, Serialize};

/// One step's load. Asking for the same id twice changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoadOrder {
    /// [`crate::VERSION`].
    pub version: String,
    /// Unique: run, attempt and step.
    pub id: String,
    /// Where the load goes.
    pub target: Target,
    /// What is spoken.
    pub protocol: Protocol,
    /// What each call carries.
    pub request: Request,
    /// Connections, streams and what may be in flight, over all drivers and workers.
    pub shape: ClientShape,
    /// How fast.
    pub pace: Pace,
    /// Which calls of the schedule belong to this driver.
    pub share: Share,
    /// Threads that send in this driver.
    pub workers: u32,
    /// What a worker does between two sends.
    pub idle: Idle,
    /// The CPUs that workers are pinned to, one each; empty: not pinned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pin_cpus: Vec<u32>,
    /// Start of the step, nanoseconds since the epoch. The schedule begins here.
    pub start_unix_nanos: i64,
    /// Length of the step.
    pub duration_nanos: i64,
    /// After this long from its due time a call counts as timed out. It is ignored, never reset.
    pub timeout_nanos: i64,
    /// How long answers are awaited after the step's end.
    pub drain_nanos: i64,
}

/// Where the load goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Target {
    /// IP address or host name.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

/// What is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Protocol {
    /// HTTP/1.1.
    Http1,
    /// HTTP/2 cleartext with prior knowledge.
    Http2,
    /// gRPC, one message each way.
    GrpcUnary,
    /// gRPC, long-lived streams of messages both ways.
    GrpcStream,
}

/// What each call carries. For gRPC the path is `/package.Service/Method` and the body one message without its frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    /// HTTP method.
    pub method: String,
    /// HTTP path with query.
    pub path: String,
    /// Header lines besides host, content type and length; names in lower case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// Content type of the body; absent where there is no body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The body.
    #[serde(with = "crate::histogram::base64_bytes")]
    pub body: Vec<u8>,
}

/// The client's shape, in aggregate over drivers and workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientShape {
    /// The most connections.
    pub connections: u32,
    /// The most calls in flight on one connection (HTTP/2), or messages in flight on one stream (gRPC streams).
    pub max_concurrent_streams: u32,
    /// The most calls in flight.
    pub max_in_flight: u32,
    /// Long-lived streams (gRPC streams only, else 0).
    pub streams: u32,
    /// When connections are opened.
    pub pool: PoolPolicy,
}

/// When connections are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PoolPolicy {
    /// Fill the first connection before opening the next.
    AsNeeded,
    /// Open all at the step's start and go round robin.
    Eager,
}

/// How fast calls are made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Pace {
    /// Open loop: calls are due by a schedule made beforehand, whatever the server does.
    Open {
        /// Calls per second, in aggregate over drivers and workers.
        per_second: f64,
        /// How they are spaced.
        arrivals: Arrivals,
    },
    /// Closed loop: a new call as soon as a slot is free. Named closed loop wherever it is shown.
    Closed,
}

/// How calls are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Arrivals {
    /// Evenly or at random.
    pub kind: ArrivalsKind,
    /// Seed of the random gaps.
    pub seed: u64,
}

/// Evenly or at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ArrivalsKind {
    /// The same gap between any two calls.
    Uniform,
    /// Exponential gaps.
    Poisson,
}

/// Which calls of the schedule belong to a sender: call `k` belongs to sender `k mod of`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Share {
    /// This sender, from 0.
    pub index: u32,
    /// All senders.
    pub of: u32,
}

/// What a worker does between two sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Idle {
    /// Spin: owns its core.
    Spin,
    /// Sleep in the kernel until shortly before the next send is due.
    Sleep,
}
