//! The environment of a process. In: a process and the keys that were declared; out: their values, and one salted hash
//! of everything else. Nothing that was not declared ever leaves this module.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::{ReadError, Root, process, root};

/// What may be told of a process's environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// Each declared key with its value; `None` where the process has no such variable.
    pub declared: BTreeMap<String, Option<String>>,
    /// Hash of salt and all other variables, in any order: tells whether two environments differ, and nothing else.
    pub rest_sha256: String,
}

impl Environment {
    /// Reads the environment that a process was executed with. The salt keeps hashes from being looked up: one salt a
    /// campaign, never published.
    pub fn read(root: &Root, pid: u32, keys: &[&str], salt: &[u8]) -> Result<Self, ReadError> {
        let bytes = root::bytes(&root.process(pid).join("environ"))?;
        Ok(Self::sift(&bytes, keys, salt))
    }

    fn sift(bytes: &[u8], keys: &[&str], salt: &[u8]) -> Self {
        let mut declared: BTreeMap<String, Option<String>> = keys.iter().map(|&key| (key.to_owned(), None)).collect();
        let mut rest = Vec::new();
        for variable in process::split_at_zeros(bytes) {
            match variable.split_once('=').and_then(|(key, value)| Some((declared.get_mut(key)?, value))) {
                // The C library answers with the first where a name comes twice.
                Some((held, value)) => {
                    held.get_or_insert_with(|| value.to_owned());
                }
                None => rest.push(variable),
            }
        }
        rest.sort_unstable();
        Self { declared, rest_sha256: salted(&rest, salt) }
    }
}

fn salted(variables: &[String], salt: &[u8]) -> String {
    let mut hash = Sha256::new();
    for piece in std::iter::once(salt).chain(variables.iter().map(String::as_bytes)) {
        hash.update((piece.len() as u64).to_le_bytes());
        hash.update(piece);
    }
    base16ct::lower::encode_string(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::Environment;

    const BYTES: &[u8] = b"PATH=/bin\0TOKEN=very-secret\0MODE=fast=er\0EMPTY=\0MODE=slow\0";

    #[test]
    fn only_declared_keys_come_out() {
        let told = Environment::sift(BYTES, &["MODE", "EMPTY", "ABSENT"], b"salt");
        let values: Vec<_> = told.declared.iter().map(|(key, value)| (key.as_str(), value.as_deref())).collect();
        assert_eq!(values, [("ABSENT", None), ("EMPTY", Some("")), ("MODE", Some("fast=er"))]);
        assert!(!format!("{told:?}").contains("secret"));
    }

    #[test]
    fn the_hash_of_the_rest_knows_salt_and_content_but_not_order() {
        let hash = |bytes: &[u8], salt: &[u8]| Environment::sift(bytes, &["MODE"], salt).rest_sha256;
        assert_eq!(hash(b"A=1\0MODE=x\0B=2\0", b"s"), hash(b"B=2\0A=1\0MODE=y\0", b"s"));
        assert_ne!(hash(b"A=1\0B=2\0", b"s"), hash(b"A=1\0B=2\0", b"t"));
        assert_ne!(hash(b"A=1\0B=2\0", b"s"), hash(b"A=1\0B=3\0", b"s"));
        assert_ne!(hash(b"A=1\0B=2\0", b"s"), hash(b"A=1B=2\0", b"s"));
    }
}
