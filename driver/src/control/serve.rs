//! The control over HTTP: requests in, answers out, and the lease: who hears nothing drops what is armed.

use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Method, Request, Response, StatusCode, body::Incoming, header, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use soak_sample::{Clock, LoadOrder, TokenHash};
use tokio::net::{TcpListener, TcpStream};

use super::book::{Book, Fetched, Forgotten, Placed};
use crate::{LARGEST_BODY, Moment, Pairing, order::is_id};

/// The largest request: an order with the largest body as base64.
const LARGEST_REQUEST: usize = LARGEST_BODY / 3 * 4 + (1 << 20);
/// How long a connection may take for the head of a request.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);

/// Why the control does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The control's own loop cannot be set up.
    #[error("the control cannot be set up: {0}")]
    SetUp(io::Error),
}

/// How the control is served.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Where it listens; port 0 takes a free one.
    pub address: SocketAddr,
    /// Who may order; absent: anybody who reaches the address.
    pub token: Option<TokenHash>,
    /// Heard nothing for this long: armed orders are dropped.
    pub lease: Duration,
}

/// Serves the control on this thread until the process ends. `ready` is told the address once it is listened on.
///
/// | request | answer |
/// | --- | --- |
/// | `GET /healthz` | 200; needs no token |
/// | `GET /clock` | a `Clock`: this host's time, for the offset between hosts |
/// | `GET /orders` | a `HeldOrder` of each order, in the order of their start |
/// | `PUT /orders/ID` with a `LoadOrder` | 201; the same again 200; another under that id 409; a wrong one 400 |
/// | `GET /orders/ID` | `{state, live, error}`; 404 where it is not known |
/// | `GET /orders/ID/window` | a `DriverWindow`; 409 before it has finished |
/// | `DELETE /orders/ID` | a finished order is forgotten, an armed one dropped; 409 while it runs |
/// | `POST /stop` | ends the running step at once and drops armed ones |
pub fn serve(options: Options, ready: impl FnOnce(SocketAddr) -> io::Result<()>) -> Result<Infallible, ControlError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ControlError::SetUp)?;
    runtime.block_on(async {
        let listen = |source| ControlError::Listen { address: options.address, source };
        let listener = TcpListener::bind(options.address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        ready(address).map_err(ControlError::SetUp)?;
        let desk = Arc::new(Desk::new(options.token));
        tokio::spawn(watch_lease(Arc::clone(&desk), options.lease));
        loop {
            // A connection that failed before it was accepted is its peer's matter.
            if let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(attend(stream, Arc::clone(&desk)));
            } else {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    })
}

async fn attend(stream: TcpStream, desk: Arc<Desk>) {
    let service = service_fn(move |request| {
        let desk = Arc::clone(&desk);
        async move { Ok::<_, Infallible>(desk.answer(request).await) }
    });
    // A peer that breaks the protocol or goes away ends its own connection only.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn watch_lease(desk: Arc<Desk>, lease: Duration) {
    let look = (lease / 10).clamp(Duration::from_millis(10), Duration::from_secs(1));
    loop {
        tokio::time::sleep(look).await;
        if desk.silent_for() > lease {
            desk.book.drop_armed();
        }
    }
}

/// Where requests are answered.
#[derive(Debug)]
struct Desk {
    book: Book,
    token: Option<TokenHash>,
    heard: Mutex<Instant>,
}

type Answer = Response<Full<Bytes>>;

impl Desk {
    fn new(token: Option<TokenHash>) -> Self {
        Self { book: Book::default(), token, heard: Mutex::new(Instant::now()) }
    }

    fn silent_for(&self) -> Duration {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        if request.uri().path() == "/healthz" {
            return words(StatusCode::OK, "ok");
        }
        if !self.allows(&request) {
            return words(StatusCode::UNAUTHORIZED, "this token may not order");
        }
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let (parts, body) = request.into_parts();
        let path: Vec<_> = parts.uri.path().trim_start_matches('/').split('/').collect();
        match (&parts.method, path.as_slice()) {
            (&Method::POST, ["stop"]) => {
                self.book.stop();
                words(StatusCode::OK, "stopped")
            }
            (&Method::GET, ["clock"]) => document(&Clock { unix_nanos: Pairing::read().unix_nanos(Moment::now()) }),
            (&Method::GET, ["orders"]) => document(&self.book.held()),
            (&Method::PUT, ["orders", id]) => self.place(id, body).await,
            (&Method::GET, ["orders", id]) => self.report(id),
            (&Method::GET, ["orders", id, "window"]) => self.window(id),
            (&Method::DELETE, ["orders", id]) => self.forget(id),
            _ => words(StatusCode::NOT_FOUND, "no such thing here"),
        }
    }

    fn allows(&self, request: &Request<Incoming>) -> bool {
        let Some(hash) = self.token else {
            return true;
        };
        let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        given.and_then(|value| value.strip_prefix("Bearer ")).is_some_and(|token| hash.is_of(token))
    }

    async fn place(&self, id: &str, body: Incoming) -> Answer {
        if !is_id(id) {
            return words(StatusCode::BAD_REQUEST, "an id has 1 to 200 of A-Z a-z 0-9 . _ -");
        }
        let bytes = match Limited::new(body, LARGEST_REQUEST).collect().await {
            Ok(collected) => collected.to_bytes(),
            Err(error) => return words(StatusCode::BAD_REQUEST, &format!("the order cannot be read: {error}")),
        };
        let order = match serde_json::from_slice::<LoadOrder>(&bytes) {
            Ok(order) if order.id == id => order,
            Ok(order) => {
                return words(StatusCode::BAD_REQUEST, &format!("the order calls itself {:?}", order.id));
            }
            Err(error) => return words(StatusCode::BAD_REQUEST, &format!("not an order: {error}")),
        };
        if let Err(error) = crate::check(&order) {
            return words(StatusCode::BAD_REQUEST, &error.to_string());
        }
        match self.book.place(order) {
            Ok(Placed::New) => words(StatusCode::CREATED, "armed"),
            Ok(Placed::Same) => words(StatusCode::OK, "known"),
            Ok(Placed::Other) => words(StatusCode::CONFLICT, "another order has this id"),
            Ok(Placed::Full) => words(StatusCode::TOO_MANY_REQUESTS, "too many orders are not acknowledged"),
            Err(error) => words(StatusCode::INTERNAL_SERVER_ERROR, &format!("no thread for the order: {error}")),
        }
    }

    fn report(&self, id: &str) -> Answer {
        match self.book.report(id).map(|report| serde_json::to_vec(&report)) {
            Some(Ok(bytes)) => json(bytes),
            Some(Err(error)) => words(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
            None => unknown(),
        }
    }

    fn window(&self, id: &str) -> Answer {
        match self.book.window(id) {
            Fetched::Window(Ok(bytes)) => json(bytes),
            Fetched::Window(Err(error)) => words(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
            Fetched::Unfinished => words(StatusCode::CONFLICT, "the order has not finished"),
            Fetched::Unknown => unknown(),
        }
    }

    fn forget(&self, id: &str) -> Answer {
        match self.book.forget(id) {
            Forgotten::Gone => words(StatusCode::OK, "forgotten"),
            Forgotten::Running => words(StatusCode::CONFLICT, "the order is running"),
            Forgotten::Unknown => unknown(),
        }
    }
}

fn unknown() -> Answer {
    words(StatusCode::NOT_FOUND, "no such order")
}

fn document<T: serde::Serialize>(value: &T) -> Answer {
    match serde_json::to_vec(value) {
        Ok(bytes) => json(bytes),
        Err(error) => words(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

fn json(bytes: Vec<u8>) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(bytes)));
    answer.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    answer
}

fn words(status: StatusCode, text: &str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(text.to_owned())));
    *answer.status_mut() = status;
    answer
}
