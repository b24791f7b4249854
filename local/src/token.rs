//! The key to a driver's control: random, told to nobody but the executor; the driver is given its sha256 alone.

use std::{
    fs::File,
    io::{self, Read},
};

use base16ct::lower::encode_string;

/// A fresh key, hexadecimal.
pub(crate) fn fresh() -> io::Result<String> {
    let mut bytes = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(encode_string(&bytes))
}
