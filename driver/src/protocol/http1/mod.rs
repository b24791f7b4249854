//! HTTP/1.1, one call at a time on a connection, kept alive. In: a request encoded once, bytes from the peer. Out: the
//! request's bytes and how each call ended. Bodies are counted off, never kept. Knows no socket and no clock.

mod body;
mod encode;
mod head;

use std::sync::Arc;

use soak_sample::ErrorKind;

use super::{Broken, CallId, Ended, Ending, Session};
use body::Body;
use head::{Framing, Head, HeadReader};

pub use encode::encode;

/// Whether answers carry a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bodies {
    /// As their head says.
    AsFramed,
    /// Never: the request is a HEAD.
    Never,
}

impl Bodies {
    /// Of answers to this method.
    pub fn of(method: &str) -> Self {
        if method == "HEAD" { Self::Never } else { Self::AsFramed }
    }
}

#[derive(Debug, Clone)]
enum Awaiting {
    Nothing,
    Head(CallId),
    Body { call: CallId, status: u16, body: Body },
}

/// One HTTP/1.1 connection.
#[derive(Debug, Clone)]
pub struct Http1 {
    request: Arc<[u8]>,
    head: HeadReader,
    awaiting: Awaiting,
    kept_alive: bool,
}

impl Http1 {
    /// A connection on which every call is this request, as [`encode`] writes it.
    pub fn new(request: Arc<[u8]>, bodies: Bodies) -> Self {
        Self { request, head: HeadReader::new(bodies), awaiting: Awaiting::Nothing, kept_alive: true }
    }

    fn head_came(&mut self, call: CallId, head: Head, ended: &mut Vec<Ended>) {
        if head.is_interim() {
            return;
        }
        self.kept_alive = head.kept_alive;
        let body = match head.framing {
            Framing::Empty | Framing::Length(0) => return self.end(call, head.status, ended),
            Framing::Length(length) => Body::length(length),
            Framing::Chunked => Body::chunked(),
            Framing::UntilClose => Body::until_close(),
        };
        self.awaiting = Awaiting::Body { call, status: head.status, body };
    }

    fn end(&mut self, call: CallId, status: u16, ended: &mut Vec<Ended>) {
        self.awaiting = Awaiting::Nothing;
        ended.push(Ended { call, ending: ending_of(status) });
    }

    /// Ends what is in flight, because the peer broke the protocol.
    fn broken(&mut self, why: Broken, ended: &mut Vec<Ended>) -> Broken {
        self.kept_alive = false;
        self.fail(ErrorKind::Protocol, ended);
        why
    }

    fn fail(&mut self, kind: ErrorKind, ended: &mut Vec<Ended>) {
        let call = match self.awaiting {
            Awaiting::Nothing => return,
            Awaiting::Head(call) | Awaiting::Body { call, .. } => call,
        };
        self.awaiting = Awaiting::Nothing;
        ended.push(Ended { call, ending: Ending::Failed(kind) });
    }
}

/// 2xx is an answer; anything else is an error of its class.
fn ending_of(status: u16) -> Ending {
    match status / 100 {
        2 => Ending::Ok,
        class => Ending::Failed(ErrorKind::HttpClass(u8::try_from(class).unwrap_or(u8::MAX))),
    }
}

impl Session for Http1 {
    fn open(&mut self, _out: &mut Vec<u8>) {}

    #[inline]
    fn free(&self) -> u32 {
        u32::from(self.kept_alive && matches!(self.awaiting, Awaiting::Nothing))
    }

    #[inline]
    fn start(&mut self, call: CallId, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.request);
        self.awaiting = Awaiting::Head(call);
    }

    fn receive(&mut self, mut bytes: &[u8], _out: &mut Vec<u8>, ended: &mut Vec<Ended>) -> Result<(), Broken> {
        while !bytes.is_empty() {
            match &mut self.awaiting {
                Awaiting::Nothing => {
                    return Err(self.broken(Broken("bytes that answer no request".to_owned()), ended));
                }
                Awaiting::Head(call) => {
                    let call = *call;
                    match self.head.read(&mut bytes) {
                        Ok(None) => return Ok(()),
                        Ok(Some(head)) => self.head_came(call, head, ended),
                        Err(why) => return Err(self.broken(why, ended)),
                    }
                }
                Awaiting::Body { call, status, body } => {
                    let (call, status) = (*call, *status);
                    match body.read(&mut bytes) {
                        Ok(false) => return Ok(()),
                        Ok(true) => self.end(call, status, ended),
                        Err(why) => return Err(self.broken(why, ended)),
                    }
                }
            }
        }
        Ok(())
    }

    fn peer_closed(&mut self, reset: bool, ended: &mut Vec<Ended>) {
        self.kept_alive = false;
        if let Awaiting::Body { call, status, body } = &self.awaiting
            && body.ends_with_the_connection()
            && !reset
        {
            let (call, status) = (*call, *status);
            return self.end(call, status, ended);
        }
        self.fail(if reset { ErrorKind::Reset } else { ErrorKind::Connection }, ended);
    }

    fn usable(&self) -> bool {
        self.kept_alive
    }

    fn finish(&mut self, _out: &mut Vec<u8>) {}

    fn quiet(&self) -> bool {
        matches!(self.awaiting, Awaiting::Nothing)
    }
}

#[cfg(test)]
mod tests;
