//! The index of an output folder: the sha256 and size of every file, written last, so that a folder with an index is
//! whole. In goes a folder; out comes `index.json`. It must not know what the files mean.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::durable::{self, DurableError};
use crate::digest;

/// Every file of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// sha256 of the plan.
    pub plan_hash: String,
    /// The files, by path.
    pub files: Vec<IndexedFile>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexedFile {
    /// Path within the folder.
    pub path: String,
    /// Size, bytes.
    pub bytes: u64,
    /// sha256, hexadecimal.
    pub sha256: String,
}

/// Sums every file below `root` but the index and what is hidden.
pub fn sum(root: &Path, plan_hash: &str) -> io::Result<Index> {
    let mut paths = Vec::new();
    walk(root, Path::new(""), &mut paths)?;
    paths.sort();
    let files = paths.iter().map(|path| indexed(root, path)).collect::<io::Result<_>>()?;
    Ok(Index { plan_hash: plan_hash.to_owned(), files })
}

/// Writes the index.
pub fn write(path: &Path, index: &Index) -> Result<(), DurableError> {
    let mut text = serde_json::to_vec_pretty(index)
        .map_err(|error| DurableError::Io { path: path.to_owned(), source: io::Error::other(error) })?;
    text.push(b'\n');
    durable::replace(path, &text)
}

fn indexed(root: &Path, path: &Path) -> io::Result<IndexedFile> {
    let whole = root.join(path);
    let bytes = fs::metadata(&whole)?.len();
    Ok(IndexedFile { path: path.display().to_string(), bytes, sha256: digest::of_file(&whole)? })
}

fn walk(root: &Path, below: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = entry.file_name();
        let path = below.join(&name);
        let skipped = name.to_string_lossy().starts_with('.') || path == Path::new("index.json");
        if entry.file_type()?.is_dir() {
            walk(root, &path, paths)?;
        } else if !skipped {
            paths.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_index_sums_every_file_but_itself_and_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("runs/a")).unwrap();
        for (name, text) in [(".lock", ""), ("index.json", "old"), ("tables.md", "abc"), ("runs/a/rows.csv", "")] {
            fs::write(at(name), text).unwrap();
        }
        let index = sum(folder.path(), "0f").unwrap();
        let paths: Vec<&str> = index.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["runs/a/rows.csv", "tables.md"]);
        assert_eq!(index.files[1].bytes, 3);
        assert_eq!(index.files[1].sha256, digest::of_bytes(b"abc"));
    }
}
