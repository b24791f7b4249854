//! JSON echo over real sockets, over HTTP/1.1 and HTTP/2.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Method, Request, StatusCode, client::conn::http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use soak_arms::{Codec, Executor, Preset, Settings};
use support::{PRESETS, arm, call, connect, json, runtime};

fn every_way_to_work() -> impl Iterator<Item = Settings> {
    let ways =
        [(Codec::Compiled, Executor::Direct), (Codec::Dynamic, Executor::Direct), (Codec::Compiled, Executor::Threads)];
    ways.into_iter().map(|(codec, executor)| Settings { codec, executor, ..Settings::default() })
}

#[test]
fn each_body_comes_back_over_http1_on_a_connection_that_stays_open() {
    for settings in every_way_to_work() {
        let mut socket = connect(arm(Preset::Rest, settings).port);
        for body in PRESETS.map(json) {
            let answer = call(&mut socket, "POST", "/any/path?at=all", &body);
            assert_eq!((answer.status, answer.body), (200, body));
            assert!(answer.head.contains("content-type: application/json\r\n"), "{}", answer.head);
        }
    }
}

#[test]
fn each_body_comes_back_over_http2_on_the_same_port() {
    for settings in every_way_to_work() {
        let ready = arm(Preset::Rest, settings);
        assert_eq!(ready.protocols, ["Http1", "Http2"]);
        runtime().block_on(async {
            let socket = tokio::net::TcpStream::connect(("127.0.0.1", ready.port)).await.unwrap();
            let (mut calls, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(socket)).await.unwrap();
            tokio::spawn(connection);
            for body in PRESETS.map(json) {
                let request = Request::builder()
                    .method(Method::POST)
                    .uri("http://arm/any")
                    .body(Full::new(Bytes::from(body.clone())));
                let response = calls.send_request(request.unwrap()).await.unwrap();
                assert_eq!(response.status(), StatusCode::OK);
                assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), body);
            }
        });
    }
}

#[test]
fn a_body_that_does_not_parse_is_refused_in_words_and_the_connection_goes_on() {
    let mut socket = connect(arm(Preset::Rest, Settings::default()).port);
    let refused = call(&mut socket, "POST", "/", br#"{"name":"#);
    assert_eq!(refused.status, 400);
    assert!(refused.text().starts_with("the body is not JSON: EOF"), "{}", refused.text());
    assert_eq!(call(&mut socket, "POST", "/", b"").status, 400);
    assert_eq!(call(&mut socket, "POST", "/", b"1").status, 200);
}

#[test]
fn a_body_over_the_limit_is_refused_and_one_at_the_limit_is_not() {
    let ready = arm(Preset::Rest, Settings::default());
    let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2)).into_bytes();
    assert_eq!(call(&mut connect(ready.port), "POST", "/", &text(4 << 20)).status, 200);
    let mut socket = connect(ready.port);
    support::send(&mut socket, "POST", "/", b"");
    assert_eq!(support::receive(&mut socket).status, 400);
    std::io::Write::write_all(&mut socket, b"POST / HTTP/1.1\r\nhost: arm\r\ncontent-length: 4194305\r\n\r\n").unwrap();
    let refused = support::receive(&mut socket);
    assert_eq!((refused.status, refused.text().as_str()), (413, "the body has more than 4194304 bytes\n"));
}

#[test]
fn a_chunked_body_is_held_to_the_limit_too() {
    let mut socket = connect(arm(Preset::Rest, Settings::default()).port);
    let chunk = "x".repeat((4 << 20) + 1);
    let head = format!("POST / HTTP/1.1\r\nhost: arm\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n", chunk.len());
    std::io::Write::write_all(&mut socket, head.as_bytes()).unwrap();
    // The server may answer and hang up before it has read everything.
    let _ = std::io::Write::write_all(&mut socket, format!("{chunk}\r\n0\r\n\r\n").as_bytes());
    assert_eq!(support::receive(&mut socket).status, 413);
}

#[test]
fn health_is_told_and_other_methods_and_paths_are_refused() {
    let mut socket = connect(arm(Preset::Rest, Settings::default()).port);
    for (method, path, status) in
        [("GET", "/healthz", 200), ("GET", "/", 404), ("DELETE", "/", 405), ("PUT", "/", 200), ("PATCH", "/", 200)]
    {
        let body: &[u8] = if method.starts_with('P') { b"{}" } else { b"" };
        assert_eq!(call(&mut socket, method, path, body).status, status, "{method} {path}");
    }
}
