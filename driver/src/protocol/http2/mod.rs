//! HTTP/2 in cleartext with prior knowledge, as a client: own lean framing under the three sessions that speak it.
//! What is announced: no push, the windows of [`Windows`], a header list limit; header table (4,096 bytes) and frame size
//! (16 KiB) stay at the protocol's defaults, and longer frames are not sent even where the peer allows them. Nothing but
//! the greeting is sent before the peer's SETTINGS are here; calls started earlier wait for them and count as in flight.

mod exchange;
mod frame;
mod hpack;
mod inbound;
mod link;
mod settings;
mod stream_table;
mod template;
mod violation;
mod window;

use std::sync::Arc;

pub(super) use exchange::http_class;
pub use exchange::{Answer, Exchanges, HttpAnswer};
pub use settings::Windows;
pub use template::RequestTemplate;

pub(super) use frame::{END_STREAM, Kind, MAX_PAYLOAD, put_head, put_word};
pub(super) use hpack::Fields;
pub(super) use inbound::{Inbound, Last};
pub(super) use link::{Chunk, Link, Streams};
pub(super) use template::HeadWriter;
pub(super) use violation::Violation;
pub(super) use window::SendWindow;

/// What the sessions of all connections are made from.
#[derive(Debug, Clone)]
pub struct Blueprint {
    /// The request.
    pub template: Arc<RequestTemplate>,
    /// The most calls in flight on one connection; on gRPC streams the most messages in flight on one stream.
    pub max_concurrent_streams: u32,
    /// How much the peer may send unasked.
    pub windows: Windows,
}

/// One HTTP/2 connection; a call is a request on a stream of its own, answered well by status 2xx.
pub type Http2Session = Exchanges<HttpAnswer>;
