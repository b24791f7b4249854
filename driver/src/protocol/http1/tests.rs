use std::sync::Arc;

use proptest::prelude::*;
use soak_sample::ErrorKind;

use super::{Bodies, Http1};
use crate::protocol::{CallId, Ended, Ending, Session};

const CALL: CallId = CallId(7);

/// How a call ends when the peer sends these pieces and then closes.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    endings: Vec<Ending>,
    broken: bool,
    usable: bool,
}

fn converse(bodies: Bodies, pieces: &[&[u8]]) -> Outcome {
    let mut session = Http1::new(Arc::from(&b"GET / HTTP/1.1\r\n\r\n"[..]), bodies);
    let (mut out, mut ended) = (Vec::new(), Vec::new());
    session.start(CALL, &mut out);
    let broken = pieces.iter().any(|piece| session.receive(piece, &mut out, &mut ended).is_err());
    let usable = session.usable() && session.quiet();
    session.peer_closed(false, &mut ended);
    assert!(session.quiet());
    assert!(ended.iter().all(|Ended { call, .. }| *call == CALL));
    Outcome { endings: ended.iter().map(|ended| ended.ending).collect(), broken, usable }
}

fn check(answer: &str, ending: Ending, usable: bool) {
    let expected = Outcome { endings: vec![ending], broken: false, usable };
    assert_eq!(converse(Bodies::AsFramed, &[answer.as_bytes()]), expected, "{answer:?}");
}

const HTTP5XX: Ending = Ending::Failed(ErrorKind::HttpClass(5));

#[test]
fn answers_end_where_their_framing_says() {
    check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", Ending::Ok, true);
    check("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Ending::Ok, true);
    check("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok", Ending::Ok, true);
    check("HTTP/1.1 204 No Content\r\n\r\n", Ending::Ok, true);
    check("HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n", Ending::Failed(ErrorKind::HttpClass(3)), true);
    check("HTTP/1.1 503 No\r\ncontent-length: 1\r\n\r\nx", HTTP5XX, true);
    check("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx", Ending::Ok, false);
    check("HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx", Ending::Ok, false);
    check("HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 1\r\n\r\nx", Ending::Ok, true);
    check("HTTP/1.1 200 OK\n\n", Ending::Ok, false);
}

#[test]
fn a_body_that_ends_with_the_connection_ends_well() {
    check("HTTP/1.1 200 OK\r\n\r\nwhatever", Ending::Ok, false);
    check("HTTP/1.1 500 No\r\n\r\n", HTTP5XX, false);
    check("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nwhatever", Ending::Ok, false);
}

#[test]
fn chunked_bodies_are_counted_off_with_extensions_and_trailers() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n";
    for body in [
        "0\r\n\r\n",
        "5\r\nhello\r\n0\r\n\r\n",
        "5;a=b\r\nhello\r\n00\r\n\r\n",
        "A \r\n0123456789\r\n1\r\nx\r\n0\r\nExpires: never\r\nX: y\r\n\r\n",
    ] {
        check(&format!("{head}{body}"), Ending::Ok, true);
    }
}

#[test]
fn interim_answers_are_passed_over() {
    check("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nlink: x\r\n\r\nHTTP/1.1 204 N\r\n\r\n", Ending::Ok, true);
    check("HTTP/1.1 101 Switching Protocols\r\n\r\n", Ending::Failed(ErrorKind::HttpClass(1)), false);
}

