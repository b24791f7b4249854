//! Words and numbers within the bounds of the status.

/// The most characters of a text in the status.
const MOST: usize = 256;

/// A text, cut where it is too long.
pub(super) fn short(words: String) -> String {
    if words.chars().count() <= MOST {
        return words;
    }
    words.chars().take(MOST - 1).chain(['…']).collect()
}

/// A number as the status has it: whole.
#[allow(clippy::cast_possible_truncation, reason = "rates, nanoseconds and thousandths lie far within i64")]
pub(super) fn rounded(value: f64) -> i64 {
    value.round() as i64
}
