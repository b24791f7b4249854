//! A registry, spoken to by skopeo. In: names and versions. Out: the digests that it has, and archives pushed as they are.

use std::{path::Path, process::Command};

use crate::{Fault, images::archive::sha256, program};

/// How registries say that there is no such thing.
const ABSENT: [&str; 3] = ["manifest unknown", "name unknown", "not found"];

/// A registry and the path in it that names begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Registry {
    pub path: String,
    pub plain_http: bool,
}

impl Registry {
    /// The digest of what is published under a name and a version; `None` where nothing is.
    pub(super) fn digest(&self, name: &str, version: &str) -> Result<Option<String>, Fault> {
        let verify = format!("--tls-verify={}", !self.plain_http);
        match program::run("skopeo", &["inspect", "--raw", &verify, &self.reference(name, version)]) {
            Ok(manifest) => Ok(Some(format!("sha256:{}", sha256(manifest.as_bytes())))),
            Err(Fault::Failed(words)) if is_absent(&words) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Pushes an archive without changing a byte of it.
    pub(super) fn push(&self, name: &str, version: &str, archive: &Path) -> Result<(), Fault> {
        let mut command = Command::new("skopeo");
        command.args(["copy", "--quiet", "--preserve-digests", "--insecure-policy"]);
        command.arg(format!("--dest-tls-verify={}", !self.plain_http));
        command.arg(format!("oci-archive:{}:{version}", archive.display())).arg(self.reference(name, version));
        program::output(&mut command).map(drop)
    }

    fn reference(&self, name: &str, version: &str) -> String {
        format!("docker://{}/{name}:{version}", self.path)
    }
}

fn is_absent(words: &str) -> bool {
    let words = words.to_lowercase();
    ABSENT.iter().any(|absent| words.contains(absent))
}

#[cfg(test)]
mod tests {
    use super::is_absent;

    #[test]
    fn only_a_registrys_own_words_mean_that_nothing_is_there() {
        let check = |words, expected| assert_eq!(is_absent(words), expected, "{words}");
        check("reading manifest 0.1.0 in a/b: manifest unknown", true);
        check("reading manifest 1 in a/b: name unknown: repository name not known to registry", true);
        check("dial tcp 127.0.0.1:1: connect: connection refused", false);
        check("unauthorized: authentication required", false);
    }
}
