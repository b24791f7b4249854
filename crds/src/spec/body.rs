//! A body: what each request carries.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pattern;

/// A request payload. Exactly one of `preset`, `text`, `base64` and `file`.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[x_kube(
    validation = Rule::new(
        "[has(self.preset), has(self.text), has(self.base64), has(self.file)].filter(given, given).size() == 1"
    )
    .message("must have exactly one of preset, text, base64 and file"),
    validation = Rule::new("has(self.preset) || has(self.name)")
        .message("must be set where the body is not a preset")
        .field_path(".name")
)]
#[serde(rename_all = "camelCase")]
pub struct Body {
    /// The body's name in tables. A preset is called after itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub name: Option<String>,
    /// One of the product's own payloads, as JSON or protobuf after the arm's protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<BodyPreset>,
    /// The payload itself, as text of up to 64 Ki characters; use `file` for more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 65_536))]
    pub text: Option<String>,
    /// The payload itself, base64, of up to 64 KiB; use `file` for more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 87_384), regex(pattern = pattern::BASE64))]
    pub base64: Option<String>,
    /// A file beside the campaign's file, on one machine only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub file: Option<String>,
    /// The content type sent with it. Default: `application/json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 128), regex(pattern = pattern::HEADER_VALUE))]
    pub content_type: Option<String>,
}

/// The product's own payloads.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyPreset {
    /// 16 B as JSON, 7 B as protobuf.
    Tiny,
    /// 1,309 B as JSON, 1,025 B as protobuf, 30 leaf values.
    Realistic,
    /// 1,030 B as protobuf, 120 leaf values.
    Dense,
}

impl Body {
    /// The body of a preset under its own name.
    pub fn preset(preset: BodyPreset) -> Self {
        Self { preset: Some(preset), ..Self::default() }
    }
}
