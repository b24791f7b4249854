//! A term of leading: when a Lease is this operator's to write, and what is written. Times of other hosts are never
//! compared with this one's: a Lease has run out when it was not changed for its duration by this host's clock. Pure.

use std::time::Duration;

use k8s_openapi::{
    api::coordination::v1::{Lease, LeaseSpec},
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::Timestamp,
};

/// A Lease that was not renewed for this long is anybody's.
const DURATION: Duration = Duration::from_secs(10);
/// Its holder renews it this often.
pub(super) const RENEW: Duration = Duration::from_secs(3);
/// Those who wait look at it this often.
pub(super) const LOOK: Duration = Duration::from_secs(2);

/// A Lease as it was read: whatever is written changes its version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Held {
    /// Who holds it; empty: nobody.
    pub holder: String,
    /// What changes with each write.
    pub version: String,
    /// After how long without a change it has run out.
    pub duration: Duration,
}

/// What is to be done about a Lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// It is taken or renewed.
    Write,
    /// It is another's.
    Wait,
}

impl Held {
    /// Of a Lease.
    pub fn of(lease: &Lease) -> Self {
        let spec = lease.spec.as_ref();
        let seconds = spec.and_then(|spec| spec.lease_duration_seconds).and_then(|seconds| u64::try_from(seconds).ok());
        Self {
            holder: spec.and_then(|spec| spec.holder_identity.clone()).unwrap_or_default(),
            version: lease.metadata.resource_version.clone().unwrap_or_default(),
            duration: seconds.map_or(DURATION, Duration::from_secs),
        }
    }
}

/// What is to be done, by who this is and for how long the Lease has been as it is.
pub(super) fn next(own: &str, held: &Held, unchanged_for: Duration) -> Next {
    let is_free = held.holder.is_empty() || held.holder == own;
    if is_free || unchanged_for >= held.duration { Next::Write } else { Next::Wait }
}

/// Whether the holder has written it again between two looks.
pub(super) fn is_renewal(before: &Held, after: &Held) -> bool {
    !after.holder.is_empty() && before.holder == after.holder && before.version != after.version
}

/// The Lease of this operator, taken or renewed.
pub(super) fn renewed(before: Option<&LeaseSpec>, own: &str, now: Timestamp) -> LeaseSpec {
    let ours = before.filter(|spec| spec.holder_identity.as_deref() == Some(own));
    let taken = before.and_then(|spec| spec.lease_transitions).unwrap_or(0);
    LeaseSpec {
        holder_identity: Some(own.to_owned()),
        lease_duration_seconds: i32::try_from(DURATION.as_secs()).ok(),
        acquire_time: ours.and_then(|spec| spec.acquire_time.clone()).or(Some(MicroTime(now))),
        renew_time: Some(MicroTime(now)),
        lease_transitions: Some(if ours.is_some() || before.is_none() { taken } else { taken.saturating_add(1) }),
        ..before.cloned().unwrap_or_default()
    }
}

/// The Lease of nobody.
pub(super) fn given_up(before: &LeaseSpec, now: Timestamp) -> LeaseSpec {
    LeaseSpec {
        holder_identity: Some(String::new()),
        lease_duration_seconds: Some(1),
        acquire_time: None,
        renew_time: Some(MicroTime(now)),
        ..before.clone()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn held(holder: &str, seconds: u64) -> Held {
        Held { holder: holder.to_owned(), version: "7".to_owned(), duration: Duration::from_secs(seconds) }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_lease_is_written_by_its_holder_or_once_it_is_free_or_has_run_out() {
        let check = |held: &Held, unchanged: u64, expected| {
            assert_eq!(next("a", held, Duration::from_secs(unchanged)), expected, "{held:?} for {unchanged} s");
        };
        check(&Held::default(), 0, Next::Write);
        check(&held("", 10), 0, Next::Write);
        check(&held("a", 10), 0, Next::Write);
        check(&held("b", 10), 0, Next::Wait);
        check(&held("b", 10), 9, Next::Wait);
        check(&held("b", 10), 10, Next::Write);
        check(&held("b", 15), 10, Next::Wait);
    }

    #[test]
    fn a_holder_that_lives_renews_well_before_its_lease_runs_out() {
        assert!(RENEW * 3 < DURATION, "three attempts");
        assert!(LOOK < RENEW, "who waits sees each renewal");
    }

    #[test]
    fn a_renewal_keeps_since_when_it_is_held_and_a_new_holder_is_counted() {
        let first = renewed(None, "a", at(1));
        assert_eq!(first.lease_transitions, Some(0));
        let second = renewed(Some(&first), "a", at(4));
        assert_eq!(
            (second.acquire_time.clone(), second.renew_time.clone()),
            (Some(MicroTime(at(1))), Some(MicroTime(at(4))))
        );
        assert_eq!(second.lease_transitions, Some(0));
        let other = renewed(Some(&second), "b", at(20));
        assert_eq!((other.holder_identity.as_deref(), other.lease_transitions), (Some("b"), Some(1)));
        assert_eq!(other.acquire_time, Some(MicroTime(at(20))));
    }

    #[test]
    fn a_holder_lives_when_it_writes_again_and_not_when_another_does() {
        let later = |held: Held| Held { version: "8".to_owned(), ..held };
        assert!(is_renewal(&held("a", 10), &later(held("a", 10))));
        assert!(!is_renewal(&held("a", 10), &held("a", 10)), "nothing was written");
        assert!(!is_renewal(&held("a", 10), &later(held("b", 10))), "another took it");
        assert!(!is_renewal(&held("", 10), &later(held("", 10))), "nobody holds it");
    }

    #[test]
    fn a_lease_that_was_given_up_is_anybodys_at_once_and_the_count_goes_on() {
        let free = given_up(&renewed(None, "a", at(1)), at(2));
        let lease = Lease { spec: Some(free.clone()), ..Lease::default() };
        assert_eq!(next("b", &Held::of(&lease), Duration::ZERO), Next::Write);
        assert_eq!(renewed(Some(&free), "b", at(3)).lease_transitions, Some(1));
    }

    #[test]
    fn a_lease_without_a_duration_has_this_operators() {
        let lease = Lease {
            spec: Some(LeaseSpec { holder_identity: Some("b".to_owned()), ..LeaseSpec::default() }),
            ..Lease::default()
        };
        assert_eq!(Held::of(&lease), Held { holder: "b".to_owned(), version: String::new(), duration: DURATION });
    }
}
