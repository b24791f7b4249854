//! gRPC streams against a scripted peer: opening, matching, flow control, half-closing, and every way a stream ends.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod http2_peer;

use http2_peer::*;
use soak_driver::protocol::{Ending, Session, grpc_stream::GrpcStreamSession};
use soak_sample::{ErrorKind, StreamCounts};

const OK: Ending = Ending::Ok;

fn greeted(streams: u32, slots: u32) -> Client<GrpcStreamSession> {
    Client::greeted(GrpcStreamSession::new(&grpc(b"ab", slots), streams))
}

/// Streams open, their heads sent and answered.
fn opened(streams: u32, slots: u32, peer: &[(u16, u32)]) -> Client<GrpcStreamSession> {
    let mut client = Client::settled(GrpcStreamSession::new(&grpc(b"ab", slots), streams), peer);
    (0..streams).for_each(|i| client.feed(&headers(2 * i + 1, 0, OK_BLOCK)));
    client
}

fn echo(stream: u32) -> Vec<u8> {
    frame(DATA, 0, stream, &message(b"ab"))
}

fn counts(client: &Client<GrpcStreamSession>) -> StreamCounts {
    client.session.streams().unwrap()
}

#[test]
fn streams_open_once_the_settings_are_here_and_as_many_as_the_peer_allows() {
    let mut client = greeted(5, 4);
    client.said();
    assert_eq!((client.session.free(), client.session.usable()), (0, true));
    client.feed(&settings(&[(3, 3)]));
    assert_eq!(client.outline(), [(SETTINGS, 0), (HEADERS, 1), (HEADERS, 3), (HEADERS, 5)]);
    assert_eq!((client.session.free(), counts(&client).opened), (12, 3));
    client.feed(&settings(&[(3, 4)]));
    assert_eq!(client.outline(), [(SETTINGS, 0), (HEADERS, 7)]);
    assert_eq!((client.session.free(), counts(&client).opened), (16, 4));
}

#[test]
fn messages_go_round_robin_over_streams_with_a_free_slot_in_one_write() {
    let mut client = opened(2, 2, &[]);
    client.start(3);
    let said = client.said();
    let expected = [1, 3, 1].map(|stream| Received { kind: DATA, flags: 0, stream, payload: message(b"ab") });
    assert_eq!(said, expected);
    client.feed(&echo(1));
    assert_eq!((client.endings(), client.session.free()), (vec![(0, OK)], 2));
    client.start(2);
    assert_eq!(client.outline(), [(DATA, 3), (DATA, 1)]);
    assert_eq!(client.session.free(), 0);
}

#[test]
fn echoes_are_matched_in_order_whatever_the_split() {
    let mut bytes = Vec::new();
    for part in [&message(b"ab")[..3], &[&message(b"ab")[3..], &message(b"x"), &message(b"")[..2]].concat(), &[0; 3]] {
        bytes.extend(frame(DATA, 0, 1, part));
    }
    for at in 0..=bytes.len() {
        let mut client = opened(1, 8, &[]);
        client.start(4);
        client.feed(&bytes[..at]);
        client.feed(&bytes[at..]);
        assert_eq!(client.endings(), [(0, OK), (1, OK), (2, OK)], "split at {at}");
        assert_eq!(client.session.free(), 7);
    }
}

#[test]
fn finishing_half_closes_and_each_stream_must_close_with_status_0() {
    let mut client = opened(2, 4, &[]);
    client.start(1);
    client.said();
    client.session.finish(&mut client.out);
    let said: Vec<_> = client.said().into_iter().map(|f| (f.kind, f.flags, f.stream, f.payload.len())).collect();
    assert_eq!(said, [(DATA, END_STREAM, 1, 0), (DATA, END_STREAM, 3, 0)]);
    assert_eq!(client.session.free(), 0);
    client.feed(&[echo(1), headers(1, END_STREAM, GRPC_OK)].concat());
    assert_eq!((client.endings(), client.session.quiet()), (vec![(0, OK)], false));
    assert_eq!(counts(&client).open_after_drain, 1);
    client.feed(&headers(3, END_STREAM, b"\x00\x0bgrpc-status\x0213"));
    assert!(client.session.quiet() && !client.session.usable());
    let expected = StreamCounts { opened: 2, closed_ok: 1, closed_badly: 1, ..StreamCounts::default() };
    assert_eq!((counts(&client), client.said()), (expected, vec![]));
}

#[test]
fn a_stream_that_ends_early_ends_its_messages_and_its_slots_are_gone() {
    let check = |name: &str, end: &[Vec<u8>], kind, resets| {
        let mut client = opened(2, 4, &[]);
        client.start(4);
        client.said();
        client.feed(&[echo(1), end.concat()].concat());
        assert_eq!(client.endings(), [(0, OK), (2, failed(kind))], "{name}");
        let expected =
            StreamCounts { opened: 2, closed_badly: 1, resets, open_after_drain: 1, ..StreamCounts::default() };
        assert_eq!((counts(&client), client.session.free()), (expected, 2), "{name}");
        client.start(2);
        assert!(client.said().iter().filter(|f| f.kind == DATA).all(|f| f.stream == 3), "{name}");
        client.feed(&echo(3).repeat(4));
        assert_eq!((client.endings().len(), client.session.free()), (4, 4), "{name}");
    };
    check("reset", &[reset(1)], ErrorKind::Reset, 1);
    check("a status", &[headers(1, END_STREAM, b"\x00\x0bgrpc-status\x0214")], ErrorKind::GrpcStatus(14), 0);
    check("status 0 with messages unanswered", &[headers(1, END_STREAM, GRPC_OK)], ErrorKind::Protocol, 0);
    check("no status", &[frame(DATA, END_STREAM, 1, b"")], ErrorKind::Protocol, 0);
    check("a second head", &[headers(1, 0, OK_BLOCK)], ErrorKind::Protocol, 0);
    check("a compressed message, and more", &[frame(DATA, 0, 1, b"\x01"), echo(1)], ErrorKind::Protocol, 0);
    let then_closed = [frame(DATA, 0, 1, b"\x01"), headers(1, END_STREAM, GRPC_OK)];
    check("given up, then closed", &then_closed, ErrorKind::Protocol, 0);
}

