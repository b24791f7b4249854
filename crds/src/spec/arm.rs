//! An arm: one server configuration under test.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Client, Ramp};
use crate::{
    pattern,
    rule::span_between,
    units::{Cpu, Memory, Span},
};

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

/// What is run. Exactly one of `preset`, `image` and `service`, or `local` alone.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[x_kube(
    validation = Rule::new("[has(self.preset), has(self.image), has(self.service)].filter(given, given).size() <= 1")
        .message("must have at most one of preset, image and service"),
    validation = Rule::new("has(self.preset) || has(self.image) || has(self.service) || has(self.local)")
        .message("must have one of preset, image, service and local"),
    validation = Rule::new("!has(self.preset) || !has(self.local)")
        .message("must be left out where preset is set: a preset brings its own program")
        .field_path(".local"),
    validation = Rule::new("has(self.preset) || has(self.port)")
        .message("must be set where the server is not a preset: the port on which it listens")
        .field_path(".port"),
    validation = Rule::new("has(self.preset) || !has(self.settings)")
        .message("belong to presets; use args, env or jvmOptions for a server of your own")
        .field_path(".settings"),
    validation = Rule::new("!has(self.preset) || !has(self.jvmOptions) || self.preset.startsWith('jvm-')")
        .message("need a preset on the JVM: jvm-rest, jvm-grpc, jvm-websocket or jvm-rsocket")
        .field_path(".jvmOptions")
)]
#[serde(rename_all = "camelCase")]
pub struct Server {
    /// One of the product's own servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// A container image, by tag or by digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 512), regex(pattern = pattern::IMAGE))]
    pub image: Option<String>,
    /// A standing arm: the name of a Service in the campaign's namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63), regex(pattern = pattern::NAME))]
    pub service: Option<String>,
    /// How the server is run on one machine without a cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<Local>,
    /// Arguments of the server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(max = 1024)))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub args: Vec<String>,
    /// Environment variables of the server. Each is proven on the running process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub env: Vec<EnvVar>,
    /// JVM options, one flag an item.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 512)))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub jvm_options: Vec<String>,
    /// Typed settings of a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Settings>,
    /// CPU and memory, as both request and limit.
    #[serde(default)]
    pub resources: Resources,
    /// The port on which the server listens. Presets choose their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_535))]
    pub port: Option<i32>,
    /// The HTTP path that answers 2xx once the server is ready. Absent: a connection that is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024), regex(pattern = pattern::PATH))]
    pub ready_path: Option<String>,
    /// How long the server may take to get ready.
    #[serde(default = "default_ready_timeout")]
    #[x_kube(validation = span_between("1s", "1h"))]
    pub ready_timeout: Span,
    /// The user id of the server's process on a cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub run_as_user: Option<i64>,
    /// Folders that the server may write, on a cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), inner(length(min = 1, max = 256), regex(pattern = pattern::FOLDER)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub writable_paths: Vec<String>,
    /// Whether the root file system is read-only on a cluster.
    #[serde(default = "yes")]
    pub read_only_root_filesystem: bool,
    /// Whether the image's digest can be built again from its source. Where not, results compare only within one digest.
    #[serde(default = "yes")]
    pub reproducible: bool,
}

/// The product's own servers.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// JSON echo over HTTP/1.1 and HTTP/2 cleartext.
    Rest,
    /// gRPC echo, unary and streams.
    Grpc,
    /// WebSocket echo.
    Websocket,
    /// RSocket echo.
    Rsocket,
    /// JSON echo on the JVM.
    JvmRest,
    /// gRPC echo on the JVM.
    JvmGrpc,
    /// WebSocket echo on the JVM.
    JvmWebsocket,
    /// RSocket echo on the JVM.
    JvmRsocket,
}

/// How a server is run on one machine without a cluster.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Local {
    /// The program and its arguments; `args` of the server follow them. No shell is involved.
    #[schemars(length(min = 1, max = 64), inner(length(min = 1, max = 1024)))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub command: Vec<String>,
}

/// An environment variable.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct EnvVar {
    /// The variable's name.
    #[schemars(length(min = 1, max = 128), regex(pattern = pattern::VARIABLE))]
    pub name: String,
    /// The variable's value.
    #[schemars(length(max = 4096))]
    pub value: String,
}

