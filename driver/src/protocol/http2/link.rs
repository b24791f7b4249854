//! The connection of an HTTP/2 client: bytes from the peer to events on streams, and the answers that the protocol asks
//! for. Owns what all streams share: settings, header table, connection windows, stream ids. Knows no call.

use super::{
    frame::{self, ACK, END_HEADERS, END_STREAM, Frame, FrameHead, HEAD_LEN, Kind, MAX_31},
    hpack::{Decoder, Fields},
    inbound::Last,
    settings::{MAX_HEADER_BLOCK, PeerSettings, Windows},
    violation::Violation,
    window::{ReceiveWindow, SendWindow},
};

/// Answers to PING and SETTINGS that a peer may ask for between two frames of an answer.
const MAX_REPLIES: u32 = 10_000;

/// Part of a body.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// What it costs of the windows: padding counts. Bytes.
    pub flow: u32,
    /// Whether the stream ends with it.
    pub last: Last,
}

/// What happens on streams. Ids are those of streams that were opened; they may have ended since.
pub trait Streams {
    /// A header block. An error means that the stream has ended before.
    fn headers(&mut self, id: u32, fields: &Fields, last: Last, out: &mut Vec<u8>) -> Result<(), Violation>;
    /// Part of a body. An error means that the stream has ended before, or its window was overrun.
    fn data(&mut self, id: u32, chunk: Chunk<'_>, out: &mut Vec<u8>) -> Result<(), Violation>;
    /// The peer has aborted the stream.
    fn reset(&mut self, id: u32);
    /// The peer gives more room on the stream.
    fn credit(&mut self, id: u32, increment: u32) -> Result<(), Violation>;
    /// The peer has changed the windows of all streams.
    fn windows_changed(&mut self, change: i64) -> Result<(), Violation>;
    /// The peer will not answer streams above `last`, and takes no new ones.
    fn going_away(&mut self, last: u32);
}

/// Where a frame's consequences go.
struct Turn<'a, S> {
    out: &'a mut Vec<u8>,
    streams: &'a mut S,
}

/// One connection.
#[derive(Debug)]
pub struct Link {
    windows: Windows,
    peer: PeerSettings,
    settled: bool,
    away: Option<u32>,
    next_id: u32,
    send: SendWindow,
    receive: ReceiveWindow,
    room_changed: bool,
    decoder: Decoder,
    block: Vec<u8>,
    block_cost: usize,
    block_of: Option<(u32, Last)>,
    partial: Vec<u8>,
    replies: u32,
}

impl Link {
    /// A connection that is not open yet.
    pub fn new(windows: Windows) -> Self {
        let windows = windows.bounded();
        Self {
            windows,
            peer: PeerSettings::default(),
            settled: false,
            away: None,
            next_id: 1,
            send: SendWindow::new(super::settings::DEFAULT_WINDOW),
            receive: ReceiveWindow::new(windows.connection),
            room_changed: false,
            decoder: Decoder::default(),
            block: Vec::new(),
            block_cost: 0,
            block_of: None,
            partial: Vec::new(),
            replies: 0,
        }
    }

    /// Writes what a client says first.
    pub fn greet(&self, out: &mut Vec<u8>) {
        self.windows.greet(out);
    }

    /// The peer's settings, once they have come. Before, no stream is opened.
    pub fn peer(&self) -> Option<&PeerSettings> {
        self.settled.then_some(&self.peer)
    }

    /// True once the peer takes no new streams.
    pub const fn is_going_away(&self) -> bool {
        self.away.is_some()
    }

    /// Bytes that the peer may send on a new stream.
    pub const fn stream_window(&self) -> u32 {
        self.windows.stream
    }

    /// How many streams can still be opened on this connection.
    pub const fn ids_left(&self) -> u32 {
        (MAX_31 + 2 - self.next_id) / 2
    }

    /// Takes the next stream's id. Only while [`Self::ids_left`] is above 0.
    pub const fn take_id(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id += 2;
        id
    }

    /// As if many streams had been opened before.
    #[cfg(test)]
    pub const fn skip_to_id(&mut self, id: u32) {
        self.next_id = id;
    }

    /// True once after each time that the peer has given more room to send.
    pub const fn take_room_changed(&mut self) -> bool {
        std::mem::replace(&mut self.room_changed, false)
    }

    /// How many of `wanted` bytes the connection's window lets go now.
    pub fn room(&self, wanted: usize) -> usize {
        self.send.room(wanted)
    }

    /// `len` bytes have gone on some stream.
    pub fn spend(&mut self, len: usize) {
        self.send.spend(len);
    }

