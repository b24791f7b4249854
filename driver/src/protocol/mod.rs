//! What is spoken: one state machine a connection, bytes in and bytes out. Knows no socket, no clock and no pace.

mod grpc_message;
pub mod grpc_stream;
pub mod grpc_unary;
pub mod http1;
pub mod http2;

use soak_sample::{ErrorKind, StreamCounts};

/// A call in flight: its place in the worker's table of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallId(pub u32);

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Answered well: HTTP 2xx, on gRPC also grpc-status 0, on streams the message that answers it.
    Ok,
    /// Answered badly, or not.
    Failed(ErrorKind),
}

impl Ending {
    /// True for what the server itself said, well or badly.
    #[inline]
    pub fn is_answer(self) -> bool {
        match self {
            Self::Ok | Self::Failed(ErrorKind::HttpClass(_) | ErrorKind::GrpcStatus(_)) => true,
            Self::Failed(ErrorKind::Reset | ErrorKind::TimeOut | ErrorKind::Connection | ErrorKind::Protocol) => false,
        }
    }
}

/// The end of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Which.
    pub call: CallId,
    /// How.
    pub ending: Ending,
}

/// The connection cannot be used any more. Calls in flight have been ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the peer broke the protocol: {0}")]
pub struct Broken(pub String);

/// One connection's protocol. Nothing here allocates per call once it has grown to its working size.
///
/// Whatever the peer does, each call that was started ends exactly once: through `receive`, or through `peer_closed`.
pub trait Session {
    /// The connection is open: what is sent first (preface, settings, the opening of streams).
    fn open(&mut self, out: &mut Vec<u8>);

    /// How many more calls may be started now: free slots, of those that the shape and the peer allow.
    fn free(&self) -> u32;

    /// Starts a call. Only called while `free() > 0`. Returns the bytes of the call in `out`.
    fn start(&mut self, call: CallId, out: &mut Vec<u8>);

    /// Bytes from the peer. What is incomplete is kept. Answers that the protocol asks for go to `out`.
    /// On `Err`, every call that was in flight has been added to `ended`.
    fn receive(&mut self, bytes: &[u8], out: &mut Vec<u8>, ended: &mut Vec<Ended>) -> Result<(), Broken>;

    /// The peer closed or reset the connection: ends every call in flight (HTTP/1.1 bodies that end with the
    /// connection end well).
    fn peer_closed(&mut self, reset: bool, ended: &mut Vec<Ended>);

    /// False once no further call can be started on this connection (GOAWAY, `connection: close`, streams gone).
    fn usable(&self) -> bool;

    /// The step is over: what closes it in good order (half-closing of streams). Answers are still received.
    fn finish(&mut self, out: &mut Vec<u8>);

    /// True when nothing is awaited any more: no call in flight, and on streams every stream closed.
    fn quiet(&self) -> bool;

    /// Counts of long-lived streams, on protocols that have them. Those still open count as `open_after_drain`.
    fn streams(&self) -> Option<StreamCounts> {
        None
    }
}
