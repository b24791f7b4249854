//! The one piece of work that each request does, whatever the protocol: the stated CPU time, then the payload parsed and
//! written again. In: a payload's bytes. Out: the echo's bytes. Must not know protocol, thread or connection.

use std::time::Duration;

use bytes::Bytes;
use prost::Message as _;
use prost_reflect::{DynamicMessage, MessageDescriptor};
use rustix::time::{ClockId, clock_gettime};

use crate::{
    payload::{self, Message},
    settings::{Codec, Work, WorkKind},
};

/// How a protocol's payloads are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON.
    Json,
    /// One protobuf message.
    Protobuf,
}

/// A payload that does not parse.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadPayload {
    /// Not JSON.
    #[error("the body is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Not the message.
    #[error("the message is not a soak.echo.v1.Message: {0}")]
    Protobuf(#[from] prost::DecodeError),
}

/// The work of an arm's requests.
#[derive(Debug)]
pub(crate) struct Echo {
    parser: Parser,
    spin: Duration,
}

#[derive(Debug)]
enum Parser {
    CompiledJson,
    DynamicJson,
    CompiledProtobuf,
    DynamicProtobuf(MessageDescriptor),
}

impl Echo {
    /// The work of payloads in `format`, with the codec and CPU time that the settings ask for. Absent: the build wrote
    /// no description of the message.
    pub(crate) fn new(format: Format, codec: Codec, work: Option<Work>) -> Option<Self> {
        let parser = match (format, codec) {
            (Format::Json, Codec::Compiled) => Parser::CompiledJson,
            (Format::Json, Codec::Dynamic) => Parser::DynamicJson,
            (Format::Protobuf, Codec::Compiled) => Parser::CompiledProtobuf,
            (Format::Protobuf, Codec::Dynamic) => Parser::DynamicProtobuf(payload::descriptor()?),
        };
        let spin = match work {
            Some(Work { kind: WorkKind::Spin, micros }) => Duration::from_micros(micros.into()),
            Some(Work { kind: WorkKind::Sleep, .. }) | None => Duration::ZERO,
        };
        Some(Self { parser, spin })
    }

    /// Does the work for one payload.
    pub(crate) fn answer(&self, payload: Bytes) -> Result<Bytes, BadPayload> {
        spin(self.spin);
        let echo = match &self.parser {
            Parser::CompiledJson => compiled_json(&payload)?,
            Parser::DynamicJson => dynamic_json(&payload)?,
            Parser::CompiledProtobuf => Message::decode(payload)?.encode_to_vec(),
            Parser::DynamicProtobuf(message) => DynamicMessage::decode(message.clone(), payload)?.encode_to_vec(),
        };
        Ok(echo.into())
    }
}

/// JSON of another shape than the message's is a user's own: it is echoed all the same.
fn compiled_json(payload: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
    match serde_json::from_slice::<Message>(payload) {
        Ok(message) => serde_json::to_vec(&message),
        Err(_) => dynamic_json(payload),
    }
}

fn dynamic_json(payload: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
    let value: serde_json::Value = serde_json::from_slice(payload)?;
    serde_json::to_vec(&value)
}

/// Uses this much CPU time of the calling thread. Time in which the thread does not run does not count.
fn spin(span: Duration) {
    if span.is_zero() {
        return;
    }
    let until = thread_cpu_time() + span;
    while thread_cpu_time() < until {
        std::hint::spin_loop();
    }
}

fn thread_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
