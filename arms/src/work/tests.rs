use proptest::prelude::*;
use prost_reflect::Value;
use soak_campaign::body::{BodyFormat, preset_body};
use soak_crds::spec::BodyPreset;

use super::*;
use crate::payload::{
    Message,
    generated::{Address, Line, Party, Payload},
};

const PRESETS: [BodyPreset; 3] = [BodyPreset::Tiny, BodyPreset::Realistic, BodyPreset::Dense];

fn answer(format: Format, codec: Codec, payload: &[u8]) -> Result<Bytes, BadPayload> {
    Echo::new(format, codec, None).unwrap().answer(Bytes::copy_from_slice(payload))
}

fn check(format: Format, payload: &[u8], expected: &[u8]) {
    for codec in [Codec::Compiled, Codec::Dynamic] {
        let echo = answer(format, codec, payload).unwrap();
        assert_eq!(String::from_utf8_lossy(&echo), String::from_utf8_lossy(expected), "{codec} {format:?}");
    }
}

#[test]
fn each_preset_body_comes_back_byte_for_byte_in_both_formats_and_codecs() {
    for preset in PRESETS {
        for (format, body) in [(Format::Json, BodyFormat::Json), (Format::Protobuf, BodyFormat::Protobuf)] {
            let body = preset_body(preset, body);
            check(format, &body.bytes, &body.bytes);
        }
    }
}

#[test]
fn json_and_protobuf_of_a_preset_hold_the_same_values() {
    for preset in PRESETS {
        let json: Message = serde_json::from_slice(&preset_body(preset, BodyFormat::Json).bytes).unwrap();
        let protobuf = Message::decode(&preset_body(preset, BodyFormat::Protobuf).bytes[..]).unwrap();
        assert_eq!(json, protobuf, "{preset:?}");
    }
}

#[test]
fn each_preset_holds_as_many_leaves_as_it_states() {
    for preset in PRESETS {
        let body = preset_body(preset, BodyFormat::Protobuf);
        let message = DynamicMessage::decode(payload::descriptor().unwrap(), &body.bytes[..]).unwrap();
        assert_eq!(Some(leaves(&Value::Message(message))), body.leaves, "{preset:?}");
    }
}

fn leaves(value: &Value) -> u32 {
    match value {
        Value::Message(message) => {
            assert_eq!(message.unknown_fields().count(), 0);
            message.fields().map(|(_, value)| leaves(value)).sum()
        }
        Value::List(values) => values.iter().map(leaves).sum(),
        _ => 1,
    }
}

#[test]
fn json_of_any_shape_is_echoed_without_its_white_space() {
    check(Format::Json, br#" { "a" : [1, null, {"b": -2.5}] } "#, br#"{"a":[1,null,{"b":-2.5}]}"#);
    check(Format::Json, br#"{"name":7}"#, br#"{"name":7}"#);
    check(Format::Json, br#"{"name":"x","payload":null}"#, br#"{"name":"x","payload":null}"#);
    check(Format::Json, br#"{"name":"x","more":1}"#, br#"{"name":"x","more":1}"#);
    check(Format::Json, br#""text""#, br#""text""#);
}

#[test]
fn an_empty_message_is_a_message() {
    check(Format::Protobuf, b"", b"");
}

#[test]
fn what_does_not_parse_is_refused_in_words() {
    for codec in [Codec::Compiled, Codec::Dynamic] {
        let json = answer(Format::Json, codec, br#"{"name":"#).unwrap_err().to_string();
        assert!(json.starts_with("the body is not JSON: EOF"), "{json}");
        let protobuf = answer(Format::Protobuf, codec, b"\x0a\x05worl").unwrap_err().to_string();
        assert!(protobuf.starts_with("the message is not a soak.echo.v1.Message: "), "{protobuf}");
    }
}

#[test]
fn spinning_uses_the_stated_cpu_time_for_each_request() {
    let work = Some(Work { kind: WorkKind::Spin, micros: 2_000 });
    let echo = Echo::new(Format::Json, Codec::Compiled, work).unwrap();
    let before = thread_cpu_time();
    for _ in 0..5 {
        echo.answer(Bytes::from_static(b"1")).unwrap();
    }
    let used = thread_cpu_time().checked_sub(before).unwrap();
    assert!((Duration::from_millis(10)..Duration::from_millis(20)).contains(&used), "{used:?}");
}

#[test]
fn sleeping_is_not_done_here() {
    let work = Some(Work { kind: WorkKind::Sleep, micros: 60_000_000 });
    let echo = Echo::new(Format::Json, Codec::Compiled, work).unwrap();
    assert_eq!(echo.answer(Bytes::from_static(b"1")).unwrap(), "1");
}

fn address() -> impl Strategy<Value = Address> {
    (".*", ".*", ".*", ".*").prop_map(|(street, city, zip, country)| Address { street, city, zip, country })
}

fn buyer() -> impl Strategy<Value = Party> {
    let fields = (".*", ".*", proptest::option::of(address()));
    fields.prop_map(|(name, email, address)| Party { name, email, address })
}

fn line() -> impl Strategy<Value = Line> {
    let fields = (".*", ".*", any::<u32>(), proptest::num::f64::NORMAL, any::<bool>());
    fields.prop_map(|(sku, title, qty, price, gift)| Line { sku, title, qty, price, gift })
}

fn order() -> impl Strategy<Value = Payload> {
    let texts = (".*", ".*", ".*", ".*", ".*");
    let numbers = (any::<u32>(), any::<bool>(), proptest::num::f64::NORMAL);
    let nested = (proptest::option::of(buyer()), proptest::collection::vec(line(), 0..4));
    (texts, numbers, nested).prop_map(
        |((id, placed, currency, via, note), (version, urgent, total), (buyer, lines))| Payload {
            id,
            version,
            placed,
            urgent,
            currency,
            total,
            via,
            note,
            buyer,
            lines,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_message_comes_back_the_same_from_both_codecs(name in ".*", payload in proptest::option::of(order())) {
        let message = Message { name, payload };
        let protobuf = message.encode_to_vec();
        check(Format::Protobuf, &protobuf, &protobuf);
        let json = serde_json::to_vec(&message).unwrap();
        check(Format::Json, &json, &json);
    }

    #[test]
    fn any_bytes_are_echoed_or_refused_alike_by_both_codecs(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let json = [Codec::Compiled, Codec::Dynamic].map(|codec| answer(Format::Json, codec, &bytes).ok());
        prop_assert_eq!(&json[0], &json[1]);
        let protobuf = [Codec::Compiled, Codec::Dynamic].map(|codec| answer(Format::Protobuf, codec, &bytes).is_ok());
        prop_assert_eq!(protobuf[0], protobuf[1]);
    }
}
