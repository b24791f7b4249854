//! Committed files that are made from the types: written anew, or compared. In: a file's name and the text that it should
//! have; out: the file, or which command makes it.

use std::{fs, io, path::Path};

use crate::{Fault, root};

/// What is done with a committed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// It is written anew.
    Write,
    /// It is compared.
    Check,
}

impl Committed {
    /// Writes or compares one; `command` is the chore that writes it.
    pub fn file(self, file: &str, text: &str, command: &str) -> Result<(), Fault> {
        let path = root().join(file);
        match self {
            Self::Write => fs::write(&path, text).map_err(|error| Fault::file(&path, error)),
            Self::Check if read(&path)? == text => Ok(()),
            Self::Check => {
                Err(Fault::Failed(format!("{file} differs from the types: run `cargo xtask {command}` and commit it")))
            }
        }
    }
}

/// A file's text; none where it is not there.
fn read(path: &Path) -> Result<String, Fault> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| Fault::file(path, error)),
    }
}
