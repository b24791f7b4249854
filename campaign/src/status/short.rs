//! Words and numbers within the bounds of the status.

/// The most characters of a text in the status.
const MOST: usize = 256;

/// A text within the bound of the status.
pub(super) fn short(words: &str) -> String {
    cut(words, MOST)
}

/// A text of at most so many characters; where it is cut, it says so.
pub(super) fn cut(words: &str, most: usize) -> String {
    if words.chars().count() <= most {
        return words.to_owned();
    }
    words.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// A number as the status has it: whole.
#[allow(clippy::cast_possible_truncation, reason = "rates, nanoseconds and thousandths lie far within i64")]
pub(super) fn rounded(value: f64) -> i64 {
    value.round() as i64
}
