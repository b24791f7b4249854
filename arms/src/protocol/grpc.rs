//! gRPC echo: `soak.echo.v1.Echo`, methods `Unary` and `Stream`. In: a request. Out: a response with a grpc-status. The
//! messages pass through here as bytes: the handler parses them, on whatever thread the settings ask for.

use std::{future::Future, pin::Pin, sync::Arc};

use bytes::{Buf as _, BufMut as _, Bytes};
use hyper::{Request, Response, StatusCode, body::Incoming, header::CONTENT_TYPE};
use tonic::{
    Status, Streaming,
    body::Body,
    codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    server::{Grpc, StreamingService, UnaryService},
};

use super::{BODY_LIMIT, stream::EchoStream};
use crate::handler::{Handler, NoEcho};

const UNARY: &str = "/soak.echo.v1.Echo/Unary";
const STREAM: &str = "/soak.echo.v1.Echo/Stream";

/// Room for one message of about a kilobyte with its frame.
const UNARY_BUFFER: usize = 2 << 10;

/// Room for a batch of messages, and when a batch leaves although more are ready.
const STREAM_BUFFER: usize = 16 << 10;
const STREAM_BATCH: usize = 32 << 10;

/// The service on one connection.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    pub handler: Arc<Handler>,
    pub credits: usize,
}

impl Calls {
    pub(super) async fn answer(self, request: Request<Incoming>) -> Response<Body> {
        let grpc =
            request.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"));
        if !grpc {
            let mut refused = Response::new(Body::empty());
            *refused.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return refused;
        }
        match request.uri().path() {
            UNARY => server(Raw { buffer: UNARY_BUFFER }).unary(self, request).await,
            STREAM => server(Raw { buffer: STREAM_BUFFER }).streaming(self, request).await,
            other => {
                Status::unimplemented(format!("there is no method {other}; there are {UNARY} and {STREAM}")).into_http()
            }
        }
    }
}

fn server(codec: Raw) -> Grpc<Raw> {
    Grpc::new(codec).max_decoding_message_size(BODY_LIMIT)
}

type Called<T> = Pin<Box<dyn Future<Output = Result<tonic::Response<T>, Status>> + Send>>;

impl UnaryService<Bytes> for Calls {
    type Response = Bytes;
    type Future = Called<Bytes>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let answer = self.handler.begin(request.into_inner());
        Box::pin(async move { answer.await.map(tonic::Response::new).map_err(Status::from) })
    }
}

impl StreamingService<Bytes> for Calls {
    type Response = Bytes;
    type ResponseStream = EchoStream<Streaming<Bytes>>;
    type Future = Called<Self::ResponseStream>;

    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        let echoes = EchoStream::new(request.into_inner(), Arc::clone(&self.handler), self.credits);
        Box::pin(async move { Ok(tonic::Response::new(echoes)) })
    }
}

impl From<NoEcho> for Status {
    fn from(fault: NoEcho) -> Self {
        match fault {
            NoEcho::Payload(fault) => Self::invalid_argument(fault.to_string()),
            NoEcho::Thread => Self::internal(fault.to_string()),
        }
    }
}

/// Messages as they are on the wire.
#[derive(Debug, Clone, Copy)]
struct Raw {
    buffer: usize,
}

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        out.put(item);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(self.buffer, STREAM_BATCH)
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(self.buffer, STREAM_BATCH)
    }
}
