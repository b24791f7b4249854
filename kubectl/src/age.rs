//! How long ago something was, as `kubectl` writes it: the two largest units at most. Pure.

use k8s_openapi::{apimachinery::pkg::apis::meta::v1::Time, jiff::Timestamp};

/// The age of what was made then; `<unknown>` where that is not known.
pub fn age(made: Option<&Time>, now: Timestamp) -> String {
    made.map_or_else(|| "<unknown>".to_owned(), |made| words(now.as_second() - made.0.as_second()))
}

/// A span of seconds in short.
pub fn words(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let with = |large: i64, unit: &str, small: i64, small_unit: &str| match small {
        0 => format!("{large}{unit}"),
        small => format!("{large}{unit}{small}{small_unit}"),
    };
    match seconds {
        0..120 => format!("{seconds}s"),
        120..600 => with(minutes, "m", seconds % 60, "s"),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => with(hours, "h", minutes % 60, "m"),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => with(days, "d", hours % 24, "h"),
        691_200..63_072_000 => format!("{days}d"),
        _ => with(days / 365, "y", days % 365, "d"),
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn an_age_is_written_as_kubectl_writes_it() {
        let check = |seconds: i64, expected: &str| assert_eq!(words(seconds), expected);
        check(-3, "0s");
        check(119, "119s");
        check(120, "2m");
        check(125, "2m5s");
        check(601, "10m");
        check(3 * 3600 + 60, "3h1m");
        check(9 * 3600, "9h");
        check(49 * 3600, "2d1h");
        check(9 * 86_400, "9d");
        check(800 * 86_400, "2y70d");
    }
}
