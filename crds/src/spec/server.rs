//! What is run: a preset, an image, a standing service or a program of this machine; and what it is given.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Settings;
use crate::{
    pattern,
    rule::span_between,
    units::{Cpu, Memory, Span},
};

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
