//! The token that opens a part's driver and witness: an HMAC of the part's name under the operator's key. The pods are
//! given its SHA-256 alone. Pure.

use base16ct::lower::encode_string;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

/// The token of a name, hexadecimal: HMAC-SHA256 (RFC 2104).
#[allow(clippy::expect_used, reason = "an HMAC takes keys of every length")]
pub(crate) fn token(key: &[u8], name: &str) -> String {
    let keyed = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    encode_string(&keyed.chain_update(name).finalize().into_bytes())
}

/// The SHA-256 of a text, hexadecimal.
pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> String {
    encode_string(&Sha256::digest(bytes.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::token;

    #[test]
    fn the_token_is_the_hmac_of_the_standards_examples() {
        // RFC 4231, cases 1, 2 and 6.
        let check = |key: &[u8], data: &str, expected: &str| assert_eq!(token(key, data), expected);
        check(&[0x0b; 20], "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        check(
            b"Jefe",
            "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        );
        check(
            &[0xaa; 131],
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        );
    }
}
