//! A cell: programs that run as if on a machine of their own, with process ids, mounts and a network of their own.
//! When its first process ends, the kernel ends and removes everything in it: containers, mounts, links.
//! Two stages of this same program start one: the first joins the control group, the second is the cell's first process.

mod first;

use std::{
    env, fs,
    io::Write as _,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{cgroup::Hierarchies, wait::until};
use crate::Fault;

/// Where a cell finds its programs and its files.
pub(super) const BINARIES: &str = "/run/soak/bin";
pub(super) const FILES: &str = "/run/soak/etc";
const LIMIT: Duration = Duration::from_secs(20);
/// What the first process waits for on its standard input.
const WORD: &str = "go";

/// What runs in a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cell {
    pub name: String,
    /// The folder whose `run` and `var` become the cell's own.
    pub folder: PathBuf,
    /// Folders of binaries and the names under which the cell finds them in `BINARIES`.
    pub binaries: Vec<(String, PathBuf)>,
    /// Started in this order, and again when they end.
    pub programs: Vec<Program>,
}

/// A program of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Program {
    /// The name of its log in the cell's `/var/log/soak`.
    pub name: String,
    /// The executable and its arguments.
    pub command: Vec<String>,
}

/// A cell that exists and waits for the word to start its programs; without it, it ends with this process.
#[derive(Debug)]
pub(super) struct Waiting {
    child: Child,
}

/// The stages of starting a cell.
#[derive(Debug, clap::Subcommand)]
pub enum Stage {
    /// Joins the control group and goes on in new namespaces.
    Enter {
        /// The file that describes the cell.
        file: PathBuf,
    },
    /// Is the cell's first process.
    First {
        /// The file that describes the cell.
        file: PathBuf,
    },
}

impl Cell {
    /// Writes a file that the cell's programs read.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Fault> {
        let file = self.folder.join("run/soak/etc").join(name);
        let folder = file.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).map_err(|error| Fault::file(folder, error))?;
        fs::write(&file, text).map_err(|error| Fault::file(&file, error))
    }

    /// Makes the namespaces; the programs wait for [`Waiting::go`].
    pub fn start(&self) -> Result<Waiting, Fault> {
        for folder in ["run", "var/log/soak", "var/lib"] {
            let folder = self.folder.join(folder);
            fs::create_dir_all(&folder).map_err(|error| Fault::file(&folder, error))?;
        }
        let file = self.folder.join("cell.json");
        let text = serde_json::to_string_pretty(self).map_err(|error| Fault::Failed(error.to_string()))?;
        fs::write(&file, text).map_err(|error| Fault::file(&file, error))?;
        let log = self.folder.join("cell.log");
        let log = fs::File::create(&log).map_err(|error| Fault::file(&log, error))?;
        let errors = log.try_clone().map_err(|error| Fault::file(&file, error))?;
        let mut command = Command::new(this_program()?);
        command.args(["cluster", "cell", "enter"]).arg(&file).stdin(Stdio::piped()).stdout(log).stderr(errors);
        let child = command.spawn().map_err(|error| Fault::Failed(format!("{}: {error}", self.name)))?;
        let waiting = Waiting { child };
        let ours = fs::read_link("/proc/self/ns/net").ok();
        until(&format!("namespaces of {}", self.name), LIMIT, || {
            fs::read_link(waiting.network()).is_ok_and(|theirs| Some(theirs) != ours)
        })?;
        Ok(waiting)
    }
}

impl Waiting {
    /// The cell's network namespace, as a file.
    pub fn network(&self) -> PathBuf {
        format!("/proc/{}/ns/net", self.child.id()).into()
    }

    /// The process that `ip` is given for the cell's network.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Lets the programs start; from then on the cell lives by itself.
    pub fn go(mut self) -> Result<(), Fault> {
        let said = self.child.stdin.as_mut().map(|input| writeln!(input, "{WORD}"));
        match said {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) => Err(Fault::Failed(format!("a cell has ended before its programs started: {error}"))),
            None => Err(Fault::Failed("a cell has no input".to_owned())),
        }
    }
}

/// Goes through a stage; does not return while all is well.
pub(super) fn run(stage: &Stage) -> Result<(), Fault> {
    match stage {
        Stage::Enter { file } => enter(file),
        Stage::First { file } => first::run(read(file)?),
    }
}

fn enter(file: &Path) -> Result<(), Fault> {
    Hierarchies::mounted()?.join_cell(&read(file)?.name)?;
    let _ = rustix::process::setsid(); // it fails only where this process leads a session already
    let mut command = Command::new("unshare");
    command.args(["--fork", "--pid", "--mount", "--net", "--mount-proc", "--kill-child", "--"]);
    command.arg(this_program()?).args(["cluster", "cell", "first"]).arg(file);
    let error = command.current_dir("/").exec();
    Err(Fault::Failed(format!("unshare cannot be run: {error}")))
}

fn read(file: &Path) -> Result<Cell, Fault> {
    let text = fs::read_to_string(file).map_err(|error| Fault::file(file, error))?;
    serde_json::from_str(&text).map_err(|error| Fault::Failed(format!("{}: {error}", file.display())))
}

fn this_program() -> Result<PathBuf, Fault> {
    env::current_exe().map_err(|error| Fault::Failed(format!("this program cannot be found: {error}")))
}