#[test]
fn an_error_page_is_no_message() {
    let mut client = Client::settled(GrpcStreamSession::new(&grpc(b"ab", 4), 1), &[]);
    client.start(1);
    client.feed(&[headers(1, 0, b"\x8e"), frame(DATA, END_STREAM, 1, b"\0\0\0\0\0")].concat());
    assert_eq!(client.endings(), [(0, failed(ErrorKind::HttpClass(5)))]);
    assert_eq!((counts(&client).closed_badly, client.session.usable()), (1, false));
}

#[test]
fn more_answers_than_messages_give_the_stream_up() {
    let mut client = opened(1, 4, &[]);
    client.start(1);
    client.said();
    client.feed(&echo(1).repeat(2));
    assert_eq!((client.endings(), client.outline()), (vec![(0, OK)], vec![(RST_STREAM, 1)]));
    assert_eq!((counts(&client).closed_badly, client.session.usable(), client.session.quiet()), (1, false, true));
}

#[test]
fn messages_that_the_windows_hold_back_wait_and_are_counted() {
    let mut client = opened(2, 8, &[(4, 10)]);
    client.start(5);
    let lens = |client: &mut Client<GrpcStreamSession>| -> Vec<_> {
        client.said().into_iter().map(|f| (f.stream, f.payload.len(), f.flags)).collect()
    };
    assert_eq!(lens(&mut client), [(1, 7, 0), (3, 7, 0), (1, 3, 0), (3, 3, 0)]);
    assert_eq!(counts(&client).write_blocked, 3);
    client.session.finish(&mut client.out);
    assert_eq!(lens(&mut client), [], "not before everything has gone");
    client.feed(&window_update(3, 100));
    assert_eq!(lens(&mut client), [(3, 4, 0), (3, 0, END_STREAM)]);
    client.feed(&settings(&[(4, 13)]));
    assert_eq!(lens(&mut client)[1..], [(1, 3, 0)]);
    client.feed(&window_update(1, 100));
    assert_eq!(lens(&mut client), [(1, 1, 0), (1, 7, 0), (1, 0, END_STREAM)]);
    client.feed(&[echo(1).repeat(3), echo(3).repeat(2)].concat());
    assert_eq!(client.endings().len(), 5);
}

#[test]
fn a_message_over_one_frame_is_sent_in_several() {
    let body = vec![b'x'; 20_000];
    let mut client = Client::settled(GrpcStreamSession::new(&grpc(&body, 4), 1), &[]);
    client.start(2);
    let lens: Vec<_> = client.said().iter().map(|frame| frame.payload.len()).collect();
    assert_eq!(lens, [16_384, 3_621, 16_384, 3_621]);
}

#[test]
fn goaway_ends_the_streams_above_and_the_others_go_on() {
    let mut client = opened(3, 4, &[(3, 3)]);
    client.start(3);
    client.said();
    client.feed(&goaway(3, 0));
    assert_eq!(client.endings(), [(2, failed(ErrorKind::Connection))]);
    assert_eq!((client.session.usable(), client.session.free(), counts(&client).closed_badly), (true, 6, 1));
    client.start(2);
    assert_eq!(client.outline(), [(DATA, 1), (DATA, 3)]);
}

#[test]
fn a_lost_connection_ends_every_message_and_stream() {
    for (was_reset, kind, resets) in [(false, ErrorKind::Connection, 0), (true, ErrorKind::Reset, 2)] {
        let mut client = opened(2, 4, &[]);
        client.start(2);
        client.session.peer_closed(was_reset, &mut client.ended);
        assert_eq!(client.endings(), [(0, failed(kind)), (1, failed(kind))]);
        let expected = StreamCounts { opened: 2, closed_badly: 2, resets, ..StreamCounts::default() };
        assert_eq!((counts(&client), client.session.quiet(), client.session.usable()), (expected, true, false));
    }
}

#[test]
fn a_frame_on_a_stream_that_the_peer_has_ended_breaks_the_connection() {
    for late in [echo(1), headers(1, 0, OK_BLOCK)] {
        let mut client = opened(2, 4, &[]);
        client.start(2);
        client.feed(&headers(1, END_STREAM, GRPC_OK));
        assert!(client.session.receive(&late, &mut client.out, &mut client.ended).is_err());
        assert_eq!(client.endings().len(), 2);
        assert_eq!((client.session.quiet(), counts(&client).closed_badly), (true, 2));
    }
}
