//! The payload's type, generated from `proto/echo.proto`, and its description for the dynamic codec. The generated types
//! are written as JSON too: every field there, in order, none that the type does not know.

#[allow(missing_docs, clippy::pedantic, reason = "generated")]
pub(crate) mod generated {
    include!(concat!(env!("OUT_DIR"), "/soak.echo.v1.rs"));
}

use prost_reflect::{DescriptorPool, MessageDescriptor};
use serde::{Deserialize, Deserializer};

pub(crate) use generated::Message;

const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/echo.descriptors"));

const MESSAGE: &str = "soak.echo.v1.Message";

/// The message's description; absent only if the build wrote none.
pub(crate) fn descriptor() -> Option<MessageDescriptor> {
    DescriptorPool::decode(DESCRIPTORS).ok()?.get_message_by_name(MESSAGE)
}

/// A field that may be absent, but not null: an echo keeps a null that was sent.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}
