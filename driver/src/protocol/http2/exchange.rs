//! A call is a stream: request out, answer in. The session of plain HTTP/2 and of unary gRPC, which differ in how an
//! answer is judged. Calls whose data may not go yet wait here, and count as in flight.

use std::{collections::VecDeque, fmt::Debug, sync::Arc};

use soak_sample::ErrorKind;

use super::{
    Blueprint, Chunk, END_STREAM, Fields, HeadWriter, Inbound, Kind, Last, Link, MAX_PAYLOAD, RequestTemplate,
    SendWindow, Streams, Violation, inbound::Malformed, put_head, put_word, stream_table::StreamTable,
};
use crate::protocol::{Broken, CallId, Ended, Ending, Session};

/// The code of `RST_STREAM` for a request that need not be completed.
const CANCEL: u32 = 0x8;

/// How one answer is judged.
pub trait Answer: Debug + Default {
    /// Takes part of its body.
    fn data(&mut self, bytes: &[u8]);

    /// The call's ending, once the peer has ended the stream in good order.
    fn ending(&self, inbound: &Inbound) -> Ending;
}

/// A plain HTTP answer: its status decides.
#[derive(Debug, Default)]
pub struct HttpAnswer;

impl Answer for HttpAnswer {
    fn data(&mut self, _bytes: &[u8]) {}

    fn ending(&self, inbound: &Inbound) -> Ending {
        match inbound.status() {
            200..=299 => Ending::Ok,
            status => Ending::Failed(http_class(status)),
        }
    }
}

/// The kind of error that a status is.
pub fn http_class(status: u16) -> ErrorKind {
    u8::try_from(status / 100).map_or(ErrorKind::Protocol, ErrorKind::HttpClass)
}

/// One stream. Once its call has ended (badly), the stream is only waited for.
#[derive(Debug)]
struct Exchange<A> {
    call: Option<CallId>,
    inbound: Inbound,
    send: SendWindow,
    unsent: usize,
    answer: A,
}

/// One connection whose calls are streams.
#[derive(Debug)]
pub struct Exchanges<A> {
    link: Link,
    template: Arc<RequestTemplate>,
    heads: HeadWriter,
    limit: u32,
    /// Calls without a stream: the peer's SETTINGS are not here, or allow fewer streams than were expected.
    waiting: VecDeque<CallId>,
    /// Streams with data that the windows did not let go.
    blocked: VecDeque<u32>,
    open: Open<A>,
}

/// The streams, and the calls on them.
#[derive(Debug)]
struct Open<A> {
    streams: StreamTable<Exchange<A>>,
    calls: u32,
}

impl<A: Answer> Exchanges<A> {
    /// A session that is not open yet.
    pub fn new(blueprint: &Blueprint) -> Self {
        let room = blueprint.max_concurrent_streams.min(4_096) as usize;
        Self {
            link: Link::new(blueprint.windows),
            heads: HeadWriter::new(&blueprint.template),
            template: Arc::clone(&blueprint.template),
            limit: blueprint.max_concurrent_streams,
            waiting: VecDeque::with_capacity(room),
            blocked: VecDeque::with_capacity(room),
            open: Open { streams: StreamTable::with_room(room), calls: 0 },
        }
    }

    fn busy(&self) -> u32 {
        u32::try_from(self.open.streams.len() + self.waiting.len()).unwrap_or(u32::MAX)
    }

    /// True while the peer lets one more stream be opened.
    fn may_open(&self) -> bool {
        let allowed = self.link.peer().map_or(0, |peer| peer.max_concurrent_streams);
        self.open.streams.len() < allowed as usize
    }

    fn begin(&mut self, call: CallId, out: &mut Vec<u8>) {
        let Some(peer) = self.link.peer().copied() else {
            return self.waiting.push_back(call);
        };
        let id = self.link.take_id();
        self.heads.write(&self.template, peer.header_table, id, out);
        let mut exchange = Exchange {
            call: Some(call),
            inbound: Inbound::new(self.template.rule(), self.link.stream_window()),
            send: SendWindow::new(peer.initial_window),
            unsent: self.template.body().len(),
            answer: A::default(),
        };
        send_body(&mut exchange, id, self.template.body(), &mut Outlet { link: &mut self.link, out });
        if exchange.unsent > 0 {
            self.blocked.push_back(id);
        }
        self.open.streams.insert(id, exchange);
    }

