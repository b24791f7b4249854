//! gRPC over long-lived streams of messages both ways: a call is a message, answered by the message that comes back in
//! its turn. Streams are opened once; one that ends is not opened again, it counts as closed and its slots are gone.
//! Messages go round robin over streams with a free slot, each in DATA frames of its own, so many leave in one write.

mod inflow;
mod long_streams;

use std::sync::Arc;

use soak_sample::{ErrorKind, StreamCounts};

use self::{
    inflow::Inflow,
    long_streams::{Closure, LongStreams, Phase, Sending},
};
use super::{
    Broken, CallId, Ended, Session,
    http2::{
        Blueprint, END_STREAM, HeadWriter, Inbound, Kind, Link, MAX_PAYLOAD, RequestTemplate, SendWindow, put_head,
    },
};

/// One connection with its long-lived streams.
#[derive(Debug)]
pub struct GrpcStreamSession {
    link: Link,
    template: Arc<RequestTemplate>,
    heads: HeadWriter,
    /// Streams that are not open yet: the peer's SETTINGS are not here, or allow no more.
    planned: u32,
    /// The stream that the next message tries first.
    turn: usize,
    finishing: bool,
    open: LongStreams,
}

impl GrpcStreamSession {
    /// A session that is not open yet, with `streams` streams.
    pub fn new(blueprint: &Blueprint, streams: u32) -> Self {
        Self {
            link: Link::new(blueprint.windows),
            heads: HeadWriter::new(&blueprint.template),
            template: Arc::clone(&blueprint.template),
            planned: streams,
            turn: 0,
            finishing: false,
            open: LongStreams::new(streams, blueprint.max_concurrent_streams),
        }
    }

    fn open_planned(&mut self, out: &mut Vec<u8>) {
        let Some(peer) = self.link.peer().copied() else {
            return;
        };
        while self.planned > 0 && self.open.live < peer.max_concurrent_streams && self.link.ids_left() > 0 {
            let id = self.link.take_id();
            self.heads.write(&self.template, peer.header_table, id, out);
            let inbound = Inbound::new(self.template.rule(), self.link.stream_window());
            self.open.add(inbound, SendWindow::new(peer.initial_window));
            self.planned -= 1;
        }
    }

    /// Sends what the windows let go of a stream's messages, then its half-close where one is due.
    #[inline]
    fn send(&mut self, place: usize, out: &mut Vec<u8>) {
        let Some(stream) = self.open.streams.get_mut(place) else {
            return;
        };
        let message = self.template.body();
        let id = id_of(place);
        while stream.unsent > 0 {
            let rest = (stream.unsent - 1) % message.len() + 1;
            let len = self.link.room(stream.send.room(rest)).min(MAX_PAYLOAD);
            if len == 0 {
                return;
            }
            put_head(out, len, Kind::Data, 0, id);
            out.extend_from_slice(&message[message.len() - rest..][..len]);
            stream.unsent -= len;
            stream.send.spend(len);
            self.link.spend(len);
        }
        if stream.sending == Sending::Closing {
            stream.sending = Sending::Closed;
            put_head(out, 0, Kind::Data, END_STREAM, id);
        }
    }

    /// Goes on with streams that were blocked, beginning with the one whose turn it is.
    fn unblock(&mut self, out: &mut Vec<u8>) {
        let (turn, count) = (self.turn, self.open.streams.len());
        for place in (0..count).map(|step| (turn + step) % count) {
            if self.open.streams[place].unsent > 0 {
                self.send(place, out);
                self.open.blocked -= u32::from(self.open.streams[place].unsent == 0);
            }
        }
    }

    /// The next stream in turn that has a free slot.
    #[inline]
    fn next_place(&mut self) -> Option<usize> {
        for _ in 0..self.open.streams.len() {
            let place = self.turn;
            self.turn = if place + 1 < self.open.streams.len() { place + 1 } else { 0 };
            if self.open.has_slot(place) {
                return Some(place);
            }
        }
        None
    }

    fn end_all(&mut self, closure: Closure, ended: &mut Vec<Ended>) {
        self.planned = 0;
        for place in 0..self.open.streams.len() {
            self.open.end(place, Phase::Abandoned, closure, ended);
        }
    }
}

impl Session for GrpcStreamSession {
    fn open(&mut self, out: &mut Vec<u8>) {
        self.link.greet(out);
    }

    fn free(&self) -> u32 {
        if self.finishing { 0 } else { self.open.free() }
    }

    fn start(&mut self, call: CallId, out: &mut Vec<u8>) {
        let Some(place) = self.next_place() else {
            return;
        };
        let was_blocked = self.open.streams[place].unsent > 0;
        self.open.start(place, call, self.template.body().len());
        if !was_blocked {
            self.send(place, out);
        }
        if self.open.streams[place].unsent > 0 {
            self.open.blocked += u32::from(!was_blocked);
            self.open.counts.write_blocked += 1;
        }
    }

    fn receive(&mut self, bytes: &[u8], out: &mut Vec<u8>, ended: &mut Vec<Ended>) -> Result<(), Broken> {
        let mut inflow = Inflow { open: &mut self.open, ended };
        if let Err(violation) = self.link.receive(bytes, out, &mut inflow) {
            self.end_all(Closure::Badly(ErrorKind::Protocol), ended);
            return Err(violation.break_off(out));
        }
        if self.link.is_going_away() || self.finishing {
            self.planned = 0;
        }
        self.open_planned(out);
        if self.link.take_room_changed() && self.open.blocked > 0 {
            self.unblock(out);
        }
        Ok(())
    }

    fn peer_closed(&mut self, reset: bool, ended: &mut Vec<Ended>) {
        let closure = if reset { Closure::Reset } else { Closure::Badly(ErrorKind::Connection) };
        self.end_all(closure, ended);
    }

    fn usable(&self) -> bool {
        self.open.live > 0 || self.planned > 0
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        self.finishing = true;
        self.planned = 0;
        for place in 0..self.open.streams.len() {
            let stream = &mut self.open.streams[place];
            if stream.phase == Phase::Live && stream.sending == Sending::Open {
                stream.sending = Sending::Closing;
                if stream.unsent == 0 {
                    self.send(place, out);
                }
            }
        }
    }

    fn quiet(&self) -> bool {
        self.open.live == 0 && self.open.calls == 0
    }

    fn streams(&self) -> Option<StreamCounts> {
        Some(StreamCounts { open_after_drain: u64::from(self.open.live), ..self.open.counts })
    }
}

fn id_of(place: usize) -> u32 {
    u32::try_from(place * 2 + 1).unwrap_or(u32::MAX)
}
