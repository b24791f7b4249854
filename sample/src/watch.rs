//! What driver and witness are asked besides a load, and what they answer: a step's edges, levers on the arm's process,
//! the time, and where orders stand.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::LeverProof;

/// A host's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Clock {
    /// Nanoseconds since the epoch.
    pub unix_nanos: i64,
}

/// Where an order stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OrderState {
    /// Waiting for its start.
    Armed,
    /// Its step is on, or its drain.
    Running,
    /// Its window can be fetched.
    Finished,
    /// It could not be carried out.
    Failed,
}

/// An order that a driver holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldOrder {
    /// Its id.
    pub id: String,
    /// Where it stands.
    pub state: OrderState,
    /// Start, as ordered.
    pub start_unix_nanos: i64,
    /// End before the drain, as ordered.
    pub end_unix_nanos: i64,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The ports of an arm that is beside the witness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ArmPorts {
    /// The port that is loaded: tells the server from its wrappers.
    pub port: u16,
    /// The port of metrics and settings, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admin: Option<u16>,
}

/// What a witness is told of one step. Asking for the same id twice changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WatchOrder {
    /// [`crate::VERSION`].
    pub version: String,
    /// The order's id.
    pub order: String,
    /// Start of the step, in the witness's own clock.
    pub start_unix_nanos: i64,
    /// End of the step, before the drain.
    pub end_unix_nanos: i64,
    /// The driver's clock less the witness's, nanoseconds; kept in the window.
    pub clock_offset_nanos: i64,
    /// How far the offset may be off; absent where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_error_nanos: Option<i64>,
    /// The arm's ports.
    pub arm: ArmPorts,
    /// How long one reading's heap is asked for, milliseconds.
    pub heap_budget_millis: u64,
}

/// Where a watch stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchReport {
    /// Whether its window can be fetched.
    pub finished: bool,
}

/// What was declared of the arm beside the witness, to be looked for on its process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeverQuestion {
    /// [`crate::VERSION`].
    pub version: String,
    /// Arguments, in their order.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment variables; no other leaves the pod.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Settings as the admin port names them.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// CPU limit, thousandths of a CPU.
    pub cpu_milli: u64,
    /// Memory limit, bytes.
    pub memory_bytes: u64,
    /// The arm's ports.
    pub arm: ArmPorts,
}

/// What the witness found on the arm's process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArmReport {
    /// One proof of each declared lever.
    pub proofs: Vec<LeverProof>,
    /// The server's process id, in the pod's namespace.
    pub pid: u32,
    /// Its command line.
    pub command: Vec<String>,
    /// sha256 of the program that it executes, hexadecimal; absent where it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_sha256: Option<String>,
    /// The node as the witness sees it.
    pub machine: crate::Machine,
}
