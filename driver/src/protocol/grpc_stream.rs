//! gRPC over long-lived streams of messages both ways: a call is a message, answered by the message that comes back in
//! its turn. Streams are opened once; one that ends is not opened again, it counts as closed and its slots are gone.
//! Messages go round robin over streams with a free slot, each in DATA frames of its own, so many leave in one write.

use std::{collections::VecDeque, sync::Arc};

use soak_sample::{ErrorKind, StreamCounts};

use super::{
    Broken, CallId, Ended, Ending, Session,
    grpc_message::MessageReader,
    http2::{
        Blueprint, Chunk, END_STREAM, Fields, HeadWriter, Inbound, Kind, Last, Link, MAX_PAYLOAD, RequestTemplate,
        SendWindow, Streams, Violation, http_class, put_head, put_word,
    },
};

/// RST_STREAM's code for a stream that is given up.
const CANCEL: u32 = 0x8;

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
    open: Open,
}

/// The streams that were opened, and what is in flight on them.
#[derive(Debug)]
struct Open {
    /// By order of opening: the stream at place `i` has the id `2 i + 1`.
    streams: Vec<LongStream>,
    slots_each: u32,
    free: u32,
    calls: u32,
    live: u32,
    /// Streams with messages that the windows did not let go.
    blocked: u32,
    counts: StreamCounts,
}

#[derive(Debug)]
struct LongStream {
    phase: Phase,
    sending: Sending,
    inbound: Inbound,
    messages: MessageReader,
    send: SendWindow,
    /// Bytes of messages that have not gone yet.
    unsent: usize,
    in_flight: VecDeque<CallId>,
}

/// The peer's side of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Live,
    /// The peer has ended it; nothing may come any more.
    Ended,
    /// Given up from here: what still comes is passed over.
    Abandoned,
}

/// This client's side of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sending {
    Open,
    /// To be half-closed once everything has gone.
    Closing,
    Closed,
}

/// Why a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closure {
    Well,
    Badly(ErrorKind),
    Reset,
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
            open: Open {
                streams: Vec::with_capacity(streams.min(4_096) as usize),
                slots_each: blueprint.max_concurrent_streams,
                free: 0,
                calls: 0,
                live: 0,
                blocked: 0,
                counts: StreamCounts::default(),
            },
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

impl Open {
    fn add(&mut self, inbound: Inbound, send: SendWindow) {
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
        self.free += self.slots_each;
    }

    fn has_slot(&self, place: usize) -> bool {
        let stream = &self.streams[place];
        stream.phase == Phase::Live && stream.in_flight.len() < self.slots_each as usize
    }

    /// Ends a live stream and the calls on it; does nothing to one that has ended.
    fn end(&mut self, place: usize, phase: Phase, closure: Closure, ended: &mut Vec<Ended>) {
        let stream = &mut self.streams[place];
        if stream.phase != Phase::Live {
            return;
        }
        stream.phase = phase;
        let in_flight = u32::try_from(stream.in_flight.len()).unwrap_or(u32::MAX);
        self.live -= 1;
        self.free -= self.slots_each - in_flight;
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
    fn closure(&self) -> Closure {
        let complete = self.in_flight.is_empty() && self.messages.is_between();
        match (self.inbound.status(), self.inbound.grpc_status()) {
            (200, Some(0)) if complete => Closure::Well,
            (200, Some(0) | None) => Closure::Badly(ErrorKind::Protocol),
            (200, Some(status)) => Closure::Badly(ErrorKind::GrpcStatus(status)),
            (status, _) => Closure::Badly(http_class(status)),
        }
    }
}

impl Session for GrpcStreamSession {
    fn open(&mut self, out: &mut Vec<u8>) {
        self.link.greet(out);
    }

    fn free(&self) -> u32 {
        if self.finishing { 0 } else { self.open.free }
    }

