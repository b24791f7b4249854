//! The HTTP/2 session against a scripted peer: order, limits, flow control, endings, breaches.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod http2_peer;

use http2_peer::*;
use soak_driver::protocol::{
    Ending, Session,
    http2::{Blueprint, Http2Session, Windows},
};
use soak_sample::ErrorKind;

const OK: Ending = Ending::Ok;
const MAX_31: u32 = 0x7fff_ffff;

fn greeted(body: &[u8], slots: u32) -> Client<Http2Session> {
    Client::greeted(Http2Session::new(&http(body, slots)))
}

fn settled(body: &[u8], slots: u32, peer: &[(u16, u32)]) -> Client<Http2Session> {
    Client::settled(Http2Session::new(&http(body, slots)), peer)
}

#[test]
fn calls_wait_for_the_peers_settings_and_then_leave_in_order() {
    let mut client = greeted(b"", 8);
    assert_eq!(client.outline(), [(SETTINGS, 0), (WINDOW_UPDATE, 0)]);
    client.start(8);
    assert_eq!((client.said(), client.session.free(), client.session.quiet()), (vec![], 0, false));
    client.feed(&settings(&[(3, 2)]));
    assert_eq!(client.outline(), [(SETTINGS, 0), (HEADERS, 1), (HEADERS, 3)]);
    client.feed(&headers(1, END_STREAM, OK_BLOCK));
    assert_eq!(client.outline(), [(HEADERS, 5)]);
    assert_eq!(client.endings(), [(0, OK)]);
    client.feed(&settings(&[(3, 100)]));
    assert_eq!(
        client.outline(),
        [(SETTINGS, 0), (HEADERS, 7), (HEADERS, 9), (HEADERS, 11), (HEADERS, 13), (HEADERS, 15)]
    );
    assert_eq!(client.session.free(), 1);
}

#[test]
fn the_smaller_of_both_limits_holds() {
    let check = |shape, peer: &[(u16, u32)], free| {
        assert_eq!(settled(b"", shape, peer).session.free(), free, "{shape} {peer:?}");
    };
    check(8, &[], 8);
    check(8, &[(3, 100)], 8);
    check(8, &[(3, 5)], 5);
    check(8, &[(3, 0)], 0);
}

#[test]
fn a_request_is_headers_and_data_and_the_first_alone_fills_the_table() {
    let mut client = settled(b"hello", 8, &[]);
    client.start(3);
    let said = client.said();
    let outline: Vec<_> = said.iter().map(|frame| (frame.kind, frame.flags, frame.stream)).collect();
    let expected = [1, 3, 5].map(|id| [(HEADERS, END_HEADERS, id), (DATA, END_STREAM, id)]).concat();
    assert_eq!(outline, expected);
    assert_eq!(said[1].payload, b"hello");
    assert!(said[0].payload.windows(6).any(|part| part == b"x-run\x01"));
    assert!(!said[0].payload.windows(10).any(|part| part == b"connection"));
    assert_eq!(said[2].payload.len(), 6, "every field by its index");
    assert_eq!(said[2].payload, said[4].payload);
}

#[test]
fn every_split_of_every_kind_of_answer_ends_the_same() {
    let answers = [
        settings(&[(1, 4_096), (3, 100)]),
        frame(SETTINGS, ACK, 0, &[]),
        headers(1, 0, b"\x08\x03103"),
        frame(HEADERS, PADDED | WITH_PRIORITY, 1, b"\x02\x00\x00\x00\x00\x10\x48\x00\x00"),
        frame(CONTINUATION, 0, 1, b"\x03"),
        frame(CONTINUATION, END_HEADERS, 1, b"404\x0f\x0d\x013"),
        frame(PRIORITY, 0, 3, &[0; 5]),
        frame(PING, 0, 0, b"12345678"),
        headers(3, END_STREAM, &[0xbe]),
        frame(DATA, PADDED, 1, b"\x01ab\x00"),
        frame(0xfe, 0xff, 9, b"an extension"),
        frame(DATA, 0, 1, b""),
        headers(5, 0, OK_BLOCK),
        frame(DATA, END_STREAM, 1, b"c"),
        frame(DATA, 0, 5, b"body"),
        headers(5, END_STREAM, b"\x00\x01a\x01b"),
        reset(7),
    ]
    .concat();
    let outcome = |parts: &[&[u8]]| {
        let mut client = settled(b"", 8, &[]);
        client.start(4);
        client.out.clear();
        for part in parts {
            client.feed(part);
        }
        assert!(client.session.quiet());
        (client.endings(), client.said())
    };
    let whole = outcome(&[&answers]);
    let not_found = failed(ErrorKind::HttpClass(4));
    assert_eq!(whole.0, [(0, not_found), (1, not_found), (2, OK), (3, failed(ErrorKind::Reset))]);
    let ids: Vec<_> = whole.1.iter().map(|frame| (frame.kind, frame.flags)).collect();
    assert!(ids.contains(&(PING, ACK)) && ids.contains(&(SETTINGS, ACK)));
    for at in 0..answers.len() {
        let split = outcome(&[&answers[..at], &answers[at..]]);
        assert_eq!(split.0, whole.0, "split at {at}");
    }
    assert_eq!(outcome(&answers.chunks(1).collect::<Vec<_>>()).0, whole.0);
}