    /// Sends what has become possible: streams for calls that wait, data that was blocked.
    fn flush(&mut self, out: &mut Vec<u8>) {
        if self.link.take_room_changed() {
            self.unblock(out);
        }
        while self.may_open()
            && let Some(call) = self.waiting.pop_front()
        {
            self.begin(call, out);
        }
    }

    fn unblock(&mut self, out: &mut Vec<u8>) {
        for _ in 0..self.blocked.len() {
            let Some(id) = self.blocked.pop_front() else {
                return;
            };
            let Some(exchange) = self.open.streams.get_mut(id) else {
                continue;
            };
            send_body(exchange, id, self.template.body(), &mut Outlet { link: &mut self.link, out });
            if exchange.unsent == 0 {
                continue;
            }
            if self.link.room(1) == 0 {
                return self.blocked.push_front(id);
            }
            self.blocked.push_back(id);
        }
    }

    fn end_waiting(&mut self, kind: ErrorKind, ended: &mut Vec<Ended>) {
        self.open.calls -= u32::try_from(self.waiting.len()).unwrap_or(self.open.calls);
        ended.extend(self.waiting.drain(..).map(|call| Ended { call, ending: Ending::Failed(kind) }));
    }

    fn end_all(&mut self, kind: ErrorKind, ended: &mut Vec<Ended>) {
        self.end_waiting(kind, ended);
        for (_, exchange) in self.open.streams.iter_mut() {
            ended.extend(exchange.call.take().map(|call| Ended { call, ending: Ending::Failed(kind) }));
        }
        self.open.calls = 0;
    }
}

impl<A: Answer> Session for Exchanges<A> {
    fn open(&mut self, out: &mut Vec<u8>) {
        self.link.greet(out);
    }

    fn free(&self) -> u32 {
        if !self.usable() {
            return 0;
        }
        let allowed = self.link.peer().map_or(u32::MAX, |peer| peer.max_concurrent_streams);
        let ids = self.link.ids_left() - u32::try_from(self.waiting.len()).unwrap_or(0);
        self.limit.min(allowed).saturating_sub(self.busy()).min(ids)
    }

    fn start(&mut self, call: CallId, out: &mut Vec<u8>) {
        self.open.calls += 1;
        if self.may_open() {
            self.begin(call, out);
        } else {
            self.waiting.push_back(call);
        }
    }

    fn receive(&mut self, bytes: &[u8], out: &mut Vec<u8>, ended: &mut Vec<Ended>) -> Result<(), Broken> {
        let mut inflow = Inflow { open: &mut self.open, ended };
        let received = self.link.receive(bytes, out, &mut inflow);
        if let Err(violation) = received {
            self.end_all(ErrorKind::Protocol, ended);
            return Err(violation.break_off(out));
        }
        if self.link.is_going_away() {
            self.end_waiting(ErrorKind::Connection, ended);
        }
        self.flush(out);
        Ok(())
    }

    fn peer_closed(&mut self, reset: bool, ended: &mut Vec<Ended>) {
        self.end_all(if reset { ErrorKind::Reset } else { ErrorKind::Connection }, ended);
    }

    fn usable(&self) -> bool {
        !self.link.is_going_away() && self.link.ids_left() as usize > self.waiting.len()
    }

    fn finish(&mut self, _out: &mut Vec<u8>) {}

    fn quiet(&self) -> bool {
        self.open.calls == 0
    }
}

/// Where data goes.
struct Outlet<'a> {
    link: &'a mut Link,
    out: &'a mut Vec<u8>,
}

/// Sends as much of the body as both windows let go.
#[inline]
fn send_body<A>(exchange: &mut Exchange<A>, id: u32, body: &[u8], to: &mut Outlet<'_>) {
    while exchange.unsent > 0 {
        let len = to.link.room(exchange.send.room(exchange.unsent)).min(MAX_PAYLOAD);
        if len == 0 {
            return;
        }
        let flags = if len == exchange.unsent { END_STREAM } else { 0 };
        put_head(to.out, len, Kind::Data, flags, id);
        to.out.extend_from_slice(&body[body.len() - exchange.unsent..][..len]);
        exchange.unsent -= len;
        exchange.send.spend(len);
        to.link.spend(len);
    }
}

/// What comes in on the streams.
struct Inflow<'a, A> {
    open: &'a mut Open<A>,
    ended: &'a mut Vec<Ended>,
}

