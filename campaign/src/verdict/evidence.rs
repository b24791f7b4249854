//! Evidence in words: a measure, its value, its bound. Numbers are written the same way everywhere.

use super::Evidence;

impl Evidence {
    /// A measure held against a bound.
    pub fn held(measure: &str, value: impl Into<String>, bound: impl Into<String>) -> Self {
        Self { measure: measure.to_owned(), value: value.into(), bound: Some(bound.into()) }
    }

    /// A fact without a bound.
    pub fn fact(measure: &str, value: impl Into<String>) -> Self {
        Self { measure: measure.to_owned(), value: value.into(), bound: None }
    }

    /// A measure that could not be observed.
    pub fn unknown(measure: &str) -> Self {
        Self::fact(measure, "unknown")
    }
}

/// A share (0–1) as a percentage, such as `99.31 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", trimmed(share * 100.0, 2))
}

/// Thousandths of a CPU as CPUs, such as `0.42 CPU`.
pub(crate) fn cpus(milli: f64) -> String {
    format!("{} CPU", trimmed(milli / 1000.0, 3))
}

/// Microseconds as milliseconds, such as `2.57 ms`.
pub(crate) fn millis(micros: f64) -> String {
    format!("{} ms", trimmed(micros / 1000.0, 2))
}

/// Calls per second with thousands separators and at most one decimal, such as `4,674.7/s`.
pub(crate) fn per_second(rate: f64) -> String {
    format!("{}/s", grouped(rate, 1))
}

/// A number with at most `places` decimals and no trailing zeros.
pub(crate) fn trimmed(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// [`trimmed`], with commas between thousands.
pub(crate) fn grouped(value: f64, places: usize) -> String {
    let text = trimmed(value, places);
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) && digit.is_ascii_digit() {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::{cpus, grouped, millis, per_second, percent, trimmed};

    #[test]
    fn numbers_read_as_in_the_tables() {
        assert_eq!(percent(0.993_08), "99.31 %");
        assert_eq!(percent(0.995), "99.5 %");
        assert_eq!(cpus(150.0), "0.15 CPU");
        assert_eq!(millis(2_570.0), "2.57 ms");
        assert_eq!(per_second(4674.7), "4,674.7/s");
        assert_eq!(per_second(31_558.4), "31,558.4/s");
        assert_eq!(grouped(-1_234_567.0, 1), "-1,234,567");
        assert_eq!(trimmed(100.0, 0), "100");
        assert_eq!(trimmed(0.0, 2), "0");
    }
}
