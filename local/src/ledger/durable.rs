//! Bytes made durable: a file replaced whole or not at all, a line appended and synced, a folder held by one process.
//! In go paths and bytes; out come files that a crash at any point leaves whole. It must not know what they mean.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, flock};

/// Why bytes are not durable.
#[derive(Debug, thiserror::Error)]
pub enum DurableError {
    /// No space is left, or a quota or size limit is reached.
    #[error("{}: the disk is full ({source}); free some space and go on with --resume", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// Another process holds the folder.
    #[error("{}: another soak is using this folder", path.display())]
    Held {
        /// The folder.
        path: PathBuf,
    },
    /// Anything else.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
}

impl DurableError {
    fn at(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full { path, source }
            }
            _ => Self::Io { path, source },
        }
    }

    /// Whether space is what is missing.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full { .. })
    }
}

/// A folder held by this process until it is dropped, or the process ends in whatever way.
#[derive(Debug)]
pub struct Hold {
    _file: File,
}

/// Makes a folder and those above it, and syncs the one above.
pub fn make_folder(path: &Path) -> Result<(), DurableError> {
    fs::create_dir_all(path).map_err(|e| DurableError::at(path, e))?;
    sync_parent(path)
}

/// Takes hold of a folder. Errors where another process holds it.
pub fn hold(folder: &Path) -> Result<Hold, DurableError> {
    let path = folder.join(".lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|e| DurableError::at(&path, e))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Hold { _file: file }),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(DurableError::Held { path: folder.to_owned() }),
        Err(errno) => Err(DurableError::at(&path, errno.into())),
    }
}

/// Replaces a file: readers see the old bytes or the new ones, never a part.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), DurableError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let written = write_synced(&part, bytes).and_then(|()| fs::rename(&part, path));
    if let Err(error) = written {
        let _ = fs::remove_file(&part);
        return Err(DurableError::at(path, error));
    }
    sync_parent(path)
}

/// Appends bytes to a file, making it where it is missing, and syncs them. A last line without its end, left by a crash,
/// is cut off first. What is written in part when the disk is full is taken off again, so that the file still ends with
/// a whole record.
pub fn append(path: &Path, bytes: &[u8]) -> Result<(), DurableError> {
    let new = !path.exists();
    let mut file =
        OpenOptions::new().create(true).append(true).read(true).open(path).map_err(|e| DurableError::at(path, e))?;
    let before = cut_torn_line(&mut file).map_err(|e| DurableError::at(path, e))?;
    if let Err(error) = file.write_all(bytes).and_then(|()| file.sync_data()) {
        let _ = file.set_len(before);
        let _ = file.sync_data();
        return Err(DurableError::at(path, error));
    }
    if new { sync_parent(path) } else { Ok(()) }
}

/// The whole lines of a file; a last line without its end, left by a crash, is no line. Missing: none.
pub fn whole_lines(path: &Path) -> Result<Vec<String>, DurableError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(DurableError::at(path, error)),
    };
    let end = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    Ok(String::from_utf8_lossy(&bytes[..end]).lines().map(str::to_owned).collect())
}

/// Cuts off what follows the last whole line. Gives the length that is left.
fn cut_torn_line(file: &mut File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
    }
    if last == [b'\n'] {
        return Ok(length);
    }
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at as u64 + 1);
    file.set_len(whole)?;
    file.sync_data()?;
    Ok(whole)
}

/// Reads a file whole.
pub fn read(path: &Path) -> Result<Vec<u8>, DurableError> {
    fs::read(path).map_err(|e| DurableError::at(path, e))
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn sync_parent(path: &Path) -> Result<(), DurableError> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(parent).and_then(|folder| folder.sync_all()).map_err(|e| DurableError::at(parent, e))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_torn_last_line_is_no_line_and_the_next_append_takes_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        append(&path, b"{\"a\":1}\n").unwrap();
        fs::write(&path, b"{\"a\":1}\n{\"b\":").unwrap();
        assert_eq!(whole_lines(&path).unwrap(), ["{\"a\":1}"]);
        assert!(fs::read(&path).unwrap().ends_with(b":"), "reading changes nothing");
        append(&path, b"{\"c\":3}\n").unwrap();
        assert_eq!(whole_lines(&path).unwrap(), ["{\"a\":1}", "{\"c\":3}"]);
    }

    #[test]
    fn a_replaced_file_has_the_new_bytes_and_leaves_no_part_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.json");
        replace(&path, b"old").unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_is_held_by_one_and_free_once_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let held = hold(folder.path()).unwrap();
        assert!(matches!(hold(folder.path()), Err(DurableError::Held { .. })));
        drop(held);
        hold(folder.path()).unwrap();
    }

    #[test]
    fn a_full_disk_is_told_apart_from_other_errors() {
        let full = append(Path::new("/dev/full"), b"x").unwrap_err();
        assert!(full.is_full(), "{full}");
        let missing = append(Path::new("/nonexistent/x"), b"x").unwrap_err();
        assert!(!missing.is_full(), "{missing}");
    }
}
