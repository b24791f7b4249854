//! The long-lived streams of one connection: which are live, what is in flight on each, how each ended. Keeps the sums;
//! knows no frame.

use std::collections::VecDeque;

use soak_sample::{ErrorKind, StreamCounts};

use crate::protocol::{
    CallId, Ended, Ending,
    grpc_message::MessageReader,
    http2::{Inbound, SendWindow, http_class},
};

/// The streams that were opened, and what is in flight on them.
#[derive(Debug)]
pub(super) struct LongStreams {
    /// By order of opening: the stream at place `i` has the id `2 i + 1`.
    pub(super) streams: Vec<LongStream>,
    /// The most messages in flight on one stream.
    slots_each: u32,
    free: u64,
    /// Messages in flight.
    pub(super) calls: u32,
    /// Streams that the peer has not ended and that were not given up.
    pub(super) live: u32,
    /// Streams with messages that the windows did not let go.
    pub(super) blocked: u32,
    pub(super) counts: StreamCounts,
}

/// One stream.
#[derive(Debug)]
pub(super) struct LongStream {
    pub(super) phase: Phase,
    pub(super) sending: Sending,
    pub(super) inbound: Inbound,
    pub(super) messages: MessageReader,
    pub(super) send: SendWindow,
    /// Bytes of messages that have not gone yet.
    pub(super) unsent: usize,
    pub(super) in_flight: VecDeque<CallId>,
}

/// The peer's side of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Live,
    /// The peer has ended it; nothing may come any more.
    Ended,
    /// Given up from here: what still comes is passed over.
    Abandoned,
}

/// This client's side of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sending {
    Open,
    /// To be half-closed once everything has gone.
    Closing,
    Closed,
}

/// How a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closure {
    /// With grpc-status 0 and every message answered.
    Well,
    Badly(ErrorKind),
    /// By the peer, or with the connection.
    Reset,
}

impl LongStreams {
    /// None yet, with room for `streams`.
    pub(super) fn new(streams: u32, slots_each: u32) -> Self {
        Self {
            streams: Vec::with_capacity(streams.min(4_096) as usize),
            slots_each,
            free: 0,
            calls: 0,
            live: 0,
            blocked: 0,
            counts: StreamCounts::default(),
        }
    }

    /// Slots that are free on live streams.
    pub(super) fn free(&self) -> u32 {
        u32::try_from(self.free).unwrap_or(u32::MAX)
    }

    /// A message has been given to the stream.
    pub(super) fn start(&mut self, place: usize, call: CallId, bytes: usize) {
        let stream = &mut self.streams[place];
        stream.in_flight.push_back(call);
        stream.unsent += bytes;
        self.calls += 1;
        self.free -= 1;
    }

    /// Matches `count` answers with the oldest messages in flight; false when there are more answers than messages.
    pub(super) fn answer(&mut self, place: usize, count: u32, ended: &mut Vec<Ended>) -> bool {
        let stream = &mut self.streams[place];
        for _ in 0..count {
            let Some(call) = stream.in_flight.pop_front() else { return false };
            self.calls -= 1;
            self.free += 1;
            ended.push(Ended { call, ending: Ending::Ok });
        }
        true
    }

    /// A stream has been opened.
    pub(super) fn add(&mut self, inbound: Inbound, send: SendWindow) {
        self.streams.push(LongStream {
            phase: Phase::Live,
            sending: Sending::Open,
            inbound,
            messages: MessageReader::default(),
            send,
            unsent: 0,
            in_flight: VecDeque::with_capacity(self.slots_each.min(1_024) as usize),
        });
        self.counts.opened += 1;
        self.live += 1;
        self.free += u64::from(self.slots_each);
    }

    /// True while the stream takes one more message.
    pub(super) fn has_slot(&self, place: usize) -> bool {
        let stream = &self.streams[place];
        stream.phase == Phase::Live && stream.in_flight.len() < self.slots_each as usize
    }

    /// Ends a live stream and the calls on it; does nothing to one that has ended.
    pub(super) fn end(&mut self, place: usize, phase: Phase, closure: Closure, ended: &mut Vec<Ended>) {
        let stream = &mut self.streams[place];
        if stream.phase != Phase::Live {
            return;
        }
        stream.phase = phase;
        let in_flight = u32::try_from(stream.in_flight.len()).unwrap_or(u32::MAX);
        self.live -= 1;
        self.free -= u64::from(self.slots_each - in_flight);
        self.calls -= in_flight;
        self.blocked -= u32::from(stream.unsent > 0);
        stream.unsent = 0;
        let ending = Ending::Failed(closure.kind());
        ended.extend(stream.in_flight.drain(..).map(|call| Ended { call, ending }));
        closure.count(&mut self.counts);
    }
}

impl Closure {
    /// How calls end that were in flight on the stream. A stream that closed well had none.
    const fn kind(self) -> ErrorKind {
        match self {
            Self::Well => ErrorKind::Protocol,
            Self::Badly(kind) => kind,
            Self::Reset => ErrorKind::Reset,
        }
    }

    fn count(self, counts: &mut StreamCounts) {
        counts.closed_ok += u64::from(self == Self::Well);
        counts.closed_badly += u64::from(self != Self::Well);
        counts.resets += u64::from(self == Self::Reset);
    }
}

impl LongStream {
    /// How the stream closed, once the peer has ended it in good order.
    pub(super) fn closure(&self) -> Closure {
        let complete = self.in_flight.is_empty() && self.messages.is_between();
        match (self.inbound.status(), self.inbound.grpc_status()) {
            (200, Some(0)) if complete => Closure::Well,
            (200, Some(0) | None) => Closure::Badly(ErrorKind::Protocol),
            (200, Some(status)) => Closure::Badly(ErrorKind::GrpcStatus(status)),
            (status, _) => Closure::Badly(http_class(status)),
        }
    }
}