    /// Takes bytes from the peer; whole frames are read in place, the rest is kept.
    ///
    /// # Errors
    /// The peer has broken the protocol; nothing more can be received.
    pub fn receive<S: Streams>(&mut self, bytes: &[u8], out: &mut Vec<u8>, streams: &mut S) -> Result<(), Violation> {
        let mut turn = Turn { out, streams };
        let mut rest = if self.partial.is_empty() { bytes } else { self.complete(bytes, &mut turn)? };
        while let Some((frame, after)) = frame::split(rest)? {
            self.frame(&frame, &mut turn)?;
            rest = after;
        }
        self.partial.extend_from_slice(rest);
        Ok(())
    }

    /// Completes the frame that is kept, if `bytes` suffice; returns what they hold beyond it.
    fn complete<'a, S: Streams>(&mut self, bytes: &'a [u8], turn: &mut Turn<'_, S>) -> Result<&'a [u8], Violation> {
        let mut partial = std::mem::take(&mut self.partial);
        let mut rest = fill(&mut partial, bytes, HEAD_LEN);
        if let Some(head) = FrameHead::parse(&partial)? {
            rest = fill(&mut partial, rest, HEAD_LEN + head.len);
        }
        if let Some((frame, _)) = frame::split(&partial)? {
            self.frame(&frame, turn)?;
            partial.clear();
        }
        self.partial = partial;
        Ok(rest)
    }

    fn frame<S: Streams>(&mut self, frame: &Frame<'_>, turn: &mut Turn<'_, S>) -> Result<(), Violation> {
        self.check_order(&frame.head)?;
        match frame.head.kind {
            Kind::Data => self.data(frame, turn),
            Kind::Headers => self.headers(frame, turn),
            Kind::Continuation => self.continuation(frame, turn),
            Kind::RstStream => self.reset(frame, turn),
            Kind::Settings => self.settings(frame, turn),
            Kind::Ping => self.ping(frame, turn),
            Kind::GoAway => self.go_away(frame, turn),
            Kind::WindowUpdate => self.window_update(frame, turn),
            Kind::Priority => priority(frame),
            Kind::PushPromise => Err(Violation::Protocol("a PUSH_PROMISE frame, though push is off")),
            Kind::Unknown => Ok(()),
        }
    }

    /// What may come when: SETTINGS first, and nothing within a header block.
    fn check_order(&self, head: &FrameHead) -> Result<(), Violation> {
        let greeting = head.kind == Kind::Settings && !head.has(ACK);
        if !self.settled && !greeting {
            return Err(Violation::Protocol("the first frame is not SETTINGS"));
        }
        match self.block_of {
            Some((id, _)) if head.kind != Kind::Continuation || head.stream != id => {
                Err(Violation::Protocol("a header block is interrupted"))
            }
            None if head.kind == Kind::Continuation => Err(Violation::Protocol("a CONTINUATION frame of nothing")),
            Some(_) | None => Ok(()),
        }
    }

    /// Only streams that were opened here can be spoken of.
    fn check_opened(&self, id: u32) -> Result<(), Violation> {
        if id % 2 == 1 && id < self.next_id {
            Ok(())
        } else {
            Err(Violation::Protocol("a frame for a stream that was never opened"))
        }
    }

    fn data<S: Streams>(&mut self, frame: &Frame<'_>, turn: &mut Turn<'_, S>) -> Result<(), Violation> {
        self.check_opened(frame.head.stream)?;
        self.replies = 0;
        let flow = u32::try_from(frame.payload.len()).unwrap_or(u32::MAX);
        let credit = self.receive.take(flow)?;
        if credit > 0 {
            frame::put_word(turn.out, Kind::WindowUpdate, 0, credit);
        }
        let chunk = Chunk { bytes: frame.content()?, flow, last: last(&frame.head) };
        turn.streams.data(frame.head.stream, chunk, turn.out)
    }

    fn headers<S: Streams>(&mut self, frame: &Frame<'_>, turn: &mut Turn<'_, S>) -> Result<(), Violation> {
        self.check_opened(frame.head.stream)?;
        self.replies = 0;
        let fragment = frame.content()?;
        if frame.head.has(END_HEADERS) {
            let fields = self.decoder.decode(fragment)?;
            return turn.streams.headers(frame.head.stream, &fields, last(&frame.head), turn.out);
        }
        self.block_of = Some((frame.head.stream, last(&frame.head)));
        self.block_cost = 0;
        self.keep(fragment)
    }

    fn continuation<S: Streams>(&mut self, frame: &Frame<'_>, turn: &mut Turn<'_, S>) -> Result<(), Violation> {
        self.keep(frame.payload)?;
        let Some((id, last)) = self.block_of.filter(|_| frame.head.has(END_HEADERS)) else {
            return Ok(());
        };
        let fields = self.decoder.decode(&self.block)?;
        self.block.clear();
        self.block_of = None;
        turn.streams.headers(id, &fields, last, turn.out)
    }

