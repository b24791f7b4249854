//! Did you mean: the word of a list that is most like one that is not in it.

use strsim::damerau_levenshtein;

/// The word most like `written`, where one is like enough: a third of its letters may differ; case and dashes do not count.
pub(super) fn nearest<'a>(written: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = plain(written);
    let distance = |word: &str| damerau_levenshtein(&plain, &self::plain(word));
    let most = (plain.chars().count() / 3).max(1);
    words.into_iter().map(|word| (distance(word), word)).filter(|(far, _)| *far <= most).min().map(|(_, word)| word)
}

fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, expected: Option<&str>) {
        let words = ["stepDuration", "steps", "warmup", "Http1", "Http2", "jvm-grpc"];
        assert_eq!(nearest(written, words), expected, "{written}");
    }

    #[test]
    fn a_slip_is_taken_for_the_word_that_was_meant() {
        check("stepDurations", Some("stepDuration"));
        check("step_duration", Some("stepDuration"));
        check("warmpu", Some("warmup"));
        check("http1", Some("Http1"));
        check("JvmGrpc", Some("jvm-grpc"));
    }

    #[test]
    fn another_word_is_not_guessed_at() {
        check("replicates", None);
        check("", None);
        check("xy", None);
    }
}