    fn start(&mut self, call: CallId, out: &mut Vec<u8>) {
        let Some(place) = self.next_place() else {
            return;
        };
        let stream = &mut self.open.streams[place];
        let was_blocked = stream.unsent > 0;
        stream.in_flight.push_back(call);
        stream.unsent += self.template.body().len();
        self.open.calls += 1;
        self.open.free -= 1;
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
            return Err(self.link.break_off(violation, out));
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

const fn place_of(id: u32) -> usize {
    (id >> 1) as usize
}

fn id_of(place: usize) -> u32 {
    u32::try_from(place * 2 + 1).unwrap_or(u32::MAX)
}

/// What comes in on the streams.
struct Inflow<'a> {
    open: &'a mut Open,
    ended: &'a mut Vec<Ended>,
}

impl Inflow<'_> {
    /// Gives a stream up that can no longer be trusted.
    fn abandon(&mut self, id: u32, out: &mut Vec<u8>) {
        put_word(out, Kind::RstStream, id, CANCEL);
        self.open.end(place_of(id), Phase::Abandoned, Closure::Badly(ErrorKind::Protocol), self.ended);
    }

    /// The peer has ended the stream: closes this side too, where it is still open.
    fn close(&mut self, id: u32, out: &mut Vec<u8>) {
        let stream = &self.open.streams[place_of(id)];
        if stream.sending != Sending::Closed {
            put_word(out, Kind::RstStream, id, CANCEL);
        }
        let closure = stream.closure();
        self.open.end(place_of(id), Phase::Ended, closure, self.ended);
    }

    /// Matches `count` answers with the oldest messages in flight; false when there are more answers than messages.
    fn answer(&mut self, place: usize, count: u32) -> bool {
        let stream = &mut self.open.streams[place];
        for _ in 0..count {
            let Some(call) = stream.in_flight.pop_front() else {
                return false;
            };
            self.open.calls -= 1;
            self.open.free += 1;
            self.ended.push(Ended { call, ending: Ending::Ok });
        }
        true
    }

    fn phase(&self, id: u32) -> Phase {
        self.open.streams[place_of(id)].phase
    }
}

impl Streams for Inflow<'_> {
    fn headers(&mut self, id: u32, fields: &Fields, last: Last, out: &mut Vec<u8>) -> Result<(), Violation> {
        match self.phase(id) {
            Phase::Abandoned => return Ok(()),
            Phase::Ended => return Err(Violation::StreamClosed("HEADERS")),
            Phase::Live => {}
        }
        let sound = self.open.streams[place_of(id)].inbound.head(fields, last);
        match (sound, last) {
            (Err(_), _) => self.abandon(id, out),
            (Ok(()), Last::Yes) => self.close(id, out),
            (Ok(()), Last::No) => {}
        }
        Ok(())
    }

    fn data(&mut self, id: u32, chunk: Chunk<'_>, out: &mut Vec<u8>) -> Result<(), Violation> {
        match self.phase(id) {
            Phase::Abandoned => return Ok(()),
            Phase::Ended => return Err(Violation::StreamClosed("DATA")),
            Phase::Live => {}
        }
        let stream = &mut self.open.streams[place_of(id)];
        let credit = stream.inbound.take(chunk.flow)?;
        if credit > 0 && chunk.last == Last::No {
            put_word(out, Kind::WindowUpdate, id, credit);
        }
        let sound = stream.inbound.data(chunk.bytes.len(), chunk.last).is_ok();
        let is_grpc = stream.inbound.status() == 200;
        let completed = if is_grpc { stream.messages.feed(chunk.bytes).ok() } else { Some(0) };
        let matched = completed.is_some_and(|count| self.answer(place_of(id), count));
        if !sound || !matched {
            self.abandon(id, out);
        } else if chunk.last == Last::Yes {
            self.close(id, out);
        }
        Ok(())
    }

    fn reset(&mut self, id: u32) {
        self.open.end(place_of(id), Phase::Ended, Closure::Reset, self.ended);
    }

    fn credit(&mut self, id: u32, increment: u32) -> Result<(), Violation> {
        let stream = &mut self.open.streams[place_of(id)];
        if stream.phase == Phase::Live { stream.send.change(i64::from(increment)) } else { Ok(()) }
    }

    fn windows_changed(&mut self, change: i64) -> Result<(), Violation> {
        let mut live = self.open.streams.iter_mut().filter(|stream| stream.phase == Phase::Live);
        live.try_for_each(|stream| stream.send.change(change))
    }

    fn going_away(&mut self, last: u32) {
        for place in place_of(last.saturating_add(1))..self.open.streams.len() {
            self.open.end(place, Phase::Abandoned, Closure::Badly(ErrorKind::Connection), self.ended);
        }
    }
}