#[test]
fn statuses_and_malformed_answers_end_their_own_call_only() {
    let check = |answer: &[Vec<u8>], expected| {
        let mut client = settled(b"", 8, &[]);
        client.start(2);
        client.feed(&answer.concat());
        assert_eq!(client.endings(), [(0, expected)], "{answer:x?}");
        client.feed(&headers(3, END_STREAM, OK_BLOCK));
        assert_eq!((client.endings(), client.session.free()), (vec![(1, OK)], 8), "{answer:x?}");
    };
    let end = |block: &[u8]| vec![headers(1, END_STREAM, block)];
    let protocol = failed(ErrorKind::Protocol);
    check(&end(b"\x89"), OK);
    check(&end(b"\x08\x03302"), failed(ErrorKind::HttpClass(3)));
    check(&end(b"\x8d"), failed(ErrorKind::HttpClass(4)));
    check(&end(b"\x8e"), failed(ErrorKind::HttpClass(5)));
    check(&end(b"\x08\x03100"), protocol);
    check(&end(b"\x00\x01a\x01b"), protocol);
    check(&end(b"\x88\x0f\x0d\x011"), protocol);
    check(&[headers(1, 0, OK_BLOCK), headers(1, END_STREAM, OK_BLOCK)], protocol);
    check(&[frame(DATA, END_STREAM, 1, b"no head")], protocol);
    let long = [headers(1, 0, b"\x88\x0f\x0d\x011"), frame(DATA, 0, 1, b"ab"), frame(DATA, END_STREAM, 1, b"")];
    check(&long, protocol);
    check(&[headers(1, 0, b"\x88\x0f\x0d\x011"), frame(DATA, END_STREAM, 1, b"a")], OK);
}

#[test]
fn a_malformed_answer_keeps_its_slot_until_its_stream_ends() {
    let mut client = settled(b"", 1, &[]);
    client.start(1);
    client.feed(&headers(1, 0, b"\x00\x01a\x01b"));
    assert_eq!(client.endings(), [(0, failed(ErrorKind::Protocol))]);
    assert_eq!((client.session.free(), client.session.quiet()), (0, true));
    client.feed(&frame(DATA, END_STREAM, 1, b"late"));
    assert_eq!((client.session.free(), client.endings()), (1, vec![]));
}

