//! Whatever a peer sends, in whatever pieces: no session panics, and each call that was started ends exactly once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod http2_peer;

use http2_peer::*;
use proptest::prelude::*;
use soak_driver::protocol::{
    CallId, Session, grpc_stream::GrpcStreamSession, grpc_unary::GrpcUnarySession, http2::Http2Session,
};

/// One thing that happens.
#[derive(Debug, Clone)]
enum Event {
    Bytes(Vec<u8>),
    Start(u8),
    Finish,
}

fn block() -> impl Strategy<Value = Vec<u8>> {
    let known: [&[u8]; 8] = [
        OK_BLOCK,
        GRPC_OK,
        b"\x8d",
        b"\x08\x03100",
        b"\x40\x0bgrpc-status\x010",
        b"\xbe",
        b"\x88\x00\x0bgrpc-status\x017",
        b"\x20\x88",
    ];
    prop_oneof![4 => prop::sample::select(known.map(<[u8]>::to_vec).to_vec()), 1 => prop::collection::vec(any::<u8>(), 0..20)]
}

fn payload(kind: u8) -> BoxedStrategy<Vec<u8>> {
    let bytes = |len| prop::collection::vec(any::<u8>(), len);
    match kind {
        DATA => prop_oneof![Just(message(b"ab")), Just(vec![]), bytes(0..30)].boxed(),
        HEADERS | CONTINUATION => block().boxed(),
        SETTINGS => {
            let setting = (0u16..8, prop_oneof![0u32..200, 16_384u32..70_000, any::<u32>()]);
            prop::collection::vec(setting, 0..3).prop_map(|list| settings(&list)[9..].to_vec()).boxed()
        }
        WINDOW_UPDATE | RST_STREAM => {
            prop_oneof![1u32..50, any::<u32>()].prop_map(|n| n.to_be_bytes().to_vec()).boxed()
        }
        GOAWAY => prop_oneof![0u32..20, any::<u32>()].prop_map(|last| goaway(last, 0)[9..].to_vec()).boxed(),
        PING => bytes(8..9).boxed(),
        _ => bytes(0..12).boxed(),
    }
}

fn any_frame() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![4 => Just(DATA), 4 => Just(HEADERS), 2 => Just(WINDOW_UPDATE), 2 => 0u8..11];
    let stream = prop_oneof![6 => (0u32..8).prop_map(|half| half * 2 + 1), 2 => Just(0u32), 1 => 0u32..20];
    let flags =
        prop_oneof![3 => Just(END_HEADERS), 3 => Just(END_HEADERS | END_STREAM), 2 => Just(0u8), 1 => any::<u8>()];
    (kind, stream, flags).prop_flat_map(|(kind, stream, flags)| {
        let stream = if matches!(kind, SETTINGS | PING | GOAWAY) { 0 } else { stream };
        let flags = if kind == SETTINGS { 0 } else { flags };
        payload(kind).prop_map(move |payload| frame(kind, flags, stream, &payload))
    })
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        8 => any_frame().prop_map(Event::Bytes),
        1 => prop::collection::vec(any::<u8>(), 0..40).prop_map(Event::Bytes),
        4 => (1u8..6).prop_map(Event::Start),
        1 => Just(Event::Finish),
    ];
    (any::<bool>(), prop::collection::vec(event, 0..60)).prop_map(|(sane, mut events)| {
        if sane {
            events.insert(0, Event::Bytes(settings(&[(3, 6), (4, 40)])));
        }
        events
    })
}

/// Runs one history, the bytes in pieces of `piece`; returns which calls were started and which ended.
fn run(mut session: Box<dyn Session>, events: &[Event], piece: usize) -> (u32, Vec<u32>) {
    let (mut out, mut ended, mut started) = (Vec::new(), Vec::new(), 0);
    session.open(&mut out);
    'history: for event in events {
        match event {
            Event::Bytes(bytes) => {
                for part in bytes.chunks(piece) {
                    if session.receive(part, &mut out, &mut ended).is_err() {
                        break 'history;
                    }
                }
            }
            Event::Start(count) => {
                for _ in 0..session.free().min(u32::from(*count)) {
                    session.start(CallId(started), &mut out);
                    started += 1;
                }
            }
            Event::Finish => session.finish(&mut out),
        }
        assert!(session.usable() || session.free() == 0);
    }
    session.peer_closed(false, &mut ended);
    assert!(session.quiet());
    if let Some(counts) = session.streams() {
        assert_eq!(counts.opened, counts.closed_ok + counts.closed_badly);
        assert_eq!(counts.open_after_drain, 0);
    }
    frames(&out[PREFACE_LEN..]);
    let mut calls: Vec<_> = ended.iter().map(|ended| ended.call.0).collect();
    calls.sort_unstable();
    (started, calls)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn each_call_ends_exactly_once(events in events(), piece in 1usize..40, slots in 1u32..6) {
        let sessions: [Box<dyn Session>; 3] = [
            Box::new(Http2Session::new(&http(&[b'x'; 30], slots))),
            Box::new(GrpcUnarySession::new(&grpc(b"ab", slots))),
            Box::new(GrpcStreamSession::new(&grpc(b"ab", slots), 3)),
        ];
        for session in sessions {
            let (started, ended) = run(session, &events, piece);
            prop_assert_eq!(ended, (0..started).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_pieces_in_which_bytes_come_change_no_ending(events in events(), piece in 1usize..40) {
        let session = || Box::new(Http2Session::new(&http(b"", 4)));
        prop_assert_eq!(run(session(), &events, piece), run(session(), &events, usize::MAX));
    }
}
