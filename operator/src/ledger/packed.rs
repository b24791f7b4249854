//! A document as compressed JSON, the same bytes for the same value. Pure.

use std::io::{self, Read as _, Write as _};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde::{Serialize, de::DeserializeOwned};

/// The most bytes of a document when unpacked.
const MOST: u64 = 64 << 20;

/// Why a document cannot be packed or unpacked.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It is not compressed as it should be.
    #[error("it is not compressed as it should be: {0}")]
    Compression(#[from] io::Error),
    /// It is not of the agreed shape.
    #[error("it is not of the agreed shape: {0}")]
    Shape(#[from] serde_json::Error),
}

/// Packs a document.
pub fn pack<T: Serialize>(value: &T) -> Result<Vec<u8>, PackError> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(&serde_json::to_vec(value)?)?;
    Ok(packer.finish()?)
}

/// The text of a packed document.
pub(super) fn text(bytes: &[u8]) -> Result<String, PackError> {
    let mut text = String::new();
    GzDecoder::new(bytes).take(MOST).read_to_string(&mut text)?;
    Ok(text)
}

/// Unpacks a document.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, PackError> {
    Ok(serde_json::from_str(&text(bytes)?)?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::{pack, unpack};

    #[test]
    fn what_is_packed_is_unpacked_and_packs_to_the_same_bytes() {
        let value = vec![1, 2, 3];
        let bytes = pack(&value).unwrap();
        assert_eq!(unpack::<Vec<i32>>(&bytes).unwrap(), value);
        assert_eq!(pack(&value).unwrap(), bytes);
        assert!(unpack::<Vec<i32>>(b"no").is_err());
        assert!(unpack::<Vec<i32>>(&pack(&"text").unwrap()).is_err());
    }
}
