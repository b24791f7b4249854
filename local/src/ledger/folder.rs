//! The output folder and where each file lies in it. In go a path and a wish; out comes a folder that is ours alone, or
//! why it is not. It must not know what the files mean.

use std::{
    fs,
    path::{Path, PathBuf},
};

use soak_campaign::plan::RunId;

use super::durable::{self, DurableError, Hold};

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It has something in it, and nothing is overwritten.
    #[error(
        "{}: the output folder exists and is not empty; name another with --out, or go on with --resume {}",
        path.display(), path.display()
    )]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// It cannot be taken up: it is not there, or not a campaign's.
    #[error("{}: there is no campaign: {what}", path.display())]
    NotACampaign {
        /// The folder.
        path: PathBuf,
        /// What is missing.
        what: String,
    },
    /// A file of it cannot be read or written.
    #[error(transparent)]
    Durable(#[from] DurableError),
}

/// An output folder: held by this process, or only looked at.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    _hold: Option<Hold>,
}

impl Folder {
    /// Makes a new folder, or takes an empty one.
    pub fn create(root: &Path) -> Result<Self, FolderError> {
        let entries = match fs::read_dir(root) {
            Ok(entries) => entries.flatten().filter(|entry| entry.file_name() != ".lock").count(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
            Err(_) => 1,
        };
        if entries > 0 {
            return Err(FolderError::NotEmpty { path: root.to_owned() });
        }
        durable::make_folder(root)?;
        Self::take(root)
    }

    /// Takes up the folder of a campaign that was begun.
    pub fn reopen(root: &Path) -> Result<Self, FolderError> {
        Self::check(root)?;
        Self::take(root)
    }

    /// Looks at the folder of a campaign, whoever holds it; nothing is written.
    pub fn look(root: &Path) -> Result<Self, FolderError> {
        Self::check(root)?;
        Ok(Self { root: fs::canonicalize(root).unwrap_or_else(|_| root.to_owned()), _hold: None })
    }

    fn check(root: &Path) -> Result<(), FolderError> {
        if !root.join("campaign.json").is_file() {
            let what = if root.exists() { "it has no campaign.json" } else { "no such folder" };
            return Err(FolderError::NotACampaign { path: root.to_owned(), what: what.to_owned() });
        }
        Ok(())
    }

    fn take(root: &Path) -> Result<Self, FolderError> {
        let hold = durable::hold(root)?;
        Ok(Self { root: fs::canonicalize(root).unwrap_or_else(|_| root.to_owned()), _hold: Some(hold) })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The plan and the facts under which it is carried out.
    pub fn campaign(&self) -> PathBuf {
        self.root.join("campaign.json")
    }

    /// The record of what was done.
    pub fn ledger(&self) -> PathBuf {
        self.root.join("ledger.jsonl")
    }

    /// The campaign's results in short.
    pub fn summary(&self) -> PathBuf {
        self.root.join("summary.json")
    }

    /// The tables as they are printed.
    pub fn tables(&self) -> PathBuf {
        self.root.join("tables.md")
    }

    /// The sums of all other files, written last.
    pub fn index(&self) -> PathBuf {
        self.root.join("index.json")
    }

    /// A file of a run.
    pub fn of_run(&self, run: &RunId, file: &str) -> PathBuf {
        self.root.join("runs").join(&run.0).join(file)
    }

    /// Makes the folder of a run.
    pub fn make_run(&self, run: &RunId) -> Result<(), DurableError> {
        durable::make_folder(&self.root.join("runs").join(&run.0))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_something_in_it_is_refused_and_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("out");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("thesis.txt"), "mine").unwrap();
        assert!(matches!(Folder::create(&root), Err(FolderError::NotEmpty { .. })));
        assert_eq!(fs::read_dir(&root).unwrap().count(), 1);
    }

    #[test]
    fn a_file_in_the_folders_place_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("out");
        fs::write(&root, "mine").unwrap();
        assert!(matches!(Folder::create(&root), Err(FolderError::NotEmpty { .. })));
    }

    #[test]
    fn a_missing_or_empty_folder_is_made_and_held() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("a/b");
        let folder = Folder::create(&root).unwrap();
        assert!(matches!(Folder::create(&root), Err(FolderError::Durable(DurableError::Held { .. }))));
        drop(folder);
        Folder::create(&root).unwrap();
    }

    #[test]
    fn only_the_folder_of_a_campaign_is_taken_up() {
        let place = tempfile::tempdir().unwrap();
        let check = |path: &Path, expected: &str| {
            let error = Folder::reopen(path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(place.path(), "it has no campaign.json");
        check(&place.path().join("nothing"), "no such folder");
        fs::write(place.path().join("campaign.json"), "{}").unwrap();
        Folder::reopen(place.path()).unwrap();
    }
}
