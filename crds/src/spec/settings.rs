//! The typed settings of a preset: each a lever that is read back from the running server.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Typed settings of a preset. Each is a lever: it is read back from the running server.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// Where a request's work is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<Executor>,
    /// Threads that serve connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub worker_threads: Option<i32>,
    /// How payloads are parsed and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codec: Option<Codec>,
    /// HTTP/2 streams that the server admits on one connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_concurrent_streams: Option<i32>,
    /// HTTP/2 initial flow-control window in bytes, for streams and connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 65_535, max = 1_073_741_823))]
    pub initial_window: Option<i32>,
    /// Messages of one stream that the server takes in at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub inbound_credits: Option<i32>,
    /// Work done for each request besides the echo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
}

/// Where a request's work is done.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Executor {
    /// On the thread that serves the connection.
    Direct,
    /// On a pool of threads, one request a thread at a time.
    Threads,
    /// On virtual threads (JVM presets).
    Virtual,
}

/// How payloads are parsed and written.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codec {
    /// By code generated for the payload's type.
    Compiled,
    /// By reflection over the payload's description.
    Dynamic,
}

/// Work done for each request besides the echo.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Work {
    /// Whether the time is spent on the CPU or asleep.
    pub kind: WorkKind,
    /// Microseconds for each request.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub micros: i32,
}

/// Whether a request's work is spent on the CPU or asleep.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkKind {
    /// On the CPU.
    Spin,
    /// Asleep.
    Sleep,
}
