//! The executor's side of driver and witness: one small HTTP exchange with a pod, in bounded time and of bounded size.
//! In go orders and questions; out come windows, proofs and times. It must not decide when.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Method, Request, client::conn::http1};
use hyper_util::rt::TokioIo;
use serde::{Serialize, de::DeserializeOwned};
use soak_sample::Clock;
use tokio::time::timeout;

use crate::world::{Stream, World};

/// How long an exchange may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most bytes of an answer.
const MOST: usize = 64 << 20;
/// How often a clock is asked; the shortest exchange counts.
const ASKED: usize = 9;

/// Why a pod did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RemoteError {
    /// It does not answer in time, or the connection failed.
    #[error("no answer from {to}: {source}")]
    Silent {
        /// The address.
        to: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// It refuses.
    #[error("{to} refused {what}: {status} {words}")]
    Refused {
        /// The address.
        to: SocketAddr,
        /// What was asked.
        what: String,
        /// HTTP status.
        status: u16,
        /// Its words.
        words: String,
    },
    /// Its answer, or the question, is not of the agreed shape.
    #[error("{to}: {what} cannot be read or written: {source}")]
    Shape {
        /// The address.
        to: SocketAddr,
        /// What was asked.
        what: String,
        /// What is wrong.
        source: serde_json::Error,
    },
}

/// A pod's control.
#[derive(Clone)]
pub(crate) struct Remote {
    to: SocketAddr,
    token: String,
    world: Arc<dyn World>,
}

/// A host's clock against this one's: what must be added to this host's time, and how far it may be off. Nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offset {
    /// The other clock less this one.
    pub nanos: i64,
    /// At most so far off.
    pub error: i64,
}

impl Offset {
    /// The one that the shortest exchange gives: half its time is how far it may be off.
    pub fn of(exchanges: &[(i64, i64, i64)]) -> Option<Self> {
        let (asked, told, answered) = *exchanges.iter().min_by_key(|(asked, _, answered)| answered - asked)?;
        let half = (answered - asked) / 2;
        Some(Self { nanos: told - (asked + half), error: half })
    }
}

impl Remote {
    /// The control at an address, to which this token is the key.
    pub fn new(to: SocketAddr, token: String, world: Arc<dyn World>) -> Self {
        Self { to, token, world }
    }

    /// Reads a document; `None` where it is not known.
    pub async fn read<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, RemoteError> {
        match self.exchange(Method::GET, path, Bytes::new()).await? {
            (404, _) => Ok(None),
            (status, body) => self.shaped(path, status, &body).map(Some),
        }
    }

    /// Tells something that may be told twice.
    pub async fn put<T: Serialize>(&self, path: &str, told: &T) -> Result<(), RemoteError> {
        let body = self.written(path, told)?;
        let (status, body) = self.exchange(Method::PUT, path, body).await?;
        self.accepted(path, status, &body)
    }

    /// Asks a question.
    pub async fn ask<Q: Serialize, A: DeserializeOwned>(&self, path: &str, question: &Q) -> Result<A, RemoteError> {
        let body = self.written(path, question)?;
        let (status, body) = self.exchange(Method::POST, path, body).await?;
        self.shaped(path, status, &body)
    }

    /// Has something forgotten; what is not known is forgotten already.
    pub async fn delete(&self, path: &str) -> Result<(), RemoteError> {
        match self.exchange(Method::DELETE, path, Bytes::new()).await? {
            (404, _) => Ok(()),
            (status, body) => self.accepted(path, status, &body),
        }
    }

    /// Its clock against this host's.
    pub async fn offset(&self) -> Result<Option<Offset>, RemoteError> {
        let mut exchanges = Vec::new();
        for _ in 0..ASKED {
            let stream = self.connect().await?;
            let asked = self.world.unix_nanos();
            let (status, body) = self.on(stream, Method::GET, "/clock", Bytes::new()).await?;
            let answered = self.world.unix_nanos();
            let clock: Clock = self.shaped("/clock", status, &body)?;
            exchanges.push((asked, clock.unix_nanos, answered));
        }
        Ok(Offset::of(&exchanges))
    }

    async fn exchange(&self, method: Method, path: &str, body: Bytes) -> Result<(u16, Bytes), RemoteError> {
        self.on(self.connect().await?, method, path, body).await
    }

    async fn connect(&self) -> Result<Box<dyn Stream>, RemoteError> {
        let connected = timeout(PATIENCE, self.world.connect(self.to)).await;
        connected.map_err(io::Error::other).and_then(|stream| stream).map_err(|source| self.silent(source))
    }

    async fn on(
        &self,
        stream: Box<dyn Stream>,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<(u16, Bytes), RemoteError> {
        let answer = timeout(PATIENCE, self.converse(stream, method, path, body)).await;
        answer.map_err(io::Error::other).and_then(|answer| answer).map_err(|source| self.silent(source))
    }

    async fn converse(
        &self,
        stream: Box<dyn Stream>,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> io::Result<(u16, Bytes)> {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", self.to.to_string())
            .header("connection", "close")
            .header("authorization", format!("Bearer {}", self.token))
            .body(Full::new(body))
            .map_err(io::Error::other)?;
        let asked = async {
            let answer = sender.send_request(request).await.map_err(io::Error::other)?;
            let status = answer.status().as_u16();
            let body = Limited::new(answer.into_body(), MOST).collect().await.map_err(io::Error::other)?;
            Ok((status, body.to_bytes()))
        };
        let (answer, _) = tokio::join!(asked, connection);
        answer
    }

    fn silent(&self, source: io::Error) -> RemoteError {
        RemoteError::Silent { to: self.to, source }
    }

    fn shape(&self, what: &str, source: serde_json::Error) -> RemoteError {
        RemoteError::Shape { to: self.to, what: what.to_owned(), source }
    }

    fn written<T: Serialize>(&self, what: &str, value: &T) -> Result<Bytes, RemoteError> {
        serde_json::to_vec(value).map(Bytes::from).map_err(|source| self.shape(what, source))
    }

    fn accepted(&self, what: &str, status: u16, body: &[u8]) -> Result<(), RemoteError> {
        if (200..300).contains(&status) {
            return Ok(());
        }
        let words = String::from_utf8_lossy(body).chars().take(400).collect();
        Err(RemoteError::Refused { to: self.to, what: what.to_owned(), status, words })
    }

    fn shaped<T: DeserializeOwned>(&self, what: &str, status: u16, body: &[u8]) -> Result<T, RemoteError> {
        self.accepted(what, status, body)?;
        serde_json::from_slice(body).map_err(|source| self.shape(what, source))
    }
}

#[cfg(test)]
mod tests {
    use super::Offset;

    #[test]
    fn the_shortest_exchange_gives_the_offset_and_how_far_it_may_be_off() {
        let check = |exchanges: &[(i64, i64, i64)], expected: Option<(i64, i64)>| {
            assert_eq!(Offset::of(exchanges).map(|offset| (offset.nanos, offset.error)), expected);
        };
        check(&[], None);
        check(&[(100, 1_110, 120)], Some((1_000, 10)));
        check(&[(0, 5_000, 400), (1_000, 2_002, 1_004), (2_000, 9_000, 2_100)], Some((1_000, 2)));
        check(&[(100, 60, 120)], Some((-50, 10)));
    }
}
