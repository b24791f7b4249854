//! What was declared of a lever, what the running process showed, and where it was read.

use serde::{Deserialize, Serialize};

/// One lever's proof on one arm. Every declared lever has one, also where nothing could be observed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeverProof {
    /// The lever: `args --codec`, `env RUST_LOG`, `settings.executor`, `resources.cpu`, …
    pub lever: String,
    /// What was declared.
    pub declared: String,
    /// What the process showed; null where it could not be observed.
    pub observed: Option<String>,
    /// Where it was read.
    pub source: ProofSource,
    /// True where the process showed what was declared; null where this machine does not permit to enforce it,
    /// which tables say. What could be enforced and was not observed is not held.
    pub held: Option<bool>,
    /// What a reader should know besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Where a lever was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProofSource {
    /// The JVM's own flags, by its attach protocol.
    Attach,
    /// The process's command line.
    CommandLine,
    /// The process's environment.
    Environ,
    /// The limits of the process's cgroup.
    Cgroup,
    /// The CPUs on which each thread of the process may run.
    Affinity,
    /// The server's admin port.
    Admin,
    /// The kubelet's report of the pod.
    Kubelet,
}

impl LeverProof {
    /// What was declared, what was observed and where, in one line.
    pub fn in_words(&self) -> String {
        let Self { lever, declared, observed, source, held: _, note } = self;
        let observed = observed.as_deref().unwrap_or("nothing");
        let note = note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        format!("{lever}: declared {declared}, observed {observed} ({}{note})", source.words())
    }
}

impl ProofSource {
    /// Where it was read, for a reader.
    pub fn words(self) -> &'static str {
        match self {
            Self::Attach => "the JVM's own flags",
            Self::CommandLine => "command line",
            Self::Environ => "environment",
            Self::Cgroup => "cgroup",
            Self::Affinity => "affinity of its threads",
            Self::Admin => "admin port",
            Self::Kubelet => "kubelet",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LeverProof, ProofSource};

    #[test]
    fn a_proof_in_words_tells_what_was_declared_what_was_seen_and_where() {
        let check = |observed: Option<&str>, note: Option<&str>, expected: &str| {
            let proof = LeverProof {
                lever: "env POOL".to_owned(),
                declared: "8".to_owned(),
                observed: observed.map(str::to_owned),
                source: ProofSource::Environ,
                held: Some(false),
                note: note.map(str::to_owned),
            };
            assert_eq!(proof.in_words(), expected);
        };
        check(Some("4"), None, "env POOL: declared 8, observed 4 (environment)");
        check(None, Some("no such variable"), "env POOL: declared 8, observed nothing (environment: no such variable)");
    }
}
