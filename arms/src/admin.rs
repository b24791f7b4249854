//! The admin port: what the process uses and the settings in effect. On a thread of its own, so that it answers while the
//! others are busy. In: GET requests. Out: JSON.

use std::{convert::Infallible, io, net::TcpListener, sync::Arc};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde::Serialize;

use crate::{
    BUILD_INPUTS_SHA256, Memory,
    settings::{Preset, Settings},
};

/// What stays the same while the process lives.
#[derive(Debug)]
pub(crate) struct About {
    pub preset: Preset,
    pub settings: Settings,
}

/// `GET /metrics`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Metrics<'a> {
    #[serde(flatten)]
    memory: Memory,
    preset: Preset,
    protocols: &'static [&'static str],
    settings: &'a Settings,
    version: &'static str,
    build_inputs_sha256: &'static str,
}

/// Starts the thread.
pub(crate) fn start(listener: TcpListener, about: About) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    listener.set_nonblocking(true)?;
    let about = Arc::new(about);
    let serve = move || runtime.block_on(serve(listener, about));
    std::thread::Builder::new().name("arm-admin".to_owned()).spawn(serve)?;
    Ok(())
}

async fn serve(listener: TcpListener, about: Arc<About>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        let Ok((socket, _peer)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        let about = Arc::clone(&about);
        let service = service_fn(move |request| {
            let response = answer(&about, &request);
            async move { Ok::<_, Infallible>(response) }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), service));
    }
}

fn answer(about: &About, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    if *request.method() != Method::GET {
        return content(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "GET only\n".into());
    }
    match request.uri().path() {
        "/metrics" => metrics(about),
        "/healthz" => content(StatusCode::OK, "text/plain", "ok\n".into()),
        _ => content(StatusCode::NOT_FOUND, "text/plain", "there are /metrics and /healthz\n".into()),
    }
}

fn metrics(about: &About) -> Response<Full<Bytes>> {
    let About { preset, settings } = about;
    let metrics = Metrics {
        memory: Memory::read(),
        preset: *preset,
        protocols: preset.protocols(),
        settings,
        version: env!("CARGO_PKG_VERSION"),
        build_inputs_sha256: BUILD_INPUTS_SHA256,
    };
    match serde_json::to_vec(&metrics) {
        Ok(json) => content(StatusCode::OK, "application/json", json.into()),
        Err(fault) => content(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", fault.to_string().into()),
    }
}

fn content(status: StatusCode, kind: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
