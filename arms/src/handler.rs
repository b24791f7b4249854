//! Brings a payload to where its work is done, as the settings ask. In: a payload. Out: a future of its echo. Every
//! protocol answers through here; it must not know which one asks.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;

use crate::{
    pause::{Pause, Timer},
    pool::{Pool, Reply},
    work::{BadPayload, Echo},
};

/// What the connections of one thread share.
#[derive(Debug)]
pub(crate) struct Handler {
    echo: Arc<Echo>,
    place: Place,
}

/// Where a request's work is done.
#[derive(Debug)]
pub(crate) enum Place {
    /// On the connection's thread, at once.
    Here,
    /// On the connection's thread, after a pause in which it serves others.
    HereAfter(Duration, Arc<Timer>),
    /// On a thread of the pool.
    Pool(Arc<Pool>),
}

/// Why there is no echo.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoEcho {
    /// The client's fault.
    #[error(transparent)]
    Payload(#[from] BadPayload),
    /// The server's fault.
    #[error("the thread that had the request is gone")]
    Thread,
}

/// A request's echo, now or later.
#[derive(Debug)]
pub(crate) enum Answer {
    /// It is there; taken once.
    Now(Option<Result<Bytes, NoEcho>>),
    /// Its work begins after a pause.
    After(Pause, Arc<Echo>, Bytes),
    /// A thread of the pool has it.
    Pool(Reply),
}

impl Handler {
    pub(crate) fn new(echo: Arc<Echo>, place: Place) -> Self {
        Self { echo, place }
    }

    /// Begins a request.
    pub(crate) fn begin(&self, payload: Bytes) -> Answer {
        match &self.place {
            Place::Here => Answer::Now(Some(self.echo.answer(payload).map_err(NoEcho::from))),
            Place::HereAfter(sleep, timer) => Answer::After(timer.pause(*sleep), Arc::clone(&self.echo), payload),
            Place::Pool(pool) => Answer::Pool(pool.submit(payload)),
        }
    }
}

impl Future for Answer {
    type Output = Result<Bytes, NoEcho>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Now(echo) => Poll::Ready(echo.take().unwrap_or(Err(NoEcho::Thread))),
            Self::After(pause, echo, payload) => {
                ready!(Pin::new(pause).poll(cx));
                Poll::Ready(echo.answer(std::mem::take(payload)).map_err(NoEcho::from))
            }
            Self::Pool(reply) => Poll::Ready(match ready!(Pin::new(reply).poll(cx)) {
                Ok(echo) => echo.map_err(NoEcho::from),
                Err(_gone) => Err(NoEcho::Thread),
            }),
        }
    }
}
