//! One program under supervision, in a group of its own: an arm or a driver. In goes a job; out come its processes, how
//! it ended with its last words, and the certainty that nothing of it is left.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use soak_campaign::step::Identity;
use soak_witness::{Group, Lineage, Root};

use crate::{
    isolation::{Enforced, GroupLimits, Isolation, IsolationError, OwnedGroup},
    launch::{LaunchError, LaunchOrder, Launched, Launcher},
};

/// The most of a program's last words that are kept, bytes and lines.
const LAST_BYTES: u64 = 4096;
const LAST_LINES: usize = 3;
/// How long a program may take to end once asked to.
const GRACE_MILLIS: u64 = 2_000;

/// Why a program does not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MemberError {
    /// Its group cannot be made.
    #[error(transparent)]
    Group(#[from] IsolationError),
    /// It cannot be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

/// A program to be run.
#[derive(Debug)]
pub(crate) struct Job {
    /// What it is called in the names of groups.
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Its whole environment.
    pub env: BTreeMap<String, String>,
    /// Where it starts.
    pub working_folder: PathBuf,
    /// The file of its standard output.
    pub stdout: PathBuf,
    /// The file of its standard error.
    pub stderr: PathBuf,
    /// Its limits and CPUs.
    pub limits: GroupLimits,
}

/// A program that runs.
#[derive(Debug)]
pub(crate) struct Member {
    launched: Launched,
    group: OwnedGroup,
    stderr: PathBuf,
}

impl Member {
    /// Starts a program.
    pub fn start(job: Job, launcher: &Launcher, isolation: &Isolation) -> Result<Self, MemberError> {
        let group = isolation.create(&job.name, &job.limits)?;
        let order = LaunchOrder {
            command: job.command,
            env: job.env,
            working_dir: Some(job.working_folder),
            stdout: job.stdout,
            stderr: job.stderr.clone(),
            cpus: job.limits.cpus,
            groups: group.folders(),
            grace_millis: GRACE_MILLIS,
        };
        Ok(Self { launched: launcher.launch(&order)?, group, stderr: job.stderr })
    }

    /// What tells it from any other.
    pub fn identity(&self) -> Identity {
        Identity(format!("{}@{}", self.launched.pid(), self.launched.start_ticks()))
    }

    /// The first process.
    pub fn pid(&self) -> u32 {
        self.launched.pid()
    }

    /// All its processes, as the witness finds them.
    pub fn group(&self) -> Group {
        Group { cgroup: self.group.cgroup(), lineage: Lineage::Below(self.launched.supervisor()) }
    }

    /// The ids of the processes that are alive.
    pub fn pids(&self) -> Vec<u32> {
        let processes = self.group().processes(&Root::live()).unwrap_or_default();
        processes.iter().map(|process| process.pid).collect()
    }

    /// What is enforced on it.
    pub fn enforced(&self) -> Enforced {
        self.group.enforced()
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.launched.ended().is_some()
    }

    /// How it ended, with its last words; `None` while it runs.
    pub fn ended(&mut self) -> Option<String> {
        let ended = self.launched.ended()?;
        Some(match last_words(&self.stderr) {
            Some(words) => format!("{ended}; its last words: {words}"),
            None => ended.to_string(),
        })
    }

    /// Ends it and everything that it started.
    pub fn stop(self) -> Result<(), MemberError> {
        let Self { launched, group, stderr: _ } = self;
        let ended = launched.stop().map(drop);
        group.remove()?;
        Ok(ended?)
    }
}

/// The last lines of a file, joined; `None` where there are none.
fn last_words(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LAST_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.take(LAST_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
    let printable = |text: String| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    (!last.is_empty()).then(|| printable(last.join(" / ")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::last_words;

    #[test]
    fn the_last_lines_are_kept_without_control_characters() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("err");
        assert_eq!(last_words(&path), None);
        std::fs::write(&path, "").unwrap();
        assert_eq!(last_words(&path), None);
        std::fs::write(&path, "one\ntwo\n\nthree\n\u{1b}[31mfour\n").unwrap();
        assert_eq!(last_words(&path).unwrap(), "two / three /  [31mfour");
        std::fs::write(&path, "x".repeat(10_000)).unwrap();
        assert_eq!(last_words(&path).unwrap().len(), 4096);
    }
}
