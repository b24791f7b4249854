//! Unary gRPC against a scripted peer: what the request is, and every way in which an answer is judged.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod http2_peer;

use http2_peer::*;
use soak_driver::protocol::{Ending, grpc_unary::GrpcUnarySession};
use soak_sample::ErrorKind;

fn settled(body: &[u8]) -> Client<GrpcUnarySession> {
    Client::settled(GrpcUnarySession::new(&grpc(body, 8)), &[])
}

#[test]
fn a_call_is_post_with_trailers_wanted_and_one_framed_message() {
    let mut client = settled(b"abc");
    client.start(1);
    let said = client.said();
    assert_eq!((said[0].kind, said[0].flags, said[1].kind, said[1].flags), (HEADERS, END_HEADERS, DATA, END_STREAM));
    assert_eq!(said[1].payload, message(b"abc"));
    let block = &said[0].payload;
    let holds = |part: &[u8]| block.windows(part.len()).any(|window| window == part);
    assert!(block.starts_with(&[0x83, 0x86]), ":method POST, :scheme http");
    assert!(holds(b"\x02te\x08trailers") && holds(b"\x10application/grpc") && holds(b"\x11/soak.v1.Echo/Say"));
    assert!(!holds(b"content-length"));
}

#[test]
fn a_content_type_of_grpc_is_kept_and_another_replaced() {
    let check = |given: &str, sent: &[u8]| {
        let request = soak_sample::Request { content_type: Some(given.to_owned()), ..request(b"") };
        let template = std::sync::Arc::new(soak_driver::protocol::http2::RequestTemplate::grpc(&request, "a:1"));
        let blueprint = soak_driver::protocol::http2::Blueprint { template, ..grpc(b"", 8) };
        let mut client = Client::settled(GrpcUnarySession::new(&blueprint), &[]);
        client.start(1);
        assert!(client.said()[0].payload.windows(sent.len()).any(|part| part == sent), "{given}");
    };
    check("application/grpc+proto", b"\x16application/grpc+proto");
    check("application/x-protobuf", b"\x10application/grpc");
}

#[test]
fn an_answer_is_judged_by_status_message_and_trailers() {
    let check = |name: &str, answer: &[Vec<u8>], expected| {
        let mut client = settled(b"abc");
        client.start(1);
        client.feed(&answer.concat());
        assert_eq!(client.endings(), [(0, expected)], "{name}");
    };
    let grpc = |code| failed(ErrorKind::GrpcStatus(code));
    let http = |class| failed(ErrorKind::HttpClass(class));
    let protocol = failed(ErrorKind::Protocol);
    let head = || headers(1, 0, OK_BLOCK);
    let data = |bytes: &[u8]| frame(DATA, 0, 1, bytes);
    let trailers = |block: &[u8]| headers(1, END_STREAM, block);
    let answer = |body: &[u8], block: &[u8]| [head(), data(body), trailers(block)];

    check("well", &answer(&message(b"xyz"), GRPC_OK), Ending::Ok);
    check("an empty message", &answer(&message(b""), GRPC_OK), Ending::Ok);
    let parts = [head(), data(b"\0\0\0"), data(b"\0\x02a"), data(b"b"), trailers(GRPC_OK)];
    check("in parts", &parts, Ending::Ok);
    check("a status in trailers", &answer(b"", b"\x00\x0bgrpc-status\x0214"), grpc(14));
    check("a status after a message", &answer(&message(b"x"), b"\x00\x0bgrpc-status\x0213"), grpc(13));
    check("trailers only", &[trailers(b"\x88\x00\x0bgrpc-status\x017")], grpc(7));
    check("trailers only, status 0, no message", &[trailers(&[OK_BLOCK, GRPC_OK].concat())], protocol);
    check("no message", &answer(b"", GRPC_OK), protocol);
    check("two messages", &answer(&[message(b"x"), message(b"y")].concat(), GRPC_OK), protocol);
    check("half a message", &answer(&message(b"xyz")[..7], GRPC_OK), protocol);
    check("a compressed message", &answer(b"\x01\0\0\0\x01a", GRPC_OK), protocol);
    check("no status", &answer(&message(b"x"), b"\x00\x01a\x01b"), protocol);
    check("no trailers", &[head(), frame(DATA, END_STREAM, 1, &message(b"x"))], protocol);
    check("an illegible status", &answer(&message(b"x"), b"\x00\x0bgrpc-status\x02no"), protocol);
    check("a status twice", &answer(&message(b"x"), &[GRPC_OK, GRPC_OK].concat()), protocol);
    check("not found", &[trailers(b"\x8d")], http(4));
    check("an error page", &[headers(1, 0, b"\x8e"), frame(DATA, END_STREAM, 1, b"\x3chtml\x3e")], http(5));
    check("not 200, though grpc-status 0", &[trailers(&[b"\x89", GRPC_OK].concat())], http(2));
    check("reset", &[head(), reset(1)], failed(ErrorKind::Reset));
}
