//! An arm: one server configuration under test.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Client, Ramp, Request, Server};
use crate::pattern;

/// One server configuration under test.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[x_kube(
    validation = Rule::new(
        "!has(self.server.preset) || (\
         self.server.preset.endsWith('rest') ? self.protocol in ['Http1', 'Http2'] : \
         self.server.preset.endsWith('grpc') ? self.protocol.startsWith('Grpc') : \
         self.server.preset.endsWith('websocket') ? self.protocol == 'WebSocket' : self.protocol == 'RSocket')"
    )
    .message(
        "must be what the preset speaks: rest Http1 or Http2, grpc one of Grpc…, websocket WebSocket, rsocket RSocket"
    )
    .field_path(".protocol"),
    validation = Rule::new("!has(self.server.preset) || !has(self.request)")
        .message("must be left out where server.preset is set: a preset brings its own")
        .field_path(".request"),
    validation = Rule::new("!has(self.request) || !has(self.request.grpc) || self.protocol.startsWith('Grpc')")
        .message("needs a gRPC protocol; over others use method and path")
        .field_path(".request.grpc"),
    validation = Rule::new(
        "!has(self.request) || !self.protocol.startsWith('Grpc') || (!has(self.request.method) && !has(self.request.path))"
    )
    .message("must have neither method nor path over gRPC; use grpc")
    .field_path(".request"),
    validation = Rule::new(
        "has(self.server.preset) || !has(self.request) || !self.protocol.startsWith('Grpc') || has(self.request.grpc)"
    )
    .message("must be set, with service and method, where a server of your own speaks gRPC")
    .field_path(".request.grpc"),
    validation = Rule::new("has(self.server.preset) || has(self.request)")
        .message("must be set where the server is not a preset: what is sent")
        .field_path(".request")
)]
#[serde(rename_all = "camelCase")]
pub struct Arm {
    /// The arm's name, unique in the campaign: lower-case letters, digits and dashes.
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub name: String,
    /// What is run.
    pub server: Server,
    /// What is spoken between driver and arm.
    pub protocol: Protocol,
    /// The request, where the server is not a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
    /// The client's shape for this arm. Fields that are absent are taken from the campaign's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// The ramp for this arm. Fields that are absent are taken from the campaign's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ramp: Option<Ramp>,
}

/// What is spoken between driver and arm.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// HTTP/1.1, one request at a time on each connection.
    Http1,
    /// HTTP/2 cleartext with prior knowledge.
    Http2,
    /// gRPC, one message each way.
    GrpcUnary,
    /// gRPC, many messages back.
    GrpcServerStream,
    /// gRPC, many messages there.
    GrpcClientStream,
    /// gRPC, long-lived streams of messages both ways.
    GrpcStream,
    /// WebSocket messages.
    WebSocket,
    /// RSocket requests.
    RSocket,
}
