//! The edge to the file system: a campaign's text and its bodies' bytes, or the one reason why they cannot be had.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use super::{Fault, Rejected};

/// The most bytes of a campaign's file.
const MAX_FILE: u64 = 1 << 20;
/// The most bytes of a body's file.
const MAX_BODY: u64 = 1 << 20;

/// A file's name, as the user gave it, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The name.
    pub name: String,
    /// The text; empty where it could not be read.
    pub text: String,
}

impl Source {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, Rejected> {
        let name = path.display().to_string();
        match read_at_most(path, MAX_FILE).map_err(Unread::message).and_then(into_text) {
            Ok(text) => Ok(Self { name, text }),
            Err(why) => {
                let source = Self { name, text: String::new() };
                Err(Rejected { source, faults: vec![Fault::of_file(format!("cannot be read: {why}"))] })
            }
        }
    }
}

/// A body's bytes. Error: why they cannot be had.
pub(super) fn read_body(path: &Path) -> Result<Vec<u8>, String> {
    read_at_most(path, MAX_BODY).map_err(Unread::message)
}

fn into_text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].split(|byte| *byte == b'\n').count();
        format!("it is not UTF-8 text: byte {at}, in line {line}")
    })
}

enum Unread {
    Folder,
    TooLarge(u64),
    System(io::Error),
}

impl Unread {
    fn message(self) -> String {
        match self {
            Self::Folder => "it is a folder; name a file".to_owned(),
            Self::TooLarge(most) => format!("it is larger than {} KiB", most >> 10),
            Self::System(error) if error.kind() == io::ErrorKind::NotFound => "there is no such file".to_owned(),
            Self::System(error) => error.to_string(),
        }
    }
}

fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, Unread> {
    let file = File::open(path).map_err(Unread::System)?;
    if file.metadata().map_err(Unread::System)?.is_dir() {
        return Err(Unread::Folder);
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(Unread::System)?;
    if bytes.len() as u64 > most { Err(Unread::TooLarge(most)) } else { Ok(bytes) }
}
