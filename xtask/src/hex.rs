//! Bytes as hexadecimal letters.

const LETTERS: &[u8; 16] = b"0123456789abcdef";

/// Two letters a byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves.map(|half| char::from(LETTERS[usize::from(half)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_two_letters() {
        assert_eq!(hex(&[0, 0x0f, 0xa9, 0xff]), "000fa9ff");
    }
}
