//! Health and metrics over HTTP: `/healthz` while the process answers, `/readyz` once the operator has begun to look,
//! `/metrics`. In: what is counted; out: answers. Changes nothing.

use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, Response, StatusCode, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use crate::metrics::Metrics;

/// What health is asked of.
#[derive(Debug, Default)]
pub struct Health {
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Whether the operator has begun to look.
    pub ready: AtomicBool,
}

/// Serves until the process ends.
pub async fn serve(address: SocketAddr, health: Arc<Health>) -> io::Result<Infallible> {
    let listener = TcpListener::bind(address).await?;
    loop {
        // A connection that failed before it was accepted is its peer's matter.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let health = Arc::clone(&health);
        tokio::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let answer = answer(request.uri().path(), &health);
                async move { Ok::<_, Infallible>(answer) }
            });
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(10));
            let _ = server.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

fn answer(path: &str, health: &Health) -> Response<Full<Bytes>> {
    let (status, text) = match path {
        "/healthz" => (StatusCode::OK, "ok".to_owned()),
        "/readyz" if health.ready.load(Ordering::Relaxed) => (StatusCode::OK, "ok".to_owned()),
        "/readyz" => (StatusCode::SERVICE_UNAVAILABLE, "not yet".to_owned()),
        "/metrics" => (StatusCode::OK, health.metrics.text()),
        _ => (StatusCode::NOT_FOUND, "no such thing here".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_ready_only_once_it_looks() {
        let health = Health::default();
        let check = |path: &str, expected: u16| assert_eq!(answer(path, &health).status().as_u16(), expected, "{path}");
        check("/healthz", 200);
        check("/readyz", 503);
        health.ready.store(true, Ordering::Relaxed);
        check("/readyz", 200);
        check("/metrics", 200);
        check("/", 404);
    }
}
