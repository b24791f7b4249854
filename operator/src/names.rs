//! The names of everything that a campaign makes: the same for the same campaign whenever they are asked for, and short
//! enough for a label. Pure.

use base16ct::lower::encode_string;
use sha2::{Digest as _, Sha256};
use soak_campaign::step::PartKey;

/// The most letters of a campaign's own name.
const MOST_OF_NAME: usize = 30;

/// The label that ties an object to its campaign; its value is the campaign's [`Base`].
pub const CAMPAIGN: &str = "soak.dev/campaign";
/// What a pod or ConfigMap is.
pub const ROLE: &str = "soak.dev/role";
/// The run's place in the plan, from 0.
pub(crate) const RUN: &str = "soak.dev/run";
/// The attempt, from 1.
pub(crate) const ATTEMPT: &str = "soak.dev/attempt";
/// The part, from 1.
pub(crate) const PART: &str = "soak.dev/part";
/// The one field manager.
pub(crate) const MANAGER: &str = "soak-operator";

/// What all names of a campaign begin with: its own name, cut, and a hash of what it asks for. A campaign that asks for
/// something else has another, so that results of two plans are never mixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base(String);

impl Base {
    /// Of a campaign's name and the text of what it asks for.
    pub fn of(name: &str, asked: &[u8]) -> Self {
        let hash = Sha256::new().chain_update(name).chain_update([0]).chain_update(asked).finalize();
        let short = encode_string(&hash[..4]);
        let cut: String = name.chars().take(MOST_OF_NAME).map(|c| if c == '.' { '-' } else { c }).collect();
        Self(format!("{}-{short}", cut.trim_end_matches('-')))
    }

    /// From a label's value.
    pub fn from_label(label: &str) -> Self {
        Self(label.to_owned())
    }

    /// As a label's value.
    pub fn label(&self) -> &str {
        &self.0
    }

    /// The ConfigMap of the plan.
    pub fn plan(&self) -> String {
        format!("{}.plan", self.0)
    }

    /// The ConfigMap of a record: of the run at this place, the record of this number.
    pub fn record(&self, run: usize, number: usize) -> String {
        format!("{}.r{run}.{number:04}", self.0)
    }

    /// The ConfigMap of a run's results.
    pub fn result(&self, run: usize) -> String {
        format!("{}.r{run}", self.0)
    }

    /// The ConfigMap of the index, written last.
    pub fn index(&self) -> String {
        format!("{}.index", self.0)
    }

    /// A pod of a part.
    pub(crate) fn pod(&self, run: usize, part: &PartKey, role: Role) -> String {
        format!("{}-r{run}-{}-{}-{}", self.0, part.attempt.attempt, part.part, role.word())
    }
}

/// What a pod is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The server under test, with its witness.
    Arm,
    /// Makes the load.
    Driver,
}

impl Role {
    /// As a label's value.
    pub fn word(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::Driver => "driver",
        }
    }
}

#[cfg(test)]
mod tests {
    use soak_campaign::{plan::RunId, step::AttemptKey};

    use super::*;

    #[test]
    fn names_fit_a_label_whatever_the_campaigns_name() {
        for name in ["a".to_owned(), "x".repeat(253), format!("{}.{}", "y".repeat(29), "z".repeat(100))] {
            let base = Base::of(&name, b"spec");
            let part = AttemptKey { run: RunId("r".to_owned()), attempt: 2 }.part(50);
            for name in [base.pod(639, &part, Role::Driver), base.record(639, 9999), base.index(), base.plan()] {
                assert!(name.len() <= 63, "{name}");
                let ends = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
                assert!(name.starts_with(ends) && name.ends_with(ends), "{name}");
            }
        }
    }

    #[test]
    fn another_spec_or_name_has_other_names() {
        let base = Base::of("a", b"one");
        assert_eq!(base, Base::of("a", b"one"));
        assert_ne!(base, Base::of("a", b"two"));
        assert_ne!(Base::of(&"a".repeat(40), b""), Base::of(&"a".repeat(41), b""));
    }
}
