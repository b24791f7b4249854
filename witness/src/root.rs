//! Where the kernel's files are: under `/` on a live machine, under a folder in tests. In: a path as the kernel names
//! it; out: its text. Knows nothing of what the files mean.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Why a kernel file told nothing.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read: gone, not permitted, or not offered by this kernel.
    #[error("cannot read {path}: {source}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// It does not hold what it should.
    #[error("{path} does not hold {wanted}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        wanted: &'static str,
    },
}

/// The folder under which `/proc` and `/sys` are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    folder: PathBuf,
}

impl Default for Root {
    fn default() -> Self {
        Self::live()
    }
}

impl Root {
    /// The machine itself.
    pub fn live() -> Self {
        Self { folder: PathBuf::from("/") }
    }

    /// A copy of a machine's files in a folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where the kernel's file of this absolute path is.
    pub fn path(&self, kernel: impl AsRef<Path>) -> PathBuf {
        let kernel = kernel.as_ref();
        self.folder.join(kernel.strip_prefix("/").unwrap_or(kernel))
    }

    /// A folder of a process.
    pub fn process(&self, pid: u32) -> PathBuf {
        self.folder.join("proc").join(pid.to_string())
    }

    /// The text of the kernel's file of this absolute path.
    pub fn text(&self, kernel: impl AsRef<Path>) -> Result<String, ReadError> {
        text(&self.path(kernel))
    }
}

/// The bytes of a file.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    fs::read(path).map_err(|source| ReadError::Unreadable { path: path.to_owned(), source })
}

/// The text of a file; what is not UTF-8 is replaced, since names of processes may hold anything.
pub(crate) fn text(path: &Path) -> Result<String, ReadError> {
    bytes(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// One number that fills a file.
pub(crate) fn number(path: &Path) -> Result<u64, ReadError> {
    text(path)?.trim().parse().map_err(|_| malformed(path, "one number"))
}

/// The number behind a word in a file of `word number` lines; `None` where the word is not there.
pub(crate) fn keyed(text: &str, word: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' ')?.trim().parse().ok())
}

/// The error for a file that does not hold what it should.
pub(crate) fn malformed(path: &Path, wanted: &'static str) -> ReadError {
    ReadError::Malformed { path: path.to_owned(), wanted }
}

#[cfg(test)]
mod tests {
    use super::{Root, keyed};

    #[test]
    fn a_kernel_path_is_looked_up_under_the_root() {
        let root = Root::at("/some/copy");
        assert_eq!(root.path("/proc/stat").to_str(), Some("/some/copy/proc/stat"));
        assert_eq!(root.process(7).to_str(), Some("/some/copy/proc/7"));
        assert_eq!(Root::live().path("/proc/stat").to_str(), Some("/proc/stat"));
    }

    #[test]
    fn a_word_is_matched_whole() {
        let text = "throttled_time 12\nthrottled 3\noom_kill 4\n";
        assert_eq!(keyed(text, "throttled"), Some(3));
        assert_eq!(keyed(text, "throttled_time"), Some(12));
        assert_eq!(keyed(text, "oom"), None);
    }
}
