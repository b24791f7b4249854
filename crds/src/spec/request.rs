//! What is sent, where the server is not a preset.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pattern;

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
