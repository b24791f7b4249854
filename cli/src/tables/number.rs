//! Numbers as people read them: thousands separated, as many decimals as the size deserves, `n/a` where not known.

/// What stands where a number is not known.
pub const NOT_KNOWN: &str = "n/a";

/// A whole number with its thousands separated: `1,309`.
pub fn whole(value: impl TryInto<i128>) -> String {
    let value: i128 = value.try_into().unwrap_or(i128::MAX);
    let digits = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0 { format!("-{text}") } else { text }
}

/// A rate: whole from 1,000 up, else one decimal where it has one.
pub fn rate(per_second: f64) -> String {
    let tenths = (per_second * 10.0).round() / 10.0;
    if tenths.abs() >= 1000.0 || tenths.fract() == 0.0 { rounded(per_second) } else { format!("{tenths:.1}") }
}

/// A number of three significant digits or more: `0.012`, `0.12`, `1.23`, `12.3`, `1,234`.
pub fn three_digits(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => rounded(value),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 || size == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Bytes in the largest binary unit of which there is at least one.
pub fn memory(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match UNITS.iter().find(|(_, size)| bytes >= *size) {
        Some((unit, size)) if bytes.is_multiple_of(*size) => format!("{} {unit}", bytes / size),
        Some((unit, size)) => format!("{} {unit}", three_digits(bytes as f64 / *size as f64)),
        None => format!("{bytes} B"),
    }
}

/// A span of time: `3 min 10 s`, `45 s`, `2 h 5 min`.
pub fn span(millis: i64) -> String {
    let seconds = millis.max(0).saturating_add(500) / 1000;
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes, rest) {
        (0, 0, rest) => format!("{rest} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, rest) => format!("{minutes} min {rest} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[allow(clippy::cast_possible_truncation, reason = "shown numbers are far within 64 bits; the cast saturates")]
fn rounded(value: f64) -> String {
    whole(value.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let check = |value: i64, expected: &str| assert_eq!(whole(value), expected);
        check(0, "0");
        check(999, "999");
        check(1309, "1,309");
        check(-12_345_678, "-12,345,678");
    }

    #[test]
    fn rates_and_measures_keep_the_digits_that_matter() {
        let check = |text: String, expected: &str| assert_eq!(text, expected);
        check(rate(600.0), "600");
        check(rate(599.96), "600");
        check(rate(925.44), "925.4");
        check(rate(8166.3), "8,166");
        check(three_digits(0.0123), "0.012");
        check(three_digits(0.5), "0.50");
        check(three_digits(12.34), "12.3");
        check(three_digits(1234.5), "1,235");
        check(three_digits(0.0), "0.00");
    }

    #[test]
    fn memory_and_time_are_in_units_of_their_size() {
        let check = |text: String, expected: &str| assert_eq!(text, expected);
        check(memory(1 << 30), "1 GiB");
        check(memory(1_300_000), "1.24 MiB");
        check(memory(12), "12 B");
        check(span(190_400), "3 min 10 s");
        check(span(7_500_000), "2 h 5 min");
        check(span(60_000), "1 min");
        check(span(-5), "0 s");
    }
}
