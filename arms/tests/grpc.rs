//! gRPC echo over real sockets: with tonic's client, and frame by frame with an HTTP/2 client.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use bytes::{Buf as _, BufMut as _, Bytes};
use hyper::Request;
use soak_arms::{Codec, Executor, Preset, Settings, Work, WorkKind};
use soak_campaign::body::{ECHO_SERVICE, ECHO_STREAM, ECHO_UNARY};
use soak_crds::spec::BodyPreset;
use support::{PRESETS, arm, protobuf, runtime};
use tonic::{
    Code, Status,
    client::Grpc,
    codec::{DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::{Channel, Endpoint},
};

/// Messages as they are on the wire.
#[derive(Clone, Copy, Default)]
struct Raw;

impl tonic::codec::Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;
    fn encoder(&mut self) -> Self {
        Self
    }
    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;
    fn encode(&mut self, item: Bytes, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        out.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;
    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

fn every_way_to_work() -> impl Iterator<Item = Settings> {
    let sleep = Some(Work { kind: WorkKind::Sleep, micros: 100 });
    let ways = [
        (Codec::Compiled, Executor::Direct, None),
        (Codec::Dynamic, Executor::Direct, None),
        (Codec::Compiled, Executor::Threads, None),
        (Codec::Compiled, Executor::Direct, sleep),
    ];
    ways.into_iter().map(|(codec, executor, work)| Settings { codec, executor, work, ..Settings::default() })
}

async fn client(port: u16) -> Grpc<Channel> {
    let channel = Endpoint::from_shared(format!("http://127.0.0.1:{port}")).unwrap().connect().await.unwrap();
    let mut client = Grpc::new(channel);
    client.ready().await.unwrap();
    client
}

fn path(method: &str) -> hyper::http::uri::PathAndQuery {
    format!("/{ECHO_SERVICE}/{method}").parse().unwrap()
}

async fn unary(client: &mut Grpc<Channel>, method: &str, message: Vec<u8>) -> Result<Bytes, Status> {
    client.ready().await.unwrap();
    let request = tonic::Request::new(Bytes::from(message));
    client.unary(request, path(method), Raw).await.map(tonic::Response::into_inner)
}

#[test]
fn each_message_comes_back_in_a_unary_call() {
    for settings in every_way_to_work() {
        let ready = arm(Preset::Grpc, settings);
        assert_eq!(ready.protocols, ["GrpcUnary", "GrpcStream"]);
        runtime().block_on(async {
            let mut client = client(ready.port).await;
            for message in PRESETS.map(protobuf) {
                assert_eq!(unary(&mut client, ECHO_UNARY, message.clone()).await.unwrap(), message);
            }
        });
    }
}

#[test]
fn each_message_of_a_stream_comes_back_in_order_and_the_stream_ends_well() {
    for settings in every_way_to_work() {
        let ready = arm(Preset::Grpc, settings);
        runtime().block_on(async {
            let mut client = client(ready.port).await;
            let messages: Vec<Bytes> = (0..300).map(|n| PRESETS[n % 3]).map(|preset| protobuf(preset).into()).collect();
            let request = tonic::Request::new(tokio_stream::iter(messages.clone()));
            let mut echoes = client.streaming(request, path(ECHO_STREAM), Raw).await.unwrap().into_inner();
            for (number, message) in messages.iter().enumerate() {
                assert_eq!(echoes.message().await.unwrap().as_ref(), Some(message), "message {number}");
            }
            assert_eq!(echoes.message().await.unwrap(), None);
            assert!(echoes.trailers().await.unwrap().is_some());
        });
    }
}

#[test]
fn a_message_that_does_not_parse_is_an_invalid_argument_and_the_connection_goes_on() {
    for codec in [Codec::Compiled, Codec::Dynamic] {
        let ready = arm(Preset::Grpc, Settings { codec, ..Settings::default() });
        runtime().block_on(async {
            let mut client = client(ready.port).await;
            let refused = unary(&mut client, ECHO_UNARY, b"\x0a\x05worl".to_vec()).await.unwrap_err();
            assert_eq!(refused.code(), Code::InvalidArgument);
            assert!(refused.message().starts_with("the message is not a soak.echo.v1.Message"), "{refused}");
            let good = protobuf(BodyPreset::Tiny);
            assert_eq!(unary(&mut client, ECHO_UNARY, good.clone()).await.unwrap(), good);
        });
    }
}

#[test]
fn a_message_over_the_limit_is_out_of_range() {
    let ready = arm(Preset::Grpc, Settings::default());
    runtime().block_on(async {
        let mut client = client(ready.port).await;
        let refused = unary(&mut client, ECHO_UNARY, vec![0; (4 << 20) + 1]).await.unwrap_err();
        assert_eq!(refused.code(), Code::OutOfRange);
    });
}

#[test]
fn a_method_that_is_not_there_is_unimplemented_and_named() {
    let ready = arm(Preset::Grpc, Settings::default());
    runtime().block_on(async {
        let refused = unary(&mut client(ready.port).await, "Chat", Vec::new()).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unimplemented);
        assert!(refused.message().contains("/soak.echo.v1.Echo/Chat"), "{refused}");
    });
}

/// One stream of eight tiny messages sent in one frame: the sizes of the frames that come back, and the grpc-status.
fn frames_of_eight_echoes(credits: u32) -> (Vec<usize>, String) {
    let ready = arm(Preset::Grpc, Settings { inbound_credits: credits, ..Settings::default() });
    let message = protobuf(BodyPreset::Tiny);
    let mut sent = vec![0, 0, 0, 0, u8::try_from(message.len()).unwrap()];
    sent.extend(message);
    runtime().block_on(async {
        let socket = tokio::net::TcpStream::connect(("127.0.0.1", ready.port)).await.unwrap();
        let (calls, connection) = h2::client::handshake(socket).await.unwrap();
        tokio::spawn(connection);
        let mut calls = calls.ready().await.unwrap();
        let request =
            Request::post(format!("http://arm{}", path(ECHO_STREAM))).header("content-type", "application/grpc");
        let (response, mut sending) = calls.send_request(request.body(()).unwrap(), false).unwrap();
        sending.send_data(sent.repeat(8).into(), true).unwrap();
        let mut body = response.await.unwrap().into_body();
        let mut frames = Vec::new();
        while let Some(frame) = body.data().await {
            frames.push(frame.unwrap().len());
        }
        let status = body.trailers().await.unwrap().unwrap()["grpc-status"].to_str().unwrap().to_owned();
        (frames, status)
    })
}

#[test]
fn echoes_that_are_ready_together_leave_in_one_frame() {
    assert_eq!(frames_of_eight_echoes(256), (vec![96], "0".to_owned()));
}

#[test]
fn inbound_credits_bound_how_many_echoes_leave_together() {
    assert_eq!(frames_of_eight_echoes(1), (vec![12; 8], "0".to_owned()));
    assert_eq!(frames_of_eight_echoes(3), (vec![36, 36, 24], "0".to_owned()));
}

#[test]
fn a_request_that_is_not_grpc_is_refused() {
    let ready = arm(Preset::Grpc, Settings::default());
    runtime().block_on(async {
        let socket = tokio::net::TcpStream::connect(("127.0.0.1", ready.port)).await.unwrap();
        let (calls, connection) = h2::client::handshake(socket).await.unwrap();
        tokio::spawn(connection);
        let mut calls = calls.ready().await.unwrap();
        let request = Request::post("http://arm/soak.echo.v1.Echo/Unary").header("content-type", "application/json");
        let (response, _) = calls.send_request(request.body(()).unwrap(), true).unwrap();
        assert_eq!(response.await.unwrap().status(), 415);
    });
}
