//! What was executed, by its bytes. In go paths; out come sha256 sums. It must not run anything.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use base16ct::lower::encode_string;
use sha2::{Digest, Sha256};

/// The sha256 of a file's bytes, hexadecimal.
pub fn of_file(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut sum = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(encode_string(&sum.finalize())),
            n => sum.update(&buffer[..n]),
        }
    }
}

/// The sha256 of bytes, hexadecimal.
pub fn of_bytes(bytes: &[u8]) -> String {
    encode_string(&Sha256::digest(bytes))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_sha256sum() {
        assert_eq!(of_bytes(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(of_bytes(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
