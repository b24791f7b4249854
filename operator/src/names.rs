//! The names of everything that a campaign makes: the same for the same campaign whenever they are asked for, and short
//! enough for a label. Pure.

use base16ct::lower::encode_string;
use sha2::{Digest as _, Sha256};
use soak_campaign::step::PartKey;

/// The most letters of a campaign's own name.
const MOST_OF_NAME: usize = 30;
/// The most letters of a label's value.
const MOST_OF_LABEL: usize = 63;

/// The label that ties an object to its campaign; its value is the campaign's [`Base`].
pub const CAMPAIGN: &str = "soak.dev/campaign";
/// The label of a ConfigMap that names its campaign: results of several specs under one name have it in common.
pub(crate) const NAME: &str = "soak.dev/name";
/// The annotation of a ConfigMap that tells the bytes of its documents.
pub(crate) const BYTES: &str = "soak.dev/bytes";
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
pub struct Base {
    text: String,
    name: String,
}

impl Base {
    /// Of a campaign's name and the text of what it asks for.
    pub fn of(name: &str, asked: &[u8]) -> Self {
        let hash = Sha256::new().chain_update(name).chain_update([0]).chain_update(asked).finalize();
        let short = encode_string(&hash[..4]);
        let cut: String = name.chars().take(MOST_OF_NAME).map(|c| if c == '.' { '-' } else { c }).collect();
        Self { text: format!("{}-{short}", cut.trim_end_matches('-')), name: name_label(name) }
    }

    /// From a label's value: the campaign's own name is known only as far as the label has it.
    pub fn from_label(label: &str) -> Self {
        let name = label.rsplit_once('-').map_or(label, |(name, _)| name);
        Self { text: label.to_owned(), name: name.to_owned() }
    }

    /// As a label's value.
    pub fn label(&self) -> &str {
        &self.text
    }

    /// The value of the label [`NAME`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The ConfigMap of the plan.
    pub fn plan(&self) -> String {
        format!("{}.plan", self.text)
    }

    /// The ConfigMap of a record: of the run at this place, the record of this number.
    pub fn record(&self, run: usize, number: usize) -> String {
        format!("{}.r{run}.{number:04}", self.text)
    }

    /// The ConfigMap of a run's results; after withdrawals there is another one, by their number.
    pub fn result(&self, run: usize, withdrawals: usize) -> String {
        format!("{}.r{run}{}", self.text, later(withdrawals))
    }

    /// The ConfigMap of the index, written last; after withdrawals there is another one, by their number.
    pub fn index(&self, withdrawals: usize) -> String {
        format!("{}.index{}", self.text, later(withdrawals))
    }

    /// A pod of a part.
    pub(crate) fn pod(&self, run: usize, part: &PartKey, role: Role) -> String {
        format!("{}-r{run}-{}-{}-{}", self.text, part.attempt.attempt, part.part, role.word())
    }
}

fn later(withdrawals: usize) -> String {
    if withdrawals == 0 { String::new() } else { format!(".w{withdrawals}") }
}

/// A campaign's name as a label's value: itself, or cut with a hash where it is too long.
fn name_label(name: &str) -> String {
    if name.len() <= MOST_OF_LABEL {
        return name.to_owned();
    }
    let cut: String = name.chars().take(MOST_OF_LABEL - 9).collect();
    let hash = encode_string(&Sha256::digest(name)[..4]);
    format!("{}-{hash}", cut.trim_end_matches(['-', '.']))
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
            for name in [
                base.pod(639, &part, Role::Driver),
                base.record(639, 9999),
                base.index(256),
                base.result(639, 256),
                base.plan(),
                base.name().to_owned(),
            ] {
                assert!(name.len() <= 63, "{name}");
                let ends = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
                assert!(name.starts_with(ends) && name.ends_with(ends), "{name}");
            }
        }
    }

    #[test]
    fn a_withdrawal_gives_results_and_index_another_name() {
        let base = Base::of("a", b"");
        assert_eq!(base.result(3, 0), format!("{}.r3", base.label()));
        assert_eq!(base.result(3, 2), format!("{}.r3.w2", base.label()));
        assert_eq!(base.index(0), format!("{}.index", base.label()));
        assert_eq!(base.index(1), format!("{}.index.w1", base.label()));
    }

    #[test]
    fn long_names_that_begin_alike_have_labels_of_their_own() {
        let base = |last: &str| Base::of(&format!("{}{last}", "x".repeat(70)), b"");
        assert_ne!(base("a").name(), base("b").name());
        assert_eq!(Base::of("my.campaign", b"1").name(), "my.campaign");
    }

    #[test]
    fn another_spec_or_name_has_other_names() {
        let base = Base::of("a", b"one");
        assert_eq!(base, Base::of("a", b"one"));
        assert_ne!(base, Base::of("a", b"two"));
        assert_ne!(Base::of(&"a".repeat(40), b""), Base::of(&"a".repeat(41), b""));
    }
}
