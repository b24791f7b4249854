//! Units a user writes as text: spans of time, CPU and memory quantities. Each keeps the text and its value.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
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

macro_rules! quantity {
    ($(#[$meta:meta])* $name:ident, $wanted:literal, $pattern:literal, $example:literal, $max:literal, $parse:path) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
        #[schemars(with = "String", extend("pattern" = $pattern, "minLength" = 1, "maxLength" = $max, "example" = $example))]
        pub struct $name {
            text: String,
            value: i64,
        }

        impl FromStr for $name {
            type Err = UnitError;
            fn from_str(text: &str) -> Result<Self, UnitError> {
                match $parse(text) {
                    Some(value) => Ok(Self { text: text.to_owned(), value }),
                    None => Err(UnitError { text: text.to_owned(), wanted: $wanted }),
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
                String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

quantity!(
    /// A span of time as text: whole numbers with `ms`, `s`, `m` or `h`, largest first, such as `500ms`, `110s`, `1h30m`.
    Span, "a span of time such as 500ms, 110s or 1h30m", r"^([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$", "110s", 32, parse_span
);
quantity!(
    /// An amount of CPU as Kubernetes writes it: `1`, `0.5` or `500m`.
    Cpu, "an amount of CPU such as 1, 0.5 or 500m", r"^[0-9]+(\.[0-9]{1,3})?$|^[0-9]+m$", "500m", 16, parse_cpu
);
quantity!(
    /// An amount of memory as Kubernetes writes it: `512Mi`, `1Gi` or plain bytes.
    Memory, "an amount of memory such as 512Mi or 1Gi", r"^[0-9]+(Ki|Mi|Gi|k|M|G)?$", "1Gi", 24, parse_memory
);

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
    const UNITS: [(&str, i64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
    let mut rest = text;
    let mut total = 0i64;
    let mut next = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, tail) = rest.split_at(digits);
        let letters = tail.bytes().take_while(u8::is_ascii_lowercase).count();
        let (unit, tail) = tail.split_at(letters);
        let at = UNITS.iter().skip(next).position(|(name, _)| *name == unit)? + next;
        total = total.checked_add(number.parse::<i64>().ok()?.checked_mul(UNITS[at].1)?)?;
        next = at + 1;
        rest = tail;
    }
    (!text.is_empty()).then_some(total)
}

fn parse_cpu(text: &str) -> Option<i64> {
    if let Some(milli) = text.strip_suffix('m') {
        return whole(milli);
    }
    let (cores, part) = text.split_once('.').unwrap_or((text, "0"));
    if part.is_empty() || part.len() > 3 {
        return None;
    }
    let scale = 10i64.pow(3 - u32::try_from(part.len()).ok()?);
    whole(cores)?.checked_mul(1000)?.checked_add(whole(part)?.checked_mul(scale)?)
}

fn parse_memory(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64); 6] =
        [("Ki", 1 << 10), ("Mi", 1 << 20), ("Gi", 1 << 30), ("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)];
    for (suffix, factor) in UNITS {
        if let Some(number) = text.strip_suffix(suffix) {
            return whole(number)?.checked_mul(factor);
        }
    }
    whole(text)
}

fn whole(digits: &str) -> Option<i64> {
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}
