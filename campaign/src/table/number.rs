//! Numbers as JSON: whole ones without a fraction, others with at most three decimals, so that files are equal byte
//! for byte wherever they are made.

use serde::Serializer;

/// Doubles hold every whole number up to here.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Rounds to three decimals.
pub fn thousandth(value: f64) -> f64 {
    let scaled = value * 1000.0;
    if scaled.abs() < EXACT { scaled.round() / 1000.0 } else { value }
}

/// The number as a JSON value, as in every document.
pub fn json(value: f64) -> serde_json::Value {
    serde_json::to_value(Plain(value)).unwrap_or_default()
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
pub(crate) fn plain<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    let value = thousandth(*value);
    if value.fract() == 0.0 && value.abs() < EXACT {
        #[allow(clippy::cast_possible_truncation, reason = "whole and within the exact range")]
        return to.serialize_i64(value as i64);
    }
    to.serialize_f64(value)
}

#[allow(clippy::ref_option, reason = "serde passes fields by reference")]
pub(crate) fn option<S: Serializer>(value: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => to.serialize_some(&Plain(*value)),
        None => to.serialize_none(),
    }
}

pub(crate) fn list<S: Serializer>(values: &[f64], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(values.iter().map(|value| Plain(*value)))
}

struct Plain(f64);

impl serde::Serialize for Plain {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        plain(&self.0, to)
    }
}

#[cfg(test)]
mod tests {
    use super::thousandth;

    #[test]
    fn a_whole_number_is_written_without_a_fraction() {
        let text = |value| {
            let mut out = Vec::new();
            super::plain(&value, &mut serde_json::Serializer::new(&mut out)).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(600.0), "600");
        assert_eq!(text(925.400_000_000_000_1), "925.4");
        assert_eq!(text(8166.25), "8166.25");
        assert_eq!(text(f64::NAN), "null");
    }

    #[test]
    fn a_number_beyond_the_exact_range_is_left_alone() {
        assert!((thousandth(1e300) - 1e300).abs() < 1.0);
    }
}
