//! What comes in on the long-lived streams of one connection: answers matched with messages, streams that end.

use soak_sample::ErrorKind;

use super::long_streams::{Closure, LongStreams, Phase, Sending};
use crate::protocol::{
    Ended,
    http2::{Chunk, Fields, Kind, Last, Streams, Violation, put_word},
};

/// The code of `RST_STREAM` for a stream that is given up.
const CANCEL: u32 = 0x8;

/// Streams are opened in the order of their ids.
const fn place_of(id: u32) -> usize {
    (id >> 1) as usize
}

/// What comes in on the streams.
pub(super) struct Inflow<'a> {
    pub(super) open: &'a mut LongStreams,
    pub(super) ended: &'a mut Vec<Ended>,
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
        let matched = completed.is_some_and(|count| self.open.answer(place_of(id), count, self.ended));
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
