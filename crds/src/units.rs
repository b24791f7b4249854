//! Units a user writes as text: spans of time, CPU and memory quantities. Each keeps the text and its value.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a text is not a quantity of the kind asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not {wanted}")]
pub struct UnitError {
    /// What was written.
    pub text: String,
    /// What is allowed, with an example.
    pub wanted: &'static str,
}

/// One kind of quantity: its schema, and what is said where a text is not one.
struct Unit {
    pattern: &'static str,
    max_length: u32,
    /// The largest whole number that may stand in place of the text; absent where a text is asked for.
    max_number: Option<i64>,
    wanted: &'static str,
}

/// Bounded so that the sum of the parts stays far below 2^63 ns.
const SPAN: Unit = Unit {
    pattern: r"^([0-9]{1,4}h)?([0-9]{1,6}m)?([0-9]{1,8}s)?([0-9]{1,10}ms)?$",
    max_length: 32,
    max_number: None,
    wanted: "a span of time such as 500ms, 110s or 1h30m",
};
const CPU: Unit = Unit {
    pattern: r"^([1-9][0-9]{0,2}(\.[0-9]{1,3})?|0\.([1-9][0-9]{0,2}|0[1-9][0-9]?|00[1-9])|[1-9][0-9]{0,5}m)$",
    max_length: 8,
    max_number: Some(999),
    wanted: "an amount of CPU above zero such as 1, 0.5 or 500m",
};
const MEMORY: Unit = Unit {
    pattern: r"^([1-9][0-9]{0,14}|[1-9][0-9]{0,8}(Ki|k)|[1-9][0-9]{0,6}(Mi|M)|[1-9][0-9]{0,4}(Gi|G))$",
    max_length: 16,
    max_number: Some(99_999 << 30),
    wanted: "an amount of memory above zero such as 512Mi or 1Gi",
};

macro_rules! quantity {
    ($(#[$meta:meta])* $name:ident, $unit:ident, $parse:path) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            text: String,
            value: i64,
        }

        impl FromStr for $name {
            type Err = UnitError;
            fn from_str(text: &str) -> Result<Self, UnitError> {
                match $parse(text) {
                    Some(value) => Ok(Self { text: text.to_owned(), value }),
                    None => Err(UnitError { text: text.to_owned(), wanted: $unit.wanted }),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.text)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(&self.text)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Written::deserialize(from)?.text().parse().map_err(serde::de::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $unit.schema()
            }
        }
    };
}

quantity!(
    /// A span of time as text: whole numbers with `h`, `m`, `s` or `ms`, largest first, such as `500ms`, `110s`, `1h30m`.
    Span, SPAN, parse_span
);
quantity!(
    /// An amount of CPU as Kubernetes writes it: `1`, `0.5` or `500m`; a whole number of CPUs needs no quotes.
    Cpu, CPU, parse_cpu
);
quantity!(
    /// An amount of memory as Kubernetes writes it: `512Mi`, `1Gi` or plain bytes; plain bytes need no quotes.
    Memory, MEMORY, parse_memory
);

/// What a quantity may be written as.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(i64),
    Text(String),
}

impl Written {
    fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

impl Unit {
    fn schema(&self) -> Schema {
        match self.max_number {
            None => {
                json_schema!({"type": "string", "minLength": 1, "maxLength": self.max_length, "pattern": self.pattern})
            }
            Some(most) => json_schema!({
                "x-kubernetes-int-or-string": true,
                "maxLength": self.max_length,
                "pattern": self.pattern,
                "minimum": 1,
                "maximum": most,
            }),
        }
    }
}

/// The patterns of the units and what each asks for, in words.
pub(crate) fn patterns() -> [(&'static str, &'static str); 3] {
    [SPAN, CPU, MEMORY].map(|unit| (unit.pattern, unit.wanted))
}

impl Span {
    /// Milliseconds.
    pub fn millis(&self) -> i64 {
        self.value
    }
    /// Nanoseconds.
    pub fn nanos(&self) -> i64 {
        self.value.saturating_mul(1_000_000)
    }
}

impl Cpu {
    /// Thousandths of a CPU.
    pub fn milli(&self) -> i64 {
        self.value
    }
}

impl Memory {
    /// Bytes.
    pub fn bytes(&self) -> i64 {
        self.value
    }
}

fn parse_span(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64, usize); 4] = [("h", 3_600_000, 4), ("m", 60_000, 6), ("s", 1_000, 8), ("ms", 1, 10)];
    let mut rest = text;
    let mut total = 0i64;
    let mut next = 0;
    while !rest.is_empty() {
        let (number, tail) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        let (unit, tail) = tail.split_at(tail.bytes().take_while(u8::is_ascii_lowercase).count());
        let at = UNITS.iter().skip(next).position(|(name, ..)| *name == unit)? + next;
        let (_, millis, digits) = UNITS[at];
        total = total.checked_add(whole(number, digits)?.checked_mul(millis)?)?;
        next = at + 1;
        rest = tail;
    }
    (!text.is_empty()).then_some(total)
}