    /// Keeps part of a header block; frames cost as well, so that empty ones cannot go on for ever.
    fn keep(&mut self, fragment: &[u8]) -> Result<(), Violation> {
        self.block_cost += fragment.len() + HEAD_LEN;
        if self.block_cost > MAX_HEADER_BLOCK as usize {
            return Err(Violation::Calm("a header block without end"));
        }
        self.block.extend_from_slice(fragment);
        Ok(())
    }

    fn reset<S: Streams>(&mut self, frame: &Frame<'_>, turn: &mut Turn<'_, S>) -> Result<(), Violation> {
        self.check_opened(frame.head.stream)?;
        frame.word("RST_STREAM")?;
        turn.streams.reset(frame.head.stream);
        Ok(())
    }

    fn settings<S: Streams>(&mut self, frame: &Frame<'_>, turn: &mut Turn<'_, S>) -> Result<(), Violation> {
        of_connection(frame)?;
        if frame.head.has(ACK) {
            return if frame.payload.is_empty() { Ok(()) } else { Err(Violation::FrameSize("SETTINGS")) };
        }
        let before = i64::from(self.peer.initial_window);
        self.peer.apply(frame.payload)?;
        let change = i64::from(self.peer.initial_window) - before;
        if change != 0 {
            turn.streams.windows_changed(change)?;
            self.room_changed = true;
        }
        self.settled = true;
        self.reply()?;
        frame::put_head(turn.out, 0, Kind::Settings, ACK, 0);
        Ok(())
    }

    fn ping<S: Streams>(&mut self, frame: &Frame<'_>, turn: &mut Turn<'_, S>) -> Result<(), Violation> {
        of_connection(frame)?;
        if frame.payload.len() != 8 {
            return Err(Violation::FrameSize("PING"));
        }
        if !frame.head.has(ACK) {
            self.reply()?;
            frame::put_head(turn.out, 8, Kind::Ping, ACK, 0);
            turn.out.extend_from_slice(frame.payload);
        }
        Ok(())
    }

    fn reply(&mut self) -> Result<(), Violation> {
        self.replies += 1;
        if self.replies > MAX_REPLIES {
            return Err(Violation::Calm("PING and SETTINGS without end"));
        }
        Ok(())
    }

    fn go_away<S: Streams>(&mut self, frame: &Frame<'_>, turn: &mut Turn<'_, S>) -> Result<(), Violation> {
        of_connection(frame)?;
        let (last, _) = frame.payload.split_first_chunk().ok_or(Violation::FrameSize("GOAWAY"))?;
        let last = u32::from_be_bytes(*last) & MAX_31;
        if frame.payload.len() < 8 {
            return Err(Violation::FrameSize("GOAWAY"));
        }
        if self.away.is_some_and(|before| last > before) {
            return Err(Violation::Protocol("a GOAWAY frame that takes back an earlier one"));
        }
        self.away = Some(last);
        turn.streams.going_away(last);
        Ok(())
    }

    fn window_update<S: Streams>(&mut self, frame: &Frame<'_>, turn: &mut Turn<'_, S>) -> Result<(), Violation> {
        let increment = frame.word("WINDOW_UPDATE")? & MAX_31;
        if increment == 0 {
            return Err(Violation::Protocol("a WINDOW_UPDATE frame of nothing"));
        }
        self.room_changed = true;
        if frame.head.stream == 0 {
            return self.send.change(i64::from(increment));
        }
        self.check_opened(frame.head.stream)?;
        turn.streams.credit(frame.head.stream, increment)
    }
}

/// Moves bytes until `partial` has `len`, if there are enough; returns what is left.
fn fill<'a>(partial: &mut Vec<u8>, bytes: &'a [u8], len: usize) -> &'a [u8] {
    let missing = len.saturating_sub(partial.len()).min(bytes.len());
    let (taken, rest) = bytes.split_at(missing);
    partial.extend_from_slice(taken);
    rest
}

fn last(head: &FrameHead) -> Last {
    if head.has(END_STREAM) { Last::Yes } else { Last::No }
}

fn of_connection(frame: &Frame<'_>) -> Result<(), Violation> {
    if frame.head.stream == 0 { Ok(()) } else { Err(Violation::Protocol("a connection's frame on a stream")) }
}

fn priority(frame: &Frame<'_>) -> Result<(), Violation> {
    if frame.payload.len() == 5 { Ok(()) } else { Err(Violation::FrameSize("PRIORITY")) }
}