#[test]
fn an_answer_to_head_has_no_body() {
    let outcome = converse(Bodies::Never, &[b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n"]);
    assert_eq!(outcome, Outcome { endings: vec![Ending::Ok], broken: false, usable: true });
}

#[test]
fn what_is_cut_off_is_a_lost_connection() {
    for answer in [
        "",
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ] {
        check(answer, Ending::Failed(ErrorKind::Connection), false);
    }
}

#[test]
fn a_reset_is_told_from_a_close() {
    let mut session = Http1::new(Arc::from(&b"x"[..]), Bodies::AsFramed);
    let mut ended = Vec::new();
    session.start(CALL, &mut Vec::new());
    session.receive(b"HTTP/1.1 200 OK\r\n\r\nhalf", &mut Vec::new(), &mut ended).unwrap();
    session.peer_closed(true, &mut ended);
    assert_eq!(ended, [Ended { call: CALL, ending: Ending::Failed(ErrorKind::Reset) }]);
}

#[test]
fn what_breaks_the_protocol_ends_the_call_once() {
    let long = format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(70_000));
    let interim = "HTTP/1.1 100 Continue\r\n\r\n".repeat(20_000);
    let chunk = |rest: &str| format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{rest}");
    for answer in [
        "SSH-2.0-OpenSSH_9.9\r\n\r\n".to_owned(),
        "\r\n\r\n".to_owned(),
        "HTTP/1.1 2x0 OK\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n".to_owned(),
        chunk("\r\n"),
        chunk("g\r\n"),
        chunk("5\r\nhelloX"),
        chunk("5\nhello"),
        chunk("fffffffff\r\n"),
        chunk(&format!("5;{}\r\n", "e".repeat(5000))),
        chunk(&format!("0\r\n{}", "t".repeat(70_000))),
        long,
        interim,
    ] {
        let outcome = converse(Bodies::AsFramed, &[answer.as_bytes()]);
        let expected = Outcome { endings: vec![Ending::Failed(ErrorKind::Protocol)], broken: true, usable: false };
        assert_eq!(outcome, expected, "{:?}", &answer[..answer.len().min(60)]);
    }
}

#[test]
fn bytes_after_an_answer_break_the_connection_and_not_the_call() {
    let outcome = converse(Bodies::AsFramed, &[b"HTTP/1.1 204 N\r\n\r\nHTTP/1.1 204 N\r\n\r\n"]);
    assert_eq!(outcome, Outcome { endings: vec![Ending::Ok], broken: true, usable: false });
}

#[test]
fn a_connection_serves_one_call_after_the_other() {
    let mut session = Http1::new(Arc::from(&b"GET"[..]), Bodies::AsFramed);
    let answers = [
        "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\nabcabcabcabcabcabcabcabcabcabc",
        "HTTP/1.1 500 OK\r\ncontent-length: 3\r\n\r\nabc",
    ];
    let mut ended = Vec::new();
    for (turn, answer) in answers.iter().enumerate() {
        assert_eq!(session.free(), 1);
        let mut out = Vec::new();
        session.start(CALL, &mut out);
        assert_eq!((out.as_slice(), session.free()), (&b"GET"[..], 0));
        session.receive(answer.as_bytes(), &mut out, &mut ended).unwrap();
        assert_eq!(ended.len(), turn + 1);
    }
    let endings: Vec<Ending> = ended.iter().map(|ended| ended.ending).collect();
    assert_eq!(endings, [Ending::Ok, Ending::Ok, Ending::Ok, HTTP5XX]);
}

/// Answers of every kind, right and wrong.
fn answers() -> impl Strategy<Value = Vec<u8>> {
    let status = prop_oneof![Just(200_u16), Just(204), Just(404), Just(503), Just(100), Just(304)];
    let framing = prop_oneof![
        (0_usize..40).prop_map(|n| format!("content-length: {n}\r\n\r\n{}", "b".repeat(n))),
        proptest::collection::vec(1_usize..40, 0..4).prop_map(|sizes| {
            let chunks: Vec<String> = sizes.iter().map(|n| format!("{n:x}\r\n{}\r\n", "c".repeat(*n))).collect();
            let chunks = chunks.concat();
            format!("transfer-encoding: chunked\r\n\r\n{chunks}0\r\nt: u\r\n\r\n")
        }),
        Just("\r\nuntil the end".to_owned()),
        "[ -~\r\n]{0,60}",
    ];
    let answer = (status, framing).prop_map(|(status, rest)| format!("HTTP/1.1 {status} R\r\n{rest}").into_bytes());
    prop_oneof![8 => answer, 1 => proptest::collection::vec(any::<u8>(), 0..80)]
}

proptest! {
    #[test]
    fn an_answer_in_single_bytes_or_two_pieces_ends_as_in_one(answer in answers(), cut in any::<proptest::sample::Index>()) {
        let whole = converse(Bodies::AsFramed, &[&answer]);
        let single: Vec<&[u8]> = answer.chunks(1).collect();
        prop_assert_eq!(&converse(Bodies::AsFramed, &single), &whole);
        let cut = cut.index(answer.len() + 1);
        prop_assert_eq!(&converse(Bodies::AsFramed, &[&answer[..cut], &answer[cut..]]), &whole);
        prop_assert_eq!(whole.endings.len(), 1);
    }
}