fn parse_cpu(text: &str) -> Option<i64> {
    if let Some(milli) = text.strip_suffix('m') {
        return above_zero(milli, 6);
    }
    let Some((cores, part)) = text.split_once('.') else {
        return above_zero(text, 3)?.checked_mul(1000);
    };
    let digits = u32::try_from(part.len()).ok()?;
    let cores = if cores == "0" { 0 } else { above_zero(cores, 3)? };
    let milli = cores * 1000 + whole(part, 3)? * 10i64.pow(3 - digits);
    (milli > 0).then_some(milli)
}

fn parse_memory(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64, usize); 6] = [
        ("Ki", 1 << 10, 9),
        ("Mi", 1 << 20, 7),
        ("Gi", 1 << 30, 5),
        ("k", 1_000, 9),
        ("M", 1_000_000, 7),
        ("G", 1_000_000_000, 5),
    ];
    for (suffix, factor, digits) in UNITS {
        if let Some(number) = text.strip_suffix(suffix) {
            return above_zero(number, digits)?.checked_mul(factor);
        }
    }
    above_zero(text, 15)
}

/// A whole number of at most `digits` digits.
fn whole(text: &str, digits: usize) -> Option<i64> {
    let is_number = (1..=digits).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

fn above_zero(text: &str, digits: usize) -> Option<i64> {
    whole(text, digits).filter(|_| !text.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check<T: FromStr>(text: &str, value: impl Fn(&T) -> i64, expected: Option<i64>) {
        assert_eq!(text.parse::<T>().ok().as_ref().map(value), expected, "{text}");
    }

    #[test]
    fn a_span_is_the_sum_of_its_parts_in_falling_order() {
        let check = |text, expected| check(text, Span::millis, expected);
        check("110s", Some(110_000));
        check("1h30m", Some(5_400_000));
        check("1m0s500ms", Some(60_500));
        check("0s", Some(0));
        for wrong in ["", "110", "s", "30m1h", "1s1s", "1.5s", "-1s", " 1s", "5 minutes", "99999h", "1us"] {
            check(wrong, None);
        }
    }

    #[test]
    fn an_amount_of_cpu_is_above_zero() {
        let check = |text, expected| check(text, Cpu::milli, expected);
        check("1", Some(1000));
        check("0.5", Some(500));
        check("0.005", Some(5));
        check("1.20", Some(1200));
        check("250m", Some(250));
        for wrong in ["", "0", "0m", "0.0", "0.000", "01", "1.", ".5", "1.2345", "-1", "1e3", "1000"] {
            check(wrong, None);
        }
    }

    #[test]
    fn an_amount_of_memory_is_above_zero() {
        let check = |text, expected| check(text, Memory::bytes, expected);
        check("512Mi", Some(512 << 20));
        check("1G", Some(1_000_000_000));
        check("1073741824", Some(1 << 30));
        for wrong in ["", "0", "0Mi", "1.5Gi", "1GB", "Mi", "999999Gi"] {
            check(wrong, None);
        }
    }

    #[test]
    fn a_quantity_may_be_written_as_a_number_and_a_span_may_not() {
        assert_eq!(serde_json::from_str::<Cpu>("2").unwrap().milli(), 2000);
        assert_eq!(serde_json::from_str::<Memory>("65536").unwrap().bytes(), 65536);
        assert!(serde_json::from_str::<Span>("110").is_err());
    }

    proptest! {
        #[test]
        fn pattern_and_parser_accept_the_same_texts(text in "[0-9]{0,7}[.hmsKMGik]{0,2}[0-9]{0,4}[hmsKMGik]{0,2}") {
            for (unit, parsed) in [
                (SPAN, text.parse::<Span>().is_ok()),
                (CPU, text.parse::<Cpu>().is_ok()),
                (MEMORY, text.parse::<Memory>().is_ok()),
            ] {
                let length = 1..=unit.max_length as usize;
                let matches = length.contains(&text.len()) && regex::Regex::new(unit.pattern).unwrap().is_match(&text);
                prop_assert_eq!(matches, parsed, "{} under {}", text, unit.wanted);
            }
        }
    }
}
