//! What a driver saw in one step.

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Histogram;

/// What one driver saw in one step. Always `due = ok + Σ errors + never_sent + in_flight`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DriverWindow {
    /// [`crate::VERSION`].
    pub version: String,
    /// The order's id.
    pub order: String,
    /// Workers whose counts are merged here, as ordered. A lost worker voids the step.
    pub workers: u32,
    /// Workers that finished.
    pub workers_finished: u32,
    /// Start of the step as realised.
    pub start_unix_nanos: i64,
    /// End of the step (before the drain) as realised.
    pub end_unix_nanos: i64,
    /// When the last call had ended, or the drain was over.
    pub drained_unix_nanos: i64,
    /// Calls due.
    pub due: u64,
    /// Calls answered well, within their time-out and the drain.
    pub ok: u64,
    /// Calls answered well inside the step's window, whichever step they were due in.
    pub ok_in_window: u64,
    /// Calls that ended badly, by kind.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Calls never sent: no free connection, stream or in-flight slot when due.
    pub never_sent: u64,
    /// Calls still in flight after the drain.
    pub in_flight: u64,
    /// Calls in flight at the end of the step's first half, and at the end of the step: growth is judged from the two.
    pub in_flight_half: u64,
    /// See `in_flight_half`.
    pub in_flight_end: u64,
    /// Connections opened, failed ones not counted.
    pub connections_opened: u64,
    /// Connections that ended before the step did.
    pub connections_lost: u64,
    /// From due time to answer, calls answered well. Nanoseconds.
    pub latency: Histogram,
    /// From actual send to answer, calls answered well. Nanoseconds.
    pub service: Histogram,
    /// From due time to the first attempt to send, all calls sent. Where the peer takes no bytes, a call leaves later
    /// than it was attempted: that is the peer's doing, shows in the latency, and is not the driver's lateness.
    /// Nanoseconds.
    pub send_error: Histogram,
    /// Bytes received.
    pub bytes_received: u64,
    /// Bytes sent.
    pub bytes_sent: u64,
    /// Long-lived streams, on protocols that have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamCounts>,
    /// CPU time of the workers over the step, less what was spent spinning idle, nanoseconds; for the cost per request.
    pub busy_nanos: u64,
    /// The step second by second.
    pub seconds: Vec<DriverSecond>,
}

/// Long-lived streams of one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StreamCounts {
    /// Opened.
    pub opened: u64,
    /// Closed with grpc-status 0.
    pub closed_ok: u64,
    /// Closed otherwise, resets included.
    pub closed_badly: u64,
    /// Reset by the server.
    pub resets: u64,
    /// Still open after the drain: the driver's own limit.
    pub open_after_drain: u64,
    /// Times that a message was due and the connection did not take it (flow control or socket full).
    pub write_blocked: u64,
}

/// One second of a step, by the second in which calls were due (`due`, `never_sent`) or ended (`ok`, `failed`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DriverSecond {
    /// Calls due.
    pub due: u64,
    /// Calls answered well.
    pub ok: u64,
    /// Calls that ended badly.
    pub failed: u64,
    /// Calls never sent.
    pub never_sent: u64,
    /// Calls in flight at the second's end.
    pub in_flight: u64,
    /// Highest latency from the due time, nanoseconds.
    pub latency_max: u64,
}

/// How a call ended badly. As text: `http5xx`, `grpc14`, `reset`, `timeOut`, `connection`, `protocol`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// An HTTP status of this class (1–5) that is not a success.
    HttpClass(u8),
    /// A grpc-status other than 0.
    GrpcStatus(u8),
    /// The stream or connection was reset.
    Reset,
    /// No answer in time.
    TimeOut,
    /// The connection could not be opened or was closed in mid-call.
    Connection,
    /// The answer broke the protocol.
    Protocol,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HttpClass(class) => write!(f, "http{class}xx"),
            Self::GrpcStatus(status) => write!(f, "grpc{status}"),
            Self::Reset => f.write_str("reset"),
            Self::TimeOut => f.write_str("timeOut"),
            Self::Connection => f.write_str("connection"),
            Self::Protocol => f.write_str("protocol"),
        }
    }
}

impl FromStr for ErrorKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || format!("{text:?} is not a kind of error");
        Ok(match text {
            "reset" => Self::Reset,
            "timeOut" => Self::TimeOut,
            "connection" => Self::Connection,
            "protocol" => Self::Protocol,
            _ => {
                if let Some(class) = text.strip_prefix("http").and_then(|t| t.strip_suffix("xx")) {
                    Self::HttpClass(class.parse().map_err(|_| unknown())?)
                } else if let Some(status) = text.strip_prefix("grpc") {
                    Self::GrpcStatus(status.parse().map_err(|_| unknown())?)
                } else {
                    return Err(unknown());
                }
            }
        })
    }
}

impl Serialize for ErrorKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ErrorKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}
