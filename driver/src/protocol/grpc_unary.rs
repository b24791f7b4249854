//! gRPC with one message each way: how an answer's statuses, trailers and message decide the call. Framing is HTTP/2's.

use soak_sample::ErrorKind;

use super::{
    Ending,
    grpc_message::MessageReader,
    http2::{Answer, Exchanges, Inbound, http_class},
};

/// One connection of unary gRPC; a call is answered well by HTTP status 200, exactly one message and grpc-status 0.
pub type GrpcUnarySession = Exchanges<GrpcAnswer>;

/// One call's answer so far.
#[derive(Debug, Default)]
pub struct GrpcAnswer {
    messages: MessageReader,
    completed: u32,
    compressed: bool,
}

impl Answer for GrpcAnswer {
    fn data(&mut self, bytes: &[u8]) {
        match self.messages.feed(bytes) {
            Ok(completed) => self.completed = self.completed.saturating_add(completed),
            Err(_) => self.compressed = true,
        }
    }

    fn ending(&self, inbound: &Inbound) -> Ending {
        let one_message = self.completed == 1 && self.messages.is_between() && !self.compressed;
        match (inbound.status(), inbound.grpc_status()) {
            (200, Some(0)) if one_message => Ending::Ok,
            (200, Some(0) | None) => Ending::Failed(ErrorKind::Protocol),
            (200, Some(status)) => Ending::Failed(ErrorKind::GrpcStatus(status)),
            (status, _) => Ending::Failed(http_class(status)),
        }
    }
}
