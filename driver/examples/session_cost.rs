//! What a call costs inside the HTTP/2 sessions, without socket and kernel: a canned peer answers in memory.
//! Prints nanoseconds per call: the session's own work both ways. Run it in release, on a quiet core.

#![allow(clippy::expect_used, clippy::cast_possible_truncation)]

use std::{hint::black_box, sync::Arc, time::Instant};

use soak_driver::protocol::{
    CallId, Session,
    grpc_stream::GrpcStreamSession,
    grpc_unary::GrpcUnarySession,
    http2::{Blueprint, Http2Session, RequestTemplate, Windows},
};
use soak_sample::Request;

const ROUNDS: u32 = 20_000;
const BATCH: u32 = 64;
/// What is read at once.
const READ: usize = 16_384;
/// `:status: 200` with four fields, by index and as literals with and without Huffman code, as common servers write it.
const HEAD: &[u8] = b"\x88\x5c\x02\x31\x36\xbe\x0f\x0d\x03\x37\x30\x30\x76\x84\xaa\x63\x55\xe7";

fn frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    out.extend_from_slice(&(payload.len() as u32).to_be_bytes()[1..]);
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
}

fn blueprint(make: fn(&Request, &str) -> RequestTemplate, body: usize) -> Blueprint {
    let request = Request {
        method: "POST".to_owned(),
        path: "/soak.echo.v1.Echo/Say".to_owned(),
        headers: Vec::new(),
        content_type: None,
        body: vec![b'x'; body],
    };
    let template = Arc::new(make(&request, "127.0.0.1:8080"));
    Blueprint { template, max_concurrent_streams: 256, windows: Windows::default() }
}

/// Runs batches of calls; `answer` writes what the peer says to a batch. Nanoseconds per call, in and out.
fn measure(mut session: impl Session, mut answer: impl FnMut(&mut Vec<u8>)) -> [f64; 2] {
    let (mut out, mut ended, mut peer) = (Vec::new(), Vec::new(), Vec::new());
    session.open(&mut out);
    frame(&mut peer, 4, 0, 0, &[0, 4, 0x3f, 0xff, 0xff, 0xff]);
    frame(&mut peer, 8, 0, 0, &0x3fff_0000u32.to_be_bytes());
    session.receive(&peer, &mut out, &mut ended).expect("settings");
    let (mut start, mut receive) = (0, 0);
    for _ in 0..ROUNDS {
        let before = Instant::now();
        (0..BATCH).for_each(|call| session.start(CallId(call), &mut out));
        start += before.elapsed().as_nanos();
        // The peer takes what was sent and gives the room back.
        peer.clear();
        frame(&mut peer, 8, 0, 0, &(black_box(&out).len() as u32).to_be_bytes());
        answer(&mut peer);
        out.clear();
        let before = Instant::now();
        for part in peer.chunks(READ) {
            session.receive(part, &mut out, &mut ended).expect("a sound answer");
        }
        receive += before.elapsed().as_nanos();
        assert_eq!(ended.drain(..).len(), BATCH as usize);
    }
    [start, receive].map(|nanos| nanos as f64 / f64::from(ROUNDS * BATCH))
}

/// Plain answers of 700 bytes.
fn unary_http() -> impl FnMut(&mut Vec<u8>) {
    let mut stream = 1;
    move |peer| {
        for _ in 0..BATCH {
            frame(peer, 1, 4, stream, if stream == 1 { b"\x88\x40\x01a\x01b" } else { HEAD });
            frame(peer, 0, 1, stream, &[0; 700]);
            stream += 2;
        }
    }
}

/// One message each, trailers as literals.
fn unary_grpc(body: usize) -> impl FnMut(&mut Vec<u8>) {
    let message = message(body);
    let mut stream = 1;
    move |peer| {
        for _ in 0..BATCH {
            frame(peer, 1, 4, stream, b"\x88");
            frame(peer, 0, 0, stream, &message);
            frame(peer, 1, 5, stream, b"\x00\x0bgrpc-status\x010");
            stream += 2;
        }
    }
}

fn message(body: usize) -> Vec<u8> {
    [&[0], &(body as u32).to_be_bytes()[..], &vec![b'x'; body]].concat()
}

/// Echoes in turn over all streams, each with the room that its message took.
fn stream(body: usize, streams: u32) -> impl FnMut(&mut Vec<u8>) {
    let message = message(body);
    let mut heads = (0..streams).collect::<Vec<_>>();
    let mut turn = 0;
    move |peer| {
        heads.drain(..).for_each(|i| frame(peer, 1, 4, 2 * i + 1, b"\x88"));
        for _ in 0..BATCH {
            frame(peer, 8, 0, 2 * turn + 1, &(message.len() as u32).to_be_bytes());
            frame(peer, 0, 0, 2 * turn + 1, &message);
            turn = (turn + 1) % streams;
        }
    }
}

fn main() {
    println!("{:<12} {:>6} {:>14} {:>16}", "protocol", "body", "start ns/call", "receive ns/call");
    let line = |name: &str, body: usize, [start, receive]: [f64; 2]| {
        println!("{name:<12} {body:>6} {start:>14.1} {receive:>16.1}");
    };
    for body in [16, 1_024] {
        let http = blueprint(RequestTemplate::http, body);
        line("http2", body, measure(Http2Session::new(&http), unary_http()));
        let grpc = blueprint(RequestTemplate::grpc, body);
        line("grpc-unary", body, measure(GrpcUnarySession::new(&grpc), unary_grpc(body)));
        line("grpc-stream", body, measure(GrpcStreamSession::new(&grpc, 8), stream(body, 8)));
    }
}