#[test]
fn every_breach_breaks_the_connection_and_ends_every_call_once() {
    let check = |name: &str, bytes: &[Vec<u8>], code: u32| {
        let mut client = settled(b"", 8, &[]);
        client.start(3);
        client.feed(&headers(3, END_STREAM, OK_BLOCK));
        client.out.clear();
        let broken = client.session.receive(&bytes.concat(), &mut client.out, &mut client.ended);
        assert!(broken.is_err(), "{name}");
        let protocol = failed(ErrorKind::Protocol);
        assert_eq!(client.endings(), [(0, protocol), (1, OK), (2, protocol)], "{name}");
        assert!(client.session.quiet(), "{name}");
        let said = client.said();
        let goaway = said.last().unwrap();
        assert_eq!((goaway.kind, &goaway.payload[4..]), (GOAWAY, &code.to_be_bytes()[..]), "{name}");
    };
    let (protocol, flow, closed, size, compression, calm) = (1, 3, 5, 6, 9, 11);
    check("too long", &[[0, 0x40, 1, DATA, 0, 0, 0, 0, 1].to_vec()], size);
    check("HTTP/1", &[b"HTTP/1.1 400 Bad Request\r\n".to_vec()], protocol);
    check("data on the connection", &[frame(DATA, 0, 0, b"")], protocol);
    check("data on a server's stream", &[frame(DATA, 0, 2, b"")], protocol);
    check("data on an idle stream", &[frame(DATA, 0, 7, b"")], protocol);
    check("data on an ended stream", &[frame(DATA, 0, 3, b"")], closed);
    check("headers on an ended stream", &[headers(3, 0, OK_BLOCK)], closed);
    check("headers on an idle stream", &[headers(9, 0, OK_BLOCK)], protocol);
    check("headers on the connection", &[headers(0, 0, OK_BLOCK)], protocol);
    check("padding beyond the frame", &[frame(DATA, PADDED, 1, b"\x02a")], protocol);
    check("no room for padding", &[frame(DATA, PADDED, 1, b"")], size);
    check("no room for priority", &[headers(1, WITH_PRIORITY, b"1234")], size);
    check("priority of a wrong length", &[frame(PRIORITY, 0, 1, b"1234")], size);
    check("reset of a wrong length", &[frame(RST_STREAM, 0, 1, b"123")], size);
    check("reset of the connection", &[reset(0)], protocol);
    check("reset of an idle stream", &[reset(7)], protocol);
    check("settings on a stream", &[frame(SETTINGS, 0, 1, &[])], protocol);
    check("settings of a wrong length", &[frame(SETTINGS, 0, 0, b"12345")], size);
    check("an acknowledgement with contents", &[frame(SETTINGS, ACK, 0, b"123456")], size);
    check("an initial window too large", &[settings(&[(4, 1 << 31)])], flow);
    check("a frame size too small", &[settings(&[(5, 16_383)])], protocol);
    check("push enabled", &[settings(&[(2, 1)])], protocol);
    check("push promise", &[frame(PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\x02\x88")], protocol);
    check("ping on a stream", &[frame(PING, 0, 1, &[0; 8])], protocol);
    check("ping of a wrong length", &[frame(PING, 0, 0, &[0; 7])], size);
    check("goaway on a stream", &[frame(GOAWAY, 0, 1, &[0; 8])], protocol);
    check("goaway of a wrong length", &[frame(GOAWAY, 0, 0, &[0xff; 7])], size);
    check("goaway taken back", &[goaway(5, 0), goaway(7, 0)], protocol);
    check("window update of nothing", &[window_update(0, 0)], protocol);
    check("window update of nothing on a stream", &[window_update(1, 0)], protocol);
    check("window update of an idle stream", &[window_update(7, 1)], protocol);
    check("window update of a wrong length", &[frame(WINDOW_UPDATE, 0, 0, &[0; 3])], size);
    check("the connection's window too large", &[window_update(0, MAX_31)], flow);
    check("a stream's window too large", &[window_update(1, MAX_31)], flow);
    check("all streams' windows too large", &[window_update(1, MAX_31 - 65_535), settings(&[(4, 65_536)])], flow);
    check("continuation of nothing", &[frame(CONTINUATION, END_HEADERS, 1, OK_BLOCK)], protocol);
    check("an interrupted block", &[frame(HEADERS, 0, 1, b""), frame(PING, 0, 0, &[0; 8])], protocol);
    check("an interrupted block by an extension", &[frame(HEADERS, 0, 1, b""), frame(0xee, 0, 1, b"")], protocol);
    let other = [frame(HEADERS, 0, 1, b""), frame(CONTINUATION, END_HEADERS, 5, OK_BLOCK)];
    check("continuation of another stream", &other, protocol);
    check("a bad index", &[headers(1, 0, &[0xff, 0x7f])], compression);
    check("a bad Huffman string", &[headers(1, 0, b"\x08\x81\x00")], compression);
    check("a table too large", &[headers(1, 0, &[0x3f, 0xe2, 0x1f])], compression);
    let endless = vec![frame(CONTINUATION, 0, 1, &[]); 8_000].concat();
    check("empty continuations without end", &[frame(HEADERS, 0, 1, b""), endless], calm);
    let long = frame(CONTINUATION, 0, 1, &vec![b'x'; 16_384]).repeat(5);
    check("a header block too long", &[frame(HEADERS, 0, 1, b""), long], calm);
    check("pings without end", &[frame(PING, 0, 0, &[0; 8]).repeat(10_001)], calm);
    check("settings without end", &[settings(&[]).repeat(10_001)], calm);
}

#[test]
fn the_first_frame_is_settings() {
    for first in [frame(PING, 0, 0, &[0; 8]), frame(SETTINGS, ACK, 0, &[]), headers(1, 0, OK_BLOCK), goaway(0, 0)] {
        let mut client = greeted(b"", 8);
        client.start(1);
        let broken = client.session.receive(&first, &mut client.out, &mut client.ended);
        assert!(broken.is_err(), "{first:x?}");
        assert_eq!(client.endings(), [(0, failed(ErrorKind::Protocol))]);
    }
}

#[test]
fn goaway_ends_the_calls_above_its_last_stream_and_lets_the_others_finish() {
    let mut client = settled(b"", 8, &[(3, 3)]);
    client.start(3);
    client.feed(&goaway(MAX_31, 0));
    assert_eq!((client.session.usable(), client.session.free()), (false, 0));
    assert_eq!(client.endings(), []);
    client.feed(&goaway(3, 0));
    assert_eq!(client.endings(), [(2, failed(ErrorKind::Connection))]);
    client.feed(&[reset(5), headers(1, END_STREAM, OK_BLOCK), headers(3, END_STREAM, OK_BLOCK)].concat());
    assert_eq!(client.endings(), [(0, OK), (1, OK)]);
    assert!(client.session.quiet());
}

#[test]
fn goaway_ends_calls_that_have_no_stream_yet() {
    let mut client = greeted(b"", 8);
    client.start(3);
    client.feed(&[settings(&[(3, 1)]), goaway(1, 0)].concat());
    let gone = failed(ErrorKind::Connection);
    assert_eq!(client.endings(), [(0, gone), (1, gone), (2, gone)]);
    assert!(client.session.quiet());
}

#[test]
fn a_closed_connection_ends_every_call_wherever_it_was() {
    for (was_reset, kind) in [(false, ErrorKind::Connection), (true, ErrorKind::Reset)] {
        let mut client = greeted(&[b'x'; 100], 8);
        client.start(3);
        client.feed(&settings(&[(3, 2), (4, 50)]));
        client.session.peer_closed(was_reset, &mut client.ended);
        assert_eq!(client.endings(), [(0, failed(kind)), (1, failed(kind)), (2, failed(kind))]);
        assert!(client.session.quiet());
    }
}

/// Lengths of the DATA frames that were said, by stream, `true` with the stream's end.
fn data_said(client: &mut Client<Http2Session>) -> Vec<(u32, usize, bool)> {
    let said = client.said().into_iter().filter(|frame| frame.kind == DATA);
    said.map(|frame| (frame.stream, frame.payload.len(), frame.flags & END_STREAM != 0)).collect()
}

#[test]
fn a_body_goes_as_far_as_its_windows_let_it() {
    let mut client = settled(&vec![b'x'; 40_000], 8, &[]);
    client.start(2);
    let expected = [(1, 16_384, false), (1, 16_384, false), (1, 7_232, true), (3, 16_384, false), (3, 9_151, false)];
    assert_eq!(data_said(&mut client), expected, "the connection's window of 65,535 is used up");
    client.feed(&window_update(3, 1_000));
    assert_eq!(data_said(&mut client), []);
    client.feed(&window_update(0, 1));
    assert_eq!(data_said(&mut client), [(3, 1, false)]);
    client.feed(&window_update(0, 1 << 20));
    assert_eq!(data_said(&mut client), [(3, 14_464, true)]);
}

#[test]
fn a_change_of_the_initial_window_reaches_streams_in_flight() {
    let mut client = settled(&[b'x'; 100], 8, &[(4, 60)]);
    client.start(1);
    assert_eq!(data_said(&mut client), [(1, 60, false)]);
    client.feed(&settings(&[(4, 20)]));
    client.feed(&window_update(1, 40));
    assert_eq!(data_said(&mut client), [], "the window is 60 − 60 − 40 + 40");
    client.feed(&settings(&[(4, 30)]));
    assert_eq!(data_said(&mut client), [(1, 10, false)]);
    client.feed(&settings(&[(4, 100)]));
    assert_eq!(data_said(&mut client), [(1, 30, true)]);
    client.start(1);
    assert_eq!(data_said(&mut client), [(3, 100, true)]);
}

#[test]
fn blocked_streams_that_have_ended_are_passed_over() {
    let mut client = settled(&[b'x'; 100], 8, &[(4, 60)]);
    client.start(3);
    client.out.clear();
    client.feed(&[reset(1), headers(3, END_STREAM, OK_BLOCK)].concat());
    assert_eq!(client.endings(), [(0, failed(ErrorKind::Reset)), (1, OK)]);
    let cancel = client.said();
    assert_eq!((cancel[0].kind, cancel[0].stream, &cancel[0].payload[..]), (RST_STREAM, 3, &[0, 0, 0, 8][..]));
    client.feed(&[window_update(1, 50), window_update(3, 50), window_update(5, 50)].concat());
    assert_eq!(data_said(&mut client), [(5, 40, true)]);
}

#[test]
fn a_stream_whose_window_is_shut_does_not_hold_up_the_others() {
    let mut client = settled(&[b'x'; 100], 8, &[(4, 60)]);
    client.start(3);
    client.out.clear();
    client.feed(&window_update(5, 50));
    assert_eq!(data_said(&mut client), [(5, 40, true)]);
    client.feed(&[window_update(3, 50), window_update(1, 50)].concat());
    assert_eq!(data_said(&mut client), [(1, 40, true), (3, 40, true)]);
}

#[test]
fn room_is_given_back_in_batches() {
    let windows = Windows { stream: 100_000, connection: 200_000 };
    let mut client = Client::settled(Http2Session::new(&Blueprint { windows, ..http(b"", 8) }), &[]);
    client.start(1);
    client.out.clear();
    client.feed(&headers(1, 0, OK_BLOCK));
    let chunk = frame(DATA, 0, 1, &[0; 10_000]);
    let mut updates = Vec::new();
    for _ in 0..100 {
        client.feed(&chunk);
        let said = client.said();
        updates.extend(said.iter().map(|f| (f.kind, f.stream, u32::from_be_bytes(*f.payload.first_chunk().unwrap()))));
    }
    let given = |stream| updates.iter().filter(|u| u.1 == stream).map(|u| u.2).sum::<u32>();
    assert!(updates.iter().all(|update| update.0 == WINDOW_UPDATE));
    assert_eq!((given(0), given(1)), (1_000_000, 1_000_000));
    assert_eq!(updates.len(), 10 + 20);
    client.feed(&frame(DATA, END_STREAM, 1, &[0; 10_000]));
    assert_eq!(client.endings(), [(0, OK)]);
}

#[test]
fn padding_counts_against_the_window() {
    let windows = Windows { stream: 65_535, connection: 65_535 };
    let mut client = Client::settled(Http2Session::new(&Blueprint { windows, ..http(b"", 8) }), &[]);
    client.start(1);
    client.out.clear();
    client.feed(&headers(1, 0, OK_BLOCK));
    let padded = [&[255][..], &[0; 255]].concat();
    client.feed(&frame(DATA, PADDED, 1, &padded).repeat(128));
    assert_eq!(client.outline(), [(WINDOW_UPDATE, 0), (WINDOW_UPDATE, 1)]);
}

#[test]
fn a_shrunken_header_table_is_followed() {
    let mut client = settled(b"", 8, &[]);
    client.start(2);
    let said = client.said();
    assert!(said[1].payload.len() < said[0].payload.len());
    client.feed(&settings(&[(1, 0), (1, 4_096)]));
    client.start(2);
    let said = client.said();
    assert_eq!(said[1].payload[0], 0x20, "the table is emptied first");
    assert_eq!(said[2].payload, said[1].payload[1..], "and not used again");
    assert!(said[2].payload.windows(6).any(|part| part == b"x-run\x01"));
}

#[test]
fn a_header_block_over_one_frame_goes_on_in_continuations() {
    let mut blueprint = http(b"", 8);
    let mut request = request(b"");
    request.headers.push(("x-long".to_owned(), "v".repeat(40_000)));
    blueprint.template = std::sync::Arc::new(soak_driver::protocol::http2::RequestTemplate::http(&request, "a:1"));
    let mut client = Client::settled(Http2Session::new(&blueprint), &[]);
    client.start(2);
    let said = client.said();
    let outline: Vec<_> = said.iter().map(|frame| (frame.kind, frame.flags, frame.stream)).collect();
    let one = |id| [(HEADERS, END_STREAM, id), (CONTINUATION, 0, id), (CONTINUATION, END_HEADERS, id)];
    assert_eq!(outline, [one(1), one(3)].concat());
}
