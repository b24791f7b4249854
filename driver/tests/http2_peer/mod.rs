//! A scripted HTTP/2 peer: builds the bytes that it sends, and reads the frames that it is sent.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::sync::Arc;

use soak_driver::protocol::{
    CallId, Ended, Ending, Session,
    http2::{Blueprint, RequestTemplate, Windows},
};
use soak_sample::{ErrorKind, Request};

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const END_STREAM: u8 = 1;
pub const ACK: u8 = 1;
pub const END_HEADERS: u8 = 4;
pub const PADDED: u8 = 8;
pub const WITH_PRIORITY: u8 = 0x20;

/// `:status: 200`.
pub const OK_BLOCK: &[u8] = &[0x88];
/// `grpc-status: 0`, not indexed.
pub const GRPC_OK: &[u8] = b"\x00\x0bgrpc-status\x010";
pub const PREFACE_LEN: usize = 24;

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    out.extend([kind, flags]);
    out.extend(stream.to_be_bytes());
    out.extend(payload);
    out
}

pub fn settings(settings: &[(u16, u32)]) -> Vec<u8> {
    let payload: Vec<u8> =
        settings.iter().flat_map(|(id, value)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat()).collect();
    frame(SETTINGS, 0, 0, &payload)
}

pub fn window_update(stream: u32, increment: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &increment.to_be_bytes())
}

pub fn goaway(last: u32, code: u32) -> Vec<u8> {
    frame(GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat())
}

pub fn reset(stream: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &2u32.to_be_bytes())
}

pub fn headers(stream: u32, flags: u8, block: &[u8]) -> Vec<u8> {
    frame(HEADERS, flags | END_HEADERS, stream, block)
}

/// A whole gRPC message in its frame.
pub fn message(bytes: &[u8]) -> Vec<u8> {
    [&[0], &u32::try_from(bytes.len()).unwrap().to_be_bytes()[..], bytes].concat()
}

/// A frame that was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

pub fn frames(mut bytes: &[u8]) -> Vec<Received> {
    let mut frames = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<9>() {
        let len = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        let stream = u32::from_be_bytes(*head[5..].first_chunk().unwrap());
        frames.push(Received { kind: head[3], flags: head[4], stream, payload: rest[..len].to_vec() });
        bytes = &rest[len..];
    }
    assert!(bytes.is_empty(), "a frame that is cut off: {bytes:x?}");
    frames
}

pub fn request(body: &[u8]) -> Request {
    Request {
        method: "POST".to_owned(),
        path: "/soak.v1.Echo/Say".to_owned(),
        headers: vec![("X-Run".to_owned(), "7".to_owned()), ("Connection".to_owned(), "close".to_owned())],
        content_type: None,
        body: body.to_vec(),
    }
}

pub fn http(body: &[u8], max_concurrent_streams: u32) -> Blueprint {
    let template = Arc::new(RequestTemplate::http(&request(body), "127.0.0.1:1"));
    Blueprint { template, max_concurrent_streams, windows: Windows::default() }
}

pub fn grpc(body: &[u8], max_concurrent_streams: u32) -> Blueprint {
    let template = Arc::new(RequestTemplate::grpc(&request(body), "127.0.0.1:1"));
    Blueprint { template, max_concurrent_streams, windows: Windows::default() }
}

/// A session under test, and what it has said.
pub struct Client<S> {
    pub session: S,
    pub out: Vec<u8>,
    pub ended: Vec<Ended>,
    pub started: u32,
}

impl<S: Session> Client<S> {
    /// Opened, nothing received; the preface is taken off.
    pub fn greeted(session: S) -> Self {
        let mut client = Self { session, out: Vec::new(), ended: Vec::new(), started: 0 };
        client.session.open(&mut client.out);
        assert_eq!(&client.out[..PREFACE_LEN], b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        client.out.drain(..PREFACE_LEN);
        client
    }

    /// Opened, with the peer's settings; what was said so far is dropped.
    pub fn settled(session: S, peer: &[(u16, u32)]) -> Self {
        let mut client = Self::greeted(session);
        client.feed(&settings(peer));
        client.out.clear();
        client
    }

    pub fn start(&mut self, count: u32) {
        for _ in 0..count {
            assert!(self.session.free() > 0, "no slot for call {}", self.started);
            self.session.start(CallId(self.started), &mut self.out);
            self.started += 1;
        }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        self.session.receive(bytes, &mut self.out, &mut self.ended).unwrap();
    }

    /// What the session has written since the last time.
    pub fn said(&mut self) -> Vec<Received> {
        frames(&std::mem::take(&mut self.out))
    }

    /// Kinds and streams of what the session has written since the last time.
    pub fn outline(&mut self) -> Vec<(u8, u32)> {
        self.said().into_iter().map(|frame| (frame.kind, frame.stream)).collect()
    }

    /// How calls have ended since the last time, in the order of the calls.
    pub fn endings(&mut self) -> Vec<(u32, Ending)> {
        let mut endings: Vec<_> = self.ended.drain(..).map(|ended| (ended.call.0, ended.ending)).collect();
        endings.sort_by_key(|(call, _)| *call);
        endings
    }
}

pub const fn failed(kind: ErrorKind) -> Ending {
    Ending::Failed(kind)
}
