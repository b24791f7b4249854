//! The product's own payloads. In: a preset and a format. Out: the bytes, always the same ones, of a stated size and a
//! stated number of leaf values. Both formats of a preset hold the same values. Knows no protocol and no file.

mod content;
mod format;
mod tree;

use soak_crds::spec::BodyPreset;

/// The gRPC service of the product's own servers, with its package.
pub const ECHO_SERVICE: &str = "soak.echo.v1.Echo";

/// The method that answers one message with one message.
pub const ECHO_UNARY: &str = "Unary";

/// The method that answers each message of a stream with a message.
pub const ECHO_STREAM: &str = "Stream";

/// How a payload is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyFormat {
    /// JSON without white space.
    Json,
    /// One protobuf message without a frame.
    Protobuf,
}

/// What a request carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyBytes {
    /// The payload.
    pub bytes: Vec<u8>,
    /// The content type sent with it.
    pub content_type: String,
    /// How many scalar values it holds; absent where nobody counted them.
    pub leaves: Option<u32>,
}

/// The payload of a preset in a format.
pub fn preset_body(preset: BodyPreset, format: BodyFormat) -> BodyBytes {
    let message = content::message(preset);
    let (bytes, content_type) = match format {
        BodyFormat::Json => (format::json(&message), "application/json"),
        BodyFormat::Protobuf => (format::protobuf(&message), "application/grpc"),
    };
    BodyBytes { bytes, content_type: content_type.to_owned(), leaves: Some(message.leaves()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(preset: BodyPreset, format: BodyFormat, bytes: usize, leaves: u32) {
        let body = preset_body(preset, format);
        assert_eq!((body.bytes.len(), body.leaves), (bytes, Some(leaves)), "{preset:?} as {format:?}");
    }

    #[test]
    fn each_preset_has_its_stated_size_and_number_of_leaves() {
        check(BodyPreset::Tiny, BodyFormat::Json, 16, 1);
        check(BodyPreset::Tiny, BodyFormat::Protobuf, 7, 1);
        check(BodyPreset::Realistic, BodyFormat::Json, 1309, 30);
        check(BodyPreset::Realistic, BodyFormat::Protobuf, 1025, 30);
        check(BodyPreset::Dense, BodyFormat::Json, 1973, 120);
        check(BodyPreset::Dense, BodyFormat::Protobuf, 1030, 120);
    }

    #[test]
    fn the_tiny_body_is_one_name() {
        assert_eq!(preset_body(BodyPreset::Tiny, BodyFormat::Json).bytes, br#"{"name":"world"}"#);
        assert_eq!(preset_body(BodyPreset::Tiny, BodyFormat::Protobuf).bytes, b"\x0a\x05world");
    }

    #[test]
    fn the_json_holds_as_many_leaves_as_are_stated() {
        fn leaves(value: &serde_json::Value) -> u32 {
            match value {
                serde_json::Value::Object(fields) => fields.values().map(leaves).sum(),
                serde_json::Value::Array(items) => items.iter().map(leaves).sum(),
                _ => 1,
            }
        }
        for preset in [BodyPreset::Tiny, BodyPreset::Realistic, BodyPreset::Dense] {
            let body = preset_body(preset, BodyFormat::Json);
            let value = serde_json::from_slice(&body.bytes).unwrap_or_default();
            assert_eq!(Some(leaves(&value)), body.leaves, "{preset:?}");
        }
    }

    #[test]
    fn each_content_type_is_the_formats_own() {
        assert_eq!(preset_body(BodyPreset::Tiny, BodyFormat::Json).content_type, "application/json");
        assert_eq!(preset_body(BodyPreset::Tiny, BodyFormat::Protobuf).content_type, "application/grpc");
    }
}
