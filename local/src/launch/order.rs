//! What executor, supervisor and stage say to each other, a line of JSON each. Plain data.

use std::{collections::BTreeMap, fmt, io, path::PathBuf};

use serde::{Deserialize, Serialize};

/// A program to be started. It travels over pipes, never over a command line: an environment may hold secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LaunchOrder {
    /// Program and arguments. No shell is involved. A program without a slash is looked up in the `PATH` given below.
    pub command: Vec<String>,
    /// The whole environment: nothing is inherited.
    pub env: BTreeMap<String, String>,
    /// The folder in which it starts; absent: the executor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<PathBuf>,
    /// The file that gets its standard output; what was in it is lost.
    pub stdout: PathBuf,
    /// The file that gets its standard error; what was in it is lost.
    pub stderr: PathBuf,
    /// The CPUs on which it may run; empty: any.
    pub cpus: Vec<u32>,
    /// Folders of cgroups that it joins before it runs. They are ended with it.
    pub groups: Vec<PathBuf>,
    /// How long it may take to end once asked to, milliseconds. Then it is killed.
    pub grace_millis: u64,
}

/// What a supervisor tells its executor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "event")]
pub enum Event {
    /// The program runs.
    #[serde(rename_all = "camelCase")]
    Started {
        /// Its process id.
        pid: u32,
        /// Its start, clock ticks since boot.
        start_ticks: u64,
    },
    /// The program could not be started.
    Refused(Refusal),
    /// The program's first process has ended.
    Ended(Ended),
    /// Nothing of the program is left, or only what even being killed does not end.
    Gone {
        /// Process ids left.
        left: Vec<u32>,
    },
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Ended {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// Why a program could not be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("cannot {step} {what}: {why}")]
pub struct Refusal {
    /// At which step.
    pub step: Step,
    /// The file, folder or program.
    pub what: String,
    /// The system's error number; absent where it was not the system.
    pub errno: Option<i32>,
    /// The system's answer in words.
    pub why: String,
}

impl Refusal {
    /// A refusal by the system.
    pub(super) fn new(step: Step, what: impl Into<String>, error: &io::Error) -> Self {
        Self { step, what: what.into(), errno: error.raw_os_error(), why: error.to_string() }
    }

    /// The exit code by which shells tell it: 127 where there is no such program, else 126.
    pub fn exit_code(&self) -> u8 {
        const NO_SUCH_FILE: i32 = 2;
        if self.step == Step::Execute && self.errno == Some(NO_SUCH_FILE) { 127 } else { 126 }
    }
}

/// The steps of starting a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Step {
    /// Reading the order.
    ReadOrder,
    /// Opening the file of an output.
    OpenOutput,
    /// Making the process.
    Fork,
    /// Entering the working folder.
    EnterFolder,
    /// Joining a cgroup.
    JoinGroup,
    /// Keeping to the CPUs.
    Pin,
    /// Becoming the program.
    Execute,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReadOrder => "read the order for",
            Self::OpenOutput => "open the output",
            Self::Fork => "make a process for",
            Self::EnterFolder => "enter the folder",
            Self::JoinGroup => "join the group",
            Self::Pin => "keep to the CPUs",
            Self::Execute => "execute",
        })
    }
}
