//! One cell: a number with its marks and unit, or n/a.

/// A number as it stands in a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Cell {
    /// The number.
    pub value: f64,
    /// Marked as a lower bound.
    pub at_least: bool,
    /// Its unit, where the cell has one.
    pub unit: Option<Unit>,
}

/// A unit of time, size or share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Nanos,
    Micros,
    Millis,
    Seconds,
    Bytes,
    Kilobytes,
    Megabytes,
    Gigabytes,
    Kibibytes,
    Mebibytes,
    Gibibytes,
    Milli,
    Permille,
    Percent,
}

impl Unit {
    /// The unit that a word means.
    pub(super) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "ns" | "nanos" | "nanoseconds" => Self::Nanos,
            "us" | "µs" | "μs" | "usec" | "micros" | "microseconds" => Self::Micros,
            "ms" | "msec" | "millis" | "milliseconds" => Self::Millis,
            "s" | "sec" | "secs" | "seconds" => Self::Seconds,
            "b" | "bytes" => Self::Bytes,
            "kb" => Self::Kilobytes,
            "mb" => Self::Megabytes,
            "gb" => Self::Gigabytes,
            "kib" | "ki" => Self::Kibibytes,
            "mib" | "mi" => Self::Mebibytes,
            "gib" | "gi" => Self::Gibibytes,
            "milli" | "millicores" | "mcpu" => Self::Milli,
            "permille" | "‰" => Self::Permille,
            "percent" | "%" | "pct" => Self::Percent,
            _ => return None,
        })
    }

    /// In nanoseconds, bytes or shares of one.
    pub(super) fn factor(self) -> f64 {
        match self {
            Self::Nanos | Self::Bytes => 1.0,
            Self::Micros | Self::Kilobytes => 1e3,
            Self::Millis | Self::Megabytes => 1e6,
            Self::Seconds | Self::Gigabytes => 1e9,
            Self::Kibibytes => 1024.0,
            Self::Mebibytes => 1_048_576.0,
            Self::Gibibytes => 1_073_741_824.0,
            Self::Milli | Self::Permille => 1e-3,
            Self::Percent => 1e-2,
        }
    }
}

/// The number in a cell; `Ok(None)` is n/a, `Err` is neither.
pub(super) fn parse(text: &str) -> Result<Option<Cell>, ()> {
    let plain = plain(text);
    let text = plain.trim();
    if is_absent(text) {
        return Ok(None);
    }
    let bare = text.trim_start_matches(['≥', '>', '=', '~', '≈', '+']).trim_start();
    let marks = &text[..text.len() - bare.len()];
    let digits = bare.find(|letter: char| !is_numeric(letter)).unwrap_or(bare.len());
    // `1e3` is one number, `1.5 e` is not.
    let digits = exponent(bare, digits);
    let (number, unit) = bare.split_at(digits);
    let value: f64 = ungrouped(number.trim()).ok_or(())?.parse().map_err(|_| ())?;
    let (scale, unit) = suffix(unit.trim())?;
    Ok(Some(Cell { value: value * scale, at_least: marks.contains(['≥', '>']), unit }))
}

/// Whether a row so marked was taken back.
pub(super) fn is_struck(text: &str) -> bool {
    let text = text.trim();
    text.len() > 4 && text.starts_with("~~") && text.contains("~~") && text.matches("~~").count() >= 2
}

/// The text without emphasis, code marks and remarks in brackets.
pub(super) fn plain(text: &str) -> String {
    let text = text.replace("~~", "").replace(['*', '`', '†'], "").replace(['\u{a0}', '\u{202f}', '\u{2009}'], " ");
    let cut = text.find(['(', '[']).filter(|at| *at > 0).unwrap_or(text.len());
    text[..cut].to_owned()
}

fn is_absent(text: &str) -> bool {
    let lower = text.to_lowercase();
    matches!(
        lower.as_str(),
        "" | "n/a" | "na" | "n.a." | "-" | "—" | "–" | "--" | "null" | "none" | "nan" | "?" | "unknown"
    )
}

fn is_numeric(letter: char) -> bool {
    letter.is_ascii_digit() || matches!(letter, '.' | ',' | '_' | '\'' | '’' | '-' | '−' | ' ')
}

