//! The sessions against a server of another make: its header encoder, its flow control, its limits, its farewell.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod http2_peer;

use std::{collections::BTreeMap, future::Future, time::Duration};

use bytes::Bytes;
use h2::{RecvStream, server, server::SendResponse};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http2_peer::{grpc, http, message};
use proptest::prelude::*;
use soak_driver::protocol::{
    CallId, Ended, Ending, Session, grpc_stream::GrpcStreamSession, grpc_unary::GrpcUnarySession, http2::Http2Session,
};
use soak_sample::{ErrorKind, StreamCounts};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

type Connection = server::Connection<DuplexStream, Bytes>;
/// Name and value.
type Field = (String, Vec<u8>);
type Call = (Request<RecvStream>, SendResponse<Bytes>);

/// Drives `session` through `calls` calls, as many at once as it has slots for; how each ended, and the session.
async fn drive<S: Session>(mut session: S, socket: DuplexStream, calls: u32) -> (BTreeMap<u32, Ending>, S) {
    let (mut out, mut ended, mut started) = (Vec::new(), Vec::<Ended>::new(), 0);
    let (mut endings, mut buffer, mut finished) = (BTreeMap::new(), vec![0; 7_001], false);
    let (mut from, mut to) = tokio::io::split(socket);
    session.open(&mut out);
    loop {
        while started < calls && session.free() > 0 {
            session.start(CallId(started), &mut out);
            started += 1;
        }
        endings.extend(ended.drain(..).map(|ended| (ended.call.0, ended.ending)));
        if endings.len() == calls as usize && !std::mem::replace(&mut finished, true) {
            session.finish(&mut out);
        }
        if finished && session.quiet() || !session.usable() && session.quiet() {
            return (endings, session);
        }
        let to_write = !out.is_empty();
        tokio::select! {
            written = to.write(&out), if to_write => drop(out.drain(..written.unwrap())),
            read = from.read(&mut buffer) => match read.unwrap() {
                0 => session.peer_closed(false, &mut ended),
                len => session.receive(&buffer[..len], &mut out, &mut ended).unwrap(),
            },
        }
    }
}

/// Runs client and server against each other until the client is done.
fn meet<T>(client: impl Future<Output = T>, server: impl Future<Output = ()>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let both = async {
            tokio::pin!(client);
            tokio::select! {
                result = &mut client => result,
                () = server => client.await,
            }
        };
        tokio::time::timeout(Duration::from_secs(60), both).await.expect("the two never finish")
    })
}

/// Serves calls one by one, in their order, until the client is gone.
async fn serve<F: Future<Output = ()>>(mut connection: Connection, mut each: impl FnMut(usize, Call) -> F) {
    let (mut number, mut open) = (0, futures());
    loop {
        tokio::select! {
            biased;
            Some(()) = open.next() => {}
            call = connection.accept() => {
                let Some(Ok(call)) = call else { return };
                open.push(each(number, call));
                number += 1;
            }
        }
    }
}

/// What is being served, polled together.
struct Futures<F>(Vec<std::pin::Pin<Box<F>>>);

fn futures<F>() -> Futures<F> {
    Futures(Vec::new())
}

impl<F: Future<Output = ()>> Futures<F> {
    fn push(&mut self, future: F) {
        self.0.push(Box::pin(future));
    }

    /// Waits until one is ready; at once `None` where there is none.
    async fn next(&mut self) -> Option<()> {
        if self.0.is_empty() {
            return None;
        }
        std::future::poll_fn(|context| {
            let ready = self.0.iter_mut().position(|future| future.as_mut().poll(context).is_ready());
            match ready {
                Some(place) => {
                    drop(self.0.swap_remove(place));
                    std::task::Poll::Ready(Some(()))
                }
                None => std::task::Poll::Pending,
            }
        })
        .await
    }
}

async fn whole_body(body: &mut RecvStream) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(part) = body.data().await {
        let part = part.unwrap();
        body.flow_control().release_capacity(part.len()).unwrap();
        whole.extend(part);
    }
    whole
}

/// One answer: status, fields, grpc-status and the fields beside it.
#[derive(Debug, Clone)]
struct Plan {
    status: u16,
    fields: Vec<Field>,
    grpc_status: Option<u8>,
    trailers: Vec<Field>,
}

impl Plan {
    fn expected(&self) -> Ending {
        match (self.status, self.grpc_status) {
            (200, Some(0)) => Ending::Ok,
            (200, Some(status)) => Ending::Failed(ErrorKind::GrpcStatus(status)),
            (200, None) => Ending::Failed(ErrorKind::Protocol),
            (status, _) => Ending::Failed(ErrorKind::HttpClass(u8::try_from(status / 100).unwrap())),
        }
    }

    fn fill(map: &mut HeaderMap, fields: &[Field]) {
        for (name, value) in fields {
            map.append(HeaderName::try_from(name).unwrap(), HeaderValue::from_bytes(value).unwrap());
        }
    }

    async fn answer(self, (mut request, mut respond): Call) {
        assert_eq!(request.headers()["content-type"], "application/grpc");
        assert_eq!((request.headers()["te"].as_bytes(), request.uri().path()), (&b"trailers"[..], "/soak.v1.Echo/Say"));
        assert_eq!(whole_body(request.body_mut()).await, message(b"ping"));
        let mut response = Response::builder().status(self.status).body(()).unwrap();
        Self::fill(response.headers_mut(), &self.fields);
        let mut stream = respond.send_response(response, false).unwrap();
        stream.send_data(message(b"pong").into(), false).unwrap();
        let mut trailers = HeaderMap::new();
        Self::fill(&mut trailers, &self.trailers);
        if let Some(status) = self.grpc_status {
            trailers.insert("grpc-status", HeaderValue::from(u16::from(status)));
        }
        stream.send_trailers(trailers).unwrap();
    }
}

