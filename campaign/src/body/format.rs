//! Writes a record as JSON or as a protobuf message. The wire format is that of
//! <https://protobuf.dev/programming-guides/encoding/>: tag, then varint, eight bytes or length and content.

use super::tree::{Record, Value};

const VARINT: u32 = 0;
const EIGHT_BYTES: u32 = 1;
const LENGTH: u32 = 2;

/// The record as JSON without white space, fields in order.
pub(super) fn json(record: &Record) -> Vec<u8> {
    object(record).to_string().into_bytes()
}

fn object(record: &Record) -> serde_json::Value {
    record.0.iter().map(|field| (field.name.to_owned(), json_value(&field.value))).collect()
}

fn json_value(value: &Value) -> serde_json::Value {
    match value {
        Value::Text(text) => text.as_str().into(),
        Value::Whole(number) => (*number).into(),
        Value::Real(number) => (*number).into(),
        Value::Yes => true.into(),
        Value::One(record) => object(record),
        Value::Many(records) => records.iter().map(object).collect(),
    }
}

/// The record as one protobuf message, without a frame.
pub(super) fn protobuf(record: &Record) -> Vec<u8> {
    let mut out = Vec::new();
    for field in &record.0 {
        write(field.number, &field.value, &mut out);
    }
    out
}

fn write(number: u32, value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Text(text) => counted(number, text.as_bytes(), out),
        Value::Whole(whole) => {
            varint(number << 3 | VARINT, out);
            varint(*whole, out);
        }
        Value::Real(real) => {
            varint(number << 3 | EIGHT_BYTES, out);
            out.extend_from_slice(&real.to_le_bytes());
        }
        Value::Yes => {
            varint(number << 3 | VARINT, out);
            varint(1, out);
        }
        Value::One(record) => counted(number, &protobuf(record), out),
        Value::Many(records) => {
            for record in records {
                counted(number, &protobuf(record), out);
            }
        }
    }
}

fn counted(number: u32, content: &[u8], out: &mut Vec<u8>) {
    varint(number << 3 | LENGTH, out);
    varint(u32::try_from(content.len()).unwrap_or(u32::MAX), out);
    out.extend_from_slice(content);
}

/// Seven bits a byte, lowest first, the top bit set on all but the last.
fn varint(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: Value, expected_json: &str, expected_protobuf: &[u8]) {
        let record = Record::numbered([("a", value)]);
        assert_eq!(String::from_utf8_lossy(&json(&record)), expected_json);
        assert_eq!(protobuf(&record), expected_protobuf);
    }

    #[test]
    fn every_kind_of_value_is_written_as_the_formats_ask() {
        check("hi".into(), r#"{"a":"hi"}"#, b"\x0a\x02hi");
        check(300.into(), r#"{"a":300}"#, b"\x08\xac\x02");
        check(1.5.into(), r#"{"a":1.5}"#, b"\x09\0\0\0\0\0\0\xf8\x3f");
        check(Value::Yes, r#"{"a":true}"#, b"\x08\x01");
        check(Value::One(Record::numbered([("b", 1.into())])), r#"{"a":{"b":1}}"#, b"\x0a\x02\x08\x01");
        let two = vec![Record::numbered([("b", 1.into())]), Record::numbered([("b", 2.into())])];
        check(Value::Many(two), r#"{"a":[{"b":1},{"b":2}]}"#, b"\x0a\x02\x08\x01\x0a\x02\x08\x02");
    }

    #[test]
    fn a_varint_takes_a_byte_for_each_seven_bits() {
        for (number, bytes) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (u32::MAX, 5)] {
            let mut out = Vec::new();
            varint(number, &mut out);
            assert_eq!(out.len(), bytes, "{number}");
        }
    }
}