impl<A: Answer> Inflow<'_, A> {
    fn end(&mut self, call: Option<CallId>, ending: Ending) {
        if let Some(call) = call {
            self.open.calls -= 1;
            self.ended.push(Ended { call, ending });
        }
    }

    /// After each frame: an answer that is malformed fails its call at once, the stream's last frame ends it.
    fn settle(&mut self, id: u32, sound: Result<(), Malformed>, last: Last, out: &mut Vec<u8>) {
        if sound.is_err()
            && let Some(call) = self.open.streams.get_mut(id).and_then(|exchange| exchange.call.take())
        {
            self.end(Some(call), Ending::Failed(ErrorKind::Protocol));
        }
        if last == Last::Yes
            && let Some(exchange) = self.open.streams.remove(id)
        {
            if exchange.unsent > 0 {
                put_word(out, Kind::RstStream, id, CANCEL);
            }
            let ending = exchange.answer.ending(&exchange.inbound);
            self.end(exchange.call, ending);
        }
    }
}

impl<A: Answer> Streams for Inflow<'_, A> {
    fn headers(&mut self, id: u32, fields: &Fields, last: Last, out: &mut Vec<u8>) -> Result<(), Violation> {
        let exchange = self.open.streams.get_mut(id).ok_or(Violation::StreamClosed("HEADERS"))?;
        let sound = exchange.inbound.head(fields, last);
        self.settle(id, sound, last, out);
        Ok(())
    }

    fn data(&mut self, id: u32, chunk: Chunk<'_>, out: &mut Vec<u8>) -> Result<(), Violation> {
        let exchange = self.open.streams.get_mut(id).ok_or(Violation::StreamClosed("DATA"))?;
        let credit = exchange.inbound.take(chunk.flow)?;
        if credit > 0 && chunk.last == Last::No {
            put_word(out, Kind::WindowUpdate, id, credit);
        }
        exchange.answer.data(chunk.bytes);
        let sound = exchange.inbound.data(chunk.bytes.len(), chunk.last);
        if sound.is_err() || chunk.last == Last::Yes {
            self.settle(id, sound, chunk.last, out);
        }
        Ok(())
    }

    fn reset(&mut self, id: u32) {
        if let Some(exchange) = self.open.streams.remove(id) {
            self.end(exchange.call, Ending::Failed(ErrorKind::Reset));
        }
    }

    fn credit(&mut self, id: u32, increment: u32) -> Result<(), Violation> {
        let exchange = self.open.streams.get_mut(id);
        exchange.map_or(Ok(()), |exchange| exchange.send.change(i64::from(increment)))
    }

    fn windows_changed(&mut self, change: i64) -> Result<(), Violation> {
        self.open.streams.iter_mut().try_for_each(|(_, exchange)| exchange.send.change(change))
    }

    fn going_away(&mut self, last: u32) {
        let Self { open, ended } = self;
        let Open { streams, calls } = &mut **open;
        streams.remove_above(last, |exchange| {
            let call = exchange.call.map(|call| Ended { call, ending: Ending::Failed(ErrorKind::Connection) });
            *calls -= u32::from(call.is_some());
            ended.extend(call);
        });
    }
}

#[cfg(test)]
mod tests {
    use soak_sample::Request;

    use super::*;
    use crate::protocol::http2::{Http2Session, Windows};

    #[test]
    fn once_the_stream_ids_are_used_up_the_calls_finish_and_no_more_start() {
        let request = Request {
            method: "GET".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            content_type: None,
            body: Vec::new(),
        };
        let template = Arc::new(RequestTemplate::http(&request, "a:1"));
        let mut session =
            Http2Session::new(&Blueprint { template, max_concurrent_streams: 8, windows: Windows::default() });
        session.link.skip_to_id(0x7fff_fffb);
        let (mut out, mut ended) = (Vec::new(), Vec::new());
        session.start(CallId(0), &mut out);
        assert_eq!((session.free(), session.usable()), (2, true));
        session.receive(&[0, 0, 0, 4, 0, 0, 0, 0, 0], &mut out, &mut ended).unwrap();
        assert_eq!((session.free(), session.usable()), (2, true));
        session.start(CallId(1), &mut out);
        session.start(CallId(2), &mut out);
        assert_eq!((session.free(), session.usable(), session.quiet()), (0, false, false));
        session.receive(&[0, 0, 1, 1, 5, 0x7f, 0xff, 0xff, 0xff, 0x88], &mut out, &mut ended).unwrap();
        assert_eq!(ended, [Ended { call: CallId(2), ending: Ending::Ok }]);
        assert_eq!((session.free(), session.usable()), (0, false));
    }
}
