//! Who may order: driver and witness are given the SHA-256 of a token, callers bring the token.

use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenHash([u8; 32]);

/// A text that is not a SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256: 64 hexadecimal digits are needed")]
pub struct TokenError;

impl TokenHash {
    /// True for the token of this hash. Takes the same time wherever the two differ.
    pub fn is_of(&self, token: &str) -> bool {
        let other = Sha256::digest(token.as_bytes());
        self.0.iter().zip(other).fold(0, |differs, (ours, theirs)| differs | (ours ^ theirs)) == 0
    }
}

impl FromStr for TokenHash {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        let mut bytes = [0; 32];
        let read = base16ct::mixed::decode(text, &mut bytes).map_err(|_| TokenError)?.len();
        if read == bytes.len() { Ok(Self(bytes)) } else { Err(TokenError) }
    }
}

#[cfg(test)]
mod tests {
    use super::{TokenError, TokenHash};

    #[test]
    fn only_the_token_of_a_hash_is_taken() {
        // SHA-256 of "abc" (FIPS 180-4, example).
        let hash: TokenHash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".parse().unwrap();
        assert!(hash.is_of("abc"));
        assert!(!hash.is_of("abd"));
        assert!(!hash.is_of(""));
        assert_eq!("ba78".parse::<TokenHash>(), Err(TokenError));
        assert_eq!(
            "zz7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".parse::<TokenHash>(),
            Err(TokenError)
        );
    }
}
