//! What is spoken: one file a preset. In: an accepted connection. Out: answered requests, until the connection ends. The
//! work of a request is the handler's; nothing here parses a payload.

mod grpc;
mod rest;
mod stream;

use std::{convert::Infallible, sync::Arc};

use hyper::service::service_fn;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use tokio::net::TcpStream;

use crate::{
    handler::Handler,
    settings::{Preset, Settings},
    work::Format,
};

/// The largest body or message that is taken in, bytes.
const BODY_LIMIT: usize = 4 << 20;

impl Preset {
    /// What it speaks, in the words of a campaign.
    pub fn protocols(self) -> &'static [&'static str] {
        match self {
            Self::Rest => &["Http1", "Http2"],
            Self::Grpc => &["GrpcUnary", "GrpcStream"],
        }
    }

    pub(crate) fn format(self) -> Format {
        match self {
            Self::Rest => Format::Json,
            Self::Grpc => Format::Protobuf,
        }
    }
}

/// Serves connections of one preset. Each thread that serves connections has its own.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    preset: Preset,
    connections: Builder<TokioExecutor>,
    handler: Arc<Handler>,
    credits: usize,
}

impl Server {
    pub(crate) fn new(preset: Preset, settings: &Settings, handler: Handler) -> Self {
        let mut connections = Builder::new(TokioExecutor::new());
        connections
            .http2()
            .max_concurrent_streams(settings.max_concurrent_streams)
            .initial_stream_window_size(settings.initial_window)
            .initial_connection_window_size(settings.initial_window);
        let connections = match preset {
            Preset::Rest => connections,
            Preset::Grpc => connections.http2_only(),
        };
        let credits = usize::try_from(settings.inbound_credits).unwrap_or(usize::MAX);
        Self { preset, connections, handler: Arc::new(handler), credits }
    }

    /// Serves one connection to its end. A peer that breaks the protocol or goes away ends it; that is the peer's affair.
    pub(crate) async fn serve(self, socket: TcpStream) {
        let io = TokioIo::new(socket);
        let Self { preset, connections, handler, credits } = self;
        let _ended = match preset {
            Preset::Rest => {
                let service = service_fn(move |request| {
                    let handler = Arc::clone(&handler);
                    async move { Ok::<_, Infallible>(rest::answer(&handler, request).await) }
                });
                connections.serve_connection(io, service).await
            }
            Preset::Grpc => {
                let service = service_fn(move |request| {
                    let calls = grpc::Calls { handler: Arc::clone(&handler), credits };
                    async move { Ok::<_, Infallible>(calls.answer(request).await) }
                });
                connections.serve_connection(io, service).await
            }
        };
    }
}