fn fields() -> impl Strategy<Value = Vec<Field>> {
    let name = prop_oneof![
        3 => prop::sample::select(vec!["server", "date", "etag", "x-one", "x-two", "grpc-message", "set-cookie"]).prop_map(str::to_owned),
        1 => "x-[a-z0-9]{1,30}",
    ];
    let value = prop_oneof![
        4 => "[a-c]{0,2}".prop_map(String::into_bytes),
        2 => "[ -~]{0,60}".prop_map(String::into_bytes),
        1 => "[ -~]{500,2000}".prop_map(String::into_bytes),
        2 => prop::collection::vec(prop_oneof![32u8..127, 128u8..=255], 0..40),
    ];
    let value = value.prop_map(|value| value.trim_ascii().to_owned());
    prop::collection::vec((name, value), 0..6)
}

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    let status = prop_oneof![8 => Just(200u16), 1 => prop::sample::select(vec![201, 204, 304, 404, 418, 500, 599])];
    let grpc_status =
        prop_oneof![4 => Just(Some(0)), 4 => (1u8..=16).prop_map(Some), 1 => Just(Some(255)), 1 => Just(None)];
    let plan = (status, fields(), grpc_status, fields()).prop_map(|(status, fields, grpc_status, trailers)| Plan {
        status,
        fields,
        grpc_status,
        trailers,
    });
    prop::collection::vec(plan, 1..150)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// The header tables of both sides stay in step, whatever is indexed, Huffman-coded or evicted.
    #[test]
    fn every_status_is_read_as_it_was_sent(plans in plans()) {
        let (near, far) = duplex(100_000);
        let calls = u32::try_from(plans.len()).unwrap();
        let client = drive(GrpcUnarySession::new(&grpc(b"ping", 16)), near, calls);
        let server = async {
            let connection = server::handshake(far).await.unwrap();
            serve(connection, |number, call| plans[number].clone().answer(call)).await;
        };
        let (endings, _) = meet(client, server);
        let expected: BTreeMap<_, _> = (0..calls).zip(plans.iter().map(Plan::expected)).collect();
        prop_assert_eq!(endings, expected);
    }
}

#[test]
fn large_bodies_pass_small_windows_both_ways() {
    let body: Vec<u8> = (0..100_000u32).map(|i| i.to_le_bytes()[0]).collect();
    let (near, far) = duplex(10_000);
    let client = drive(Http2Session::new(&http(&body, 64)), near, 40);
    let server = async {
        let mut builder = server::Builder::new();
        builder.initial_window_size(10_000).initial_connection_window_size(70_000).max_concurrent_streams(5);
        let connection = builder.handshake(far).await.unwrap();
        serve(connection, |_, (mut request, mut respond)| {
            let body = body.clone();
            async move {
                assert_eq!(request.headers()["content-length"], "100000");
                assert!(whole_body(request.body_mut()).await == body);
                let answer = Response::builder().header("content-length", 300_000).body(()).unwrap();
                let mut stream = respond.send_response(answer, false).unwrap();
                stream.send_data(vec![7; 300_000].into(), true).unwrap();
            }
        })
        .await;
    };
    let (endings, _) = meet(client, server);
    assert_eq!(endings, (0..40).map(|call| (call, Ending::Ok)).collect());
}

#[test]
fn a_farewell_in_mid_flight_ends_every_call_once_and_finishes_what_was_taken() {
    let (near, far) = duplex(100_000);
    let client = drive(Http2Session::new(&http(b"x", 8)), near, 100);
    let server = async {
        let mut connection = server::handshake(far).await.unwrap();
        let mut number = 0;
        while let Some(call) = connection.accept().await {
            let (_, mut respond) = call.unwrap();
            number += 1;
            if number == 20 {
                connection.graceful_shutdown();
            }
            respond.send_response(Response::new(()), true).unwrap();
        }
    };
    let (endings, session) = meet(client, server);
    let answered = endings.values().filter(|ending| **ending == Ending::Ok).count();
    assert!((20..100).contains(&answered) && !session.usable(), "{answered}");
    assert!(
        endings.values().all(|e| matches!(e, Ending::Ok | Ending::Failed(ErrorKind::Connection | ErrorKind::Reset)))
    );
}

#[test]
fn echoes_on_long_streams_match_and_each_stream_closes_well() {
    let (near, far) = duplex(30_000);
    let body = vec![3; 700];
    let client = drive(GrpcStreamSession::new(&grpc(&body, 16), 5), near, 3_000);
    let server = async {
        let connection = server::Builder::new().initial_window_size(3_000).handshake(far).await.unwrap();
        serve(connection, |_, (mut request, mut respond)| async move {
            let mut stream = respond.send_response(Response::new(()), false).unwrap();
            while let Some(part) = request.body_mut().data().await {
                let part = part.unwrap();
                request.body_mut().flow_control().release_capacity(part.len()).unwrap();
                stream.send_data(part, false).unwrap();
            }
            let trailers = HeaderMap::from_iter([(HeaderName::from_static("grpc-status"), HeaderValue::from(0))]);
            stream.send_trailers(trailers).unwrap();
        })
        .await;
    };
    let (endings, session) = meet(client, server);
    assert_eq!(endings, (0..3_000).map(|call| (call, Ending::Ok)).collect());
    let counts = session.streams().unwrap();
    let expected =
        StreamCounts { opened: 5, closed_ok: 5, write_blocked: counts.write_blocked, ..StreamCounts::default() };
    assert_eq!(counts, expected);
    assert!(counts.write_blocked > 0, "windows of 3,000 bytes hold messages of 705 back");
}