fn exponent(text: &str, digits: usize) -> usize {
    let rest = &text[digits..];
    let tail = rest.strip_prefix(['e', 'E']).filter(|_| digits > 0);
    let length = |tail: &str| {
        let signed = tail.strip_prefix(['+', '-']).unwrap_or(tail);
        let count = signed.bytes().take_while(u8::is_ascii_digit).count();
        (count > 0).then_some(1 + tail.len() - signed.len() + count)
    };
    digits + tail.and_then(length).unwrap_or(0)
}

/// A number without the separators between its thousands; `None` where a separator stands elsewhere.
fn ungrouped(number: &str) -> Option<String> {
    let number = number.replace('−', "-");
    let (sign, digits) = number.strip_prefix('-').map_or(("", number.as_str()), |rest| ("-", rest));
    let (whole, rest) = digits.split_at(digits.find(['.', 'e', 'E']).unwrap_or(digits.len()));
    let groups: Vec<_> = whole.split([',', '_', '\'', '’', ' ']).collect();
    let grouped = groups.len() == 1 || groups.first().is_some_and(|first| (1..=3).contains(&first.len()));
    let threes = groups.iter().skip(1).all(|group| group.len() == 3);
    let digits = groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_digit()));
    (grouped && threes && digits).then(|| format!("{sign}{}{rest}", groups.concat()))
}

fn suffix(text: &str) -> Result<(f64, Option<Unit>), ()> {
    let lower = text.to_lowercase();
    let lower = lower.trim_end_matches('.');
    let rate =
        ["rps", "qps", "req/s", "requests/s", "msg/s", "messages/s", "calls/s", "/s", "cores", "cpu", "cpus", "x", "×"];
    if lower.is_empty() || rate.contains(&lower) {
        return Ok((1.0, None));
    }
    match lower {
        "k" | "k/s" | "krps" => Ok((1e3, None)),
        "m" if text == "M" => Ok((1e6, None)),
        "m" => Ok((1.0, Some(Unit::Milli))),
        word => {
            let word = word.split('/').next().unwrap_or(word).trim();
            Unit::named(word).map(|unit| (1.0, Some(unit))).ok_or(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Unit, is_struck, parse};

    #[test]
    fn a_cell_is_a_number_with_its_marks_and_unit() {
        let check = |text, value: f64, at_least, unit| {
            let cell = parse(text).unwrap_or_else(|()| panic!("{text:?}")).unwrap_or_else(|| panic!("{text:?} is n/a"));
            assert!((cell.value - value).abs() <= 1e-9 * value.abs(), "{text:?}: {cell:?}");
            assert_eq!((cell.at_least, cell.unit), (at_least, unit), "{text:?}");
        };
        check("200", 200.0, false, None);
        check("200 (warmup)", 200.0, false, None);
        check("12,000", 12_000.0, false, None);
        check("1,234,567.5", 1_234_567.5, false, None);
        check("1 000", 1000.0, false, None);
        check("1'000", 1000.0, false, None);
        check("1_000", 1000.0, false, None);
        check("1\u{202f}000", 1000.0, false, None);
        check("**910.2**", 910.2, false, None);
        check("6.6 ms", 6.6, false, Some(Unit::Millis));
        check("150µs", 150.0, false, Some(Unit::Micros));
        check("≥ 95.0", 95.0, true, None);
        check(">= 95.0 ms", 95.0, true, Some(Unit::Millis));
        check("~ 925", 925.0, false, None);
        check("36,531 (10%)", 36_531.0, false, None);
        check("99.31 %", 99.31, false, Some(Unit::Percent));
        check("−3", -3.0, false, None);
        check("1e3", 1000.0, false, None);
        check("2.5E-2 s", 0.025, false, Some(Unit::Seconds));
        check("12k", 12_000.0, false, None);
        check("8,000 rps", 8000.0, false, None);
        check("324 MB", 324.0, false, Some(Unit::Megabytes));
        check("500m", 500.0, false, Some(Unit::Milli));
    }

    #[test]
    fn absent_is_absent_and_words_are_neither() {
        for text in ["", "n/a", "N/A", "-", "—", "null", " ", "NaN", "**n/a**", "n/a (no answer)"] {
            assert_eq!(parse(text), Ok(None), "{text:?}");
        }
        for text in ["low", "2,71", "1,00", "12,34,567", "1.2.3", "5 apples", "ms", "e5"] {
            assert_eq!(parse(text), Err(()), "{text:?}");
        }
    }

    #[test]
    fn a_struck_cell_is_taken_back_and_an_approximate_one_is_not() {
        assert!(is_struck("~~910.2~~"));
        assert!(!is_struck("~910.2"));
        assert!(!is_struck("~~"));
    }
}