/// Typed settings of a preset. Each is a lever: it is read back from the running server.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// Where a request's work is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<Executor>,
    /// Threads that serve connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub worker_threads: Option<i32>,
    /// How payloads are parsed and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codec: Option<Codec>,
    /// HTTP/2 streams that the server admits on one connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_concurrent_streams: Option<i32>,
    /// HTTP/2 initial flow-control window in bytes, for streams and connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 65_535, max = 1_073_741_823))]
    pub initial_window: Option<i32>,
    /// Messages of one stream that the server takes in at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub inbound_credits: Option<i32>,
    /// Work done for each request besides the echo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
}

/// Where a request's work is done.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Executor {
    /// On the thread that serves the connection.
    Direct,
    /// On a pool of threads, one request a thread at a time.
    Threads,
    /// On virtual threads (JVM presets).
    Virtual,
}

/// How payloads are parsed and written.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codec {
    /// By code generated for the payload's type.
    Compiled,
    /// By reflection over the payload's description.
    Dynamic,
}

/// Work done for each request besides the echo.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Work {
    /// Whether the time is spent on the CPU or asleep.
    pub kind: WorkKind,
    /// Microseconds for each request.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub micros: i32,
}

/// Whether a request's work is spent on the CPU or asleep.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkKind {
    /// On the CPU.
    Spin,
    /// Asleep.
    Sleep,
}

/// CPU and memory of a process, as both request and limit.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Resources {
    /// CPU limit.
    #[serde(default = "one_cpu")]
    pub cpu: Cpu,
    /// Memory limit.
    #[serde(default = "one_gi")]
    pub memory: Memory,
}

/// What is sent, where the server is not a preset.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// HTTP method. Default: `POST`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<HttpMethod>,
    /// HTTP path with query. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 2048), regex(pattern = pattern::PATH))]
    pub path: Option<String>,
    /// HTTP headers or gRPC metadata.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub headers: Vec<RequestHeader>,
    /// The gRPC method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcCall>,
}

/// HTTP methods a request may use.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    /// GET, sent without a body.
    Get,
    /// POST.
    Post,
    /// PUT.
    Put,
    /// PATCH.
    Patch,
    /// DELETE, sent without a body.
    Delete,
}

/// One header line of a request.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct RequestHeader {
    /// The header's name, lower case.
    #[schemars(length(min = 1, max = 128), regex(pattern = pattern::HEADER))]
    pub name: String,
    /// The header's value.
    #[schemars(length(max = 4096), regex(pattern = pattern::HEADER_VALUE))]
    pub value: String,
}

/// A gRPC method.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct GrpcCall {
    /// The service with its package, such as `shop.v1.Cart`.
    #[schemars(length(min = 1, max = 256), regex(pattern = pattern::SERVICE))]
    pub service: String,
    /// The method, such as `AddItem`.
    #[schemars(length(min = 1, max = 128), regex(pattern = pattern::METHOD))]
    pub method: String,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            preset: None,
            image: None,
            service: None,
            local: None,
            args: Vec::new(),
            env: Vec::new(),
            jvm_options: Vec::new(),
            settings: None,
            resources: Resources::default(),
            port: None,
            ready_path: None,
            ready_timeout: default_ready_timeout(),
            run_as_user: None,
            writable_paths: Vec::new(),
            read_only_root_filesystem: true,
            reproducible: true,
        }
    }
}

impl Default for Resources {
    fn default() -> Self {
        Self { cpu: one_cpu(), memory: one_gi() }
    }
}

fn one_cpu() -> Cpu {
    constant("1")
}

fn one_gi() -> Memory {
    constant("1Gi")
}

fn default_ready_timeout() -> Span {
    constant("60s")
}

fn yes() -> bool {
    true
}

/// A default written in the source.
#[allow(clippy::expect_used, reason = "a constant of this file, covered by a test")]
pub(crate) fn constant<T: std::str::FromStr>(text: &str) -> T
where
    T::Err: std::fmt::Debug,
{
    text.parse().expect("a constant parses")
}
