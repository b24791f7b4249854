//! One stream's echoes, in the order of its messages. In: messages. Out: echoes; those that are ready together leave
//! together. Takes in no more messages than it has credits for: a credit comes back when an echo has left.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use tokio_stream::Stream;
use tonic::Status;

use crate::handler::{Answer, Handler};

/// The echoes of one stream. Whoever polls it writes out what it got as soon as it is told to wait.
#[derive(Debug)]
pub(super) struct EchoStream<S> {
    messages: S,
    handler: Arc<Handler>,
    credits: usize,
    begun: VecDeque<Answer>,
    /// Echoes handed over since the last wait: not out yet.
    handed: usize,
    closed: Option<Result<(), Status>>,
}

impl<S: Stream<Item = Result<Bytes, Status>> + Unpin> EchoStream<S> {
    pub(super) fn new(messages: S, handler: Arc<Handler>, credits: usize) -> Self {
        Self { messages, handler, credits, begun: VecDeque::new(), handed: 0, closed: None }
    }

    /// Takes in messages until one waits, credits run out, or no more are there.
    fn take_in(&mut self, cx: &mut Context<'_>) {
        while self.closed.is_none() && self.begun.len() + self.handed < self.credits {
            match Pin::new(&mut self.messages).poll_next(cx) {
                Poll::Ready(Some(Ok(message))) => {
                    let answer = self.handler.begin(message);
                    let ready = matches!(answer, Answer::Now(_));
                    self.begun.push_back(answer);
                    if ready {
                        return;
                    }
                }
                Poll::Ready(Some(Err(fault))) => self.closed = Some(Err(fault)),
                Poll::Ready(None) => self.closed = Some(Ok(())),
                Poll::Pending => return,
            }
        }
    }

    fn first_echo(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Status>>> {
        let Some(first) = self.begun.front_mut() else { return Poll::Ready(None) };
        let echo = std::task::ready!(Pin::new(first).poll(cx));
        self.begun.pop_front();
        self.handed += 1;
        Poll::Ready(Some(echo.map_err(Status::from)))
    }
}

impl<S: Stream<Item = Result<Bytes, Status>> + Unpin> Stream for EchoStream<S> {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.take_in(cx);
        if let Poll::Ready(Some(echo)) = self.first_echo(cx) {
            return Poll::Ready(Some(echo));
        }
        if self.begun.is_empty() && self.closed.is_some() {
            return Poll::Ready(match self.closed.replace(Ok(())) {
                Some(Err(fault)) => Some(Err(fault)),
                Some(Ok(())) | None => None,
            });
        }
        // Waiting lets the echoes out. If they held the last credits, nobody else would wake this stream again.
        if self.handed > 0 && self.begun.len() + self.handed >= self.credits {
            cx.waker().wake_by_ref();
        }
        self.handed = 0;
        Poll::Pending
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
