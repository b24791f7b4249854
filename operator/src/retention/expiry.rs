//! Which results of a campaign's name are not kept any longer. In: what the user wants, the results that are there, the
//! time; out: those that go, each with the rule, and when to look again. Pure.

use std::fmt;

use soak_crds::spec::Retention;

/// All that one campaign of this name has left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResultSet {
    /// What its objects' names begin with.
    pub base: String,
    /// When the newest of its objects was made, nanoseconds since the Unix epoch. Whatever is removed of it, it never gets
    /// younger.
    pub newest_unix_nanos: i64,
    /// Bytes of its documents.
    pub bytes: i64,
}

/// By which rule results go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rule {
    /// There are so many newer ones.
    KeepLast(i32),
    /// They are older than this.
    MaxAge(String),
    /// With the newer ones they take more bytes.
    MaxBytes(i64),
}

/// What becomes of results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Expiry {
    /// The results that go, by [`ResultSet::base`].
    pub gone: Vec<(String, Rule)>,
    /// When the next ones will have to go; absent: not by age alone.
    pub next_unix_nanos: Option<i64>,
}

/// What is kept no longer. The newest results go by their age alone: what was just measured is never too much.
pub(crate) fn expiry(retention: &Retention, sets: &[ResultSet], now: i64) -> Expiry {
    let mut sets: Vec<&ResultSet> = sets.iter().collect();
    sets.sort_by(|one, two| (two.newest_unix_nanos, &two.base).cmp(&(one.newest_unix_nanos, &one.base)));
    let mut expiry = Expiry::default();
    let mut bytes = 0_i64;
    for (place, set) in sets.into_iter().enumerate() {
        bytes = bytes.saturating_add(set.bytes);
        let ends = retention.max_age.as_ref().map(|age| set.newest_unix_nanos.saturating_add(age.nanos()));
        let too_old = retention.max_age.as_ref().filter(|_| ends.is_some_and(|ends| ends <= now));
        let too_many = retention.keep_last.filter(|most| usize::try_from(*most).is_ok_and(|most| place >= most.max(1)));
        let too_big = retention.max_bytes.filter(|most| place > 0 && bytes > *most);
        let rule = too_old.map(|age| Rule::MaxAge(age.to_string()));
        let rule = rule.or(too_many.map(Rule::KeepLast)).or(too_big.map(Rule::MaxBytes));
        match rule {
            Some(rule) => {
                // What goes takes no room any more.
                bytes -= set.bytes;
                expiry.gone.push((set.base.clone(), rule));
            }
            None => expiry.next_unix_nanos = [expiry.next_unix_nanos, ends].into_iter().flatten().min(),
        }
    }
    expiry
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeepLast(most) => write!(f, "spec.retention.keepLast ({most})"),
            Self::MaxAge(age) => write!(f, "spec.retention.maxAge ({age})"),
            Self::MaxBytes(most) => write!(f, "spec.retention.maxBytes ({most})"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const HOUR: i64 = 3_600_000_000_000;

    /// Results of these ages in hours, each of ten bytes; named by their place.
    fn sets(ages: &[i64], now: i64) -> Vec<ResultSet> {
        let set = |(place, age): (usize, &i64)| ResultSet {
            base: place.to_string(),
            newest_unix_nanos: now - age * HOUR,
            bytes: 10,
        };
        ages.iter().enumerate().map(set).collect()
    }

    fn check(retention: Value, ages: &[i64], expected: &[(&str, &str)], next_hours: Option<i64>) {
        let now = 1_000 * HOUR;
        let retention: Retention = serde_json::from_value(retention).unwrap();
        let found = expiry(&retention, &sets(ages, now), now);
        let gone: Vec<(String, String)> =
            found.gone.iter().map(|(base, rule)| (base.clone(), rule.to_string())).collect();
        let gone: Vec<(&str, &str)> = gone.iter().map(|(base, rule)| (base.as_str(), rule.as_str())).collect();
        assert_eq!(gone, expected, "{retention:?}");
        assert_eq!(found.next_unix_nanos.map(|at| (at - now) / HOUR), next_hours, "{retention:?}");
    }

    #[test]
    fn each_rule_takes_the_oldest_first() {
        check(json!({}), &[9, 1, 5], &[], None);
        check(json!({"keepLast": 2}), &[9, 1, 5], &[("0", "spec.retention.keepLast (2)")], None);
        check(json!({"keepLast": 3}), &[9, 1, 5], &[], None);
        check(json!({"maxAge": "6h"}), &[9, 1, 5], &[("0", "spec.retention.maxAge (6h)")], Some(1));
        check(json!({"maxAge": "9h"}), &[9], &[("0", "spec.retention.maxAge (9h)")], None);
        let big = "spec.retention.maxBytes (15)";
        check(json!({"maxBytes": 15}), &[9, 1, 5], &[("2", big), ("0", big)], None);
        check(json!({"maxBytes": 20}), &[9, 1, 5], &[("0", "spec.retention.maxBytes (20)")], None);
    }

    #[test]
    fn the_newest_results_go_by_age_alone() {
        check(json!({"maxBytes": 1, "keepLast": 1}), &[1], &[], None);
        check(json!({"maxAge": "1h", "keepLast": 1}), &[2], &[("0", "spec.retention.maxAge (1h)")], None);
    }

    #[test]
    fn what_goes_takes_no_room() {
        let now = 1_000 * HOUR;
        let mut sets = sets(&[1, 2, 3], now);
        sets[1].bytes = 100;
        let retention: Retention = serde_json::from_value(json!({"maxBytes": 30})).unwrap();
        let gone: Vec<String> = expiry(&retention, &sets, now).gone.into_iter().map(|(base, _)| base).collect();
        assert_eq!(gone, ["1"], "the oldest fits beside the newest");
    }

    #[test]
    fn what_is_gone_in_part_goes_on_being_gone() {
        let now = 1_000 * HOUR;
        let retention: Retention = serde_json::from_value(json!({"keepLast": 1})).unwrap();
        let mut sets = sets(&[1, 2], now);
        assert_eq!(expiry(&retention, &sets, now).gone[0].0, "1");
        sets[1].newest_unix_nanos -= HOUR;
        assert_eq!(expiry(&retention, &sets, now).gone[0].0, "1");
    }
}
