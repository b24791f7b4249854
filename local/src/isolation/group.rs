//! One group of processes: made with its limits, read back, ended, removed. In: parent folders and limits; out: folders
//! for processes to join. Removed when dropped, at the latest.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use rustix::process::Signal;
use soak_sample::CgroupVersion;
use soak_witness::{Cgroup, Limits, Place, Process, ReadError, Root};

use super::{
    Enforced, kill_process,
    parents::{Controller, Parents},
    writes::{Content, Need, Write, writes},
};

/// How often ending a group is tried, and the pause between: two seconds in all.
const ROUNDS: u32 = 400;
const PAUSE: Duration = Duration::from_millis(5);

/// Why processes cannot be kept apart as asked.
#[derive(Debug, thiserror::Error)]
pub enum IsolationError {
    /// A group's folder or file refuses.
    #[error("cannot set {what} in {path}: {source}", path = path.display())]
    Refused {
        /// The folder or file.
        path: PathBuf,
        /// What was to be set.
        what: String,
        /// The system's answer.
        source: io::Error,
    },
    /// Processes of a group outlive being killed.
    #[error("{count} processes of {path} do not end", path = path.display())]
    Undying {
        /// The group's folder.
        path: PathBuf,
        /// How many.
        count: usize,
    },
    /// A kernel file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
}

/// The limits of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupLimits {
    /// CPU quota, thousandths of a CPU.
    pub cpu_milli: Option<u64>,
    /// Memory limit, bytes.
    pub memory_bytes: Option<u64>,
    /// The CPUs; empty: any.
    pub cpus: Vec<u32>,
}

/// A group of this process's making.
#[derive(Debug)]
pub struct OwnedGroup {
    root: Root,
    places: Vec<(Controller, Place)>,
    removed: bool,
}

impl OwnedGroup {
    pub(super) fn create(
        root: &Root,
        parents: &Parents,
        name: &str,
        limits: &GroupLimits,
    ) -> Result<Self, IsolationError> {
        let mut group = Self::existing(root, parents, name);
        // Not to be torn down before it is made: a group of this name may be somebody's.
        group.removed = true;
        make_folders(&group.folders())?;
        group.removed = false;
        for (controller, place) in &group.places {
            write_all(&place.folder, &writes(*controller, place.version, limits))?;
        }
        Ok(group)
    }

    /// The group of this name, whether it is there or not.
    pub(super) fn existing(root: &Root, parents: &Parents, name: &str) -> Self {
        let place = |place: &Place| Place { folder: place.folder.join(name), ..place.clone() };
        let places = parents.places().iter().map(|(controller, parent)| (*controller, place(parent))).collect();
        Self { root: root.clone(), places, removed: false }
    }

    /// The folders that a process must join, each by writing to its `cgroup.procs`. None where there is but affinity.
    pub fn folders(&self) -> Vec<PathBuf> {
        let folders: BTreeSet<&PathBuf> = self.places.iter().map(|(_, place)| &place.folder).collect();
        folders.into_iter().cloned().collect()
    }

    /// The group as the witness reads it; `None` where there is but affinity.
    pub fn cgroup(&self) -> Option<Cgroup> {
        let at =
            |wanted| self.places.iter().find(|(controller, _)| *controller == wanted).map(|(_, place)| place.clone());
        let cpu = at(Controller::Cpu);
        // The unified hierarchy accounts CPU time in every group, with or without the controller.
        let unified =
            || self.places.iter().map(|(_, place)| place).find(|place| place.version == CgroupVersion::V2).cloned();
        let cgroup = Cgroup {
            cpuacct: at(Controller::Cpuacct).or_else(unified),
            cpu,
            memory: at(Controller::Memory),
            cpuset: at(Controller::Cpuset),
        };
        let is_empty = cgroup.places().next().is_none();
        (!is_empty).then_some(cgroup)
    }

    /// What is enforced on it.
    pub fn enforced(&self) -> Enforced {
        let has = |wanted| self.places.iter().any(|(controller, _)| *controller == wanted);
        Enforced { cpu: has(Controller::Cpu), memory: has(Controller::Memory), cpuset: has(Controller::Cpuset) }
    }

    /// The limits as the kernel has them, those of groups above included.
    pub fn limits(&self) -> Limits {
        self.cgroup().map(|cgroup| cgroup.limits()).unwrap_or_default()
    }

    /// The processes in it.
    pub fn processes(&self) -> Vec<Process> {
        processes(&self.root, &self.folders())
    }

    /// Ends every process in it, those too that are being made meanwhile: all are stopped before any is killed.
    pub fn kill(&self) -> Result<(), IsolationError> {
        kill_all(&self.root, &self.folders())
    }

    /// Ends what is in it and removes it.
    pub fn remove(mut self) -> Result<(), IsolationError> {
        self.removed = true;
        self.tear_down()
    }

    fn tear_down(&self) -> Result<(), IsolationError> {
        self.kill()?;
        self.folders().iter().try_for_each(|folder| remove_folder(folder))
    }
}

impl Drop for OwnedGroup {
    fn drop(&mut self) {
        if !self.removed {
            // Nobody is left to be told; the next start removes leftovers.
            let _ = self.tear_down();
        }
    }
}

/// Makes all of them or none.
fn make_folders(folders: &[PathBuf]) -> Result<(), IsolationError> {
    for (made, folder) in folders.iter().enumerate() {
        if let Err(source) = fs::create_dir(folder) {
            for folder in &folders[..made] {
                let _ = fs::remove_dir(folder);
            }
            return Err(refused(folder, "a new group")(source));
        }
    }
    Ok(())
}

/// Ends every process in these folders of one group.
pub(crate) fn kill_all(root: &Root, folders: &[PathBuf]) -> Result<(), IsolationError> {
    for _ in 0..ROUNDS {
        set_frozen(folders, Frozen::Yes);
        let members = processes(root, folders);
        for process in &members {
            kill_process(root, process, Signal::KILL);
        }
        set_frozen(folders, Frozen::No);
        if members.is_empty() {
            return Ok(());
        }
        thread::sleep(PAUSE);
    }
    let count = processes(root, folders).len();
    Err(IsolationError::Undying { path: folders.first().cloned().unwrap_or_default(), count })
}

/// Removes a group's folder. The kernel may take a moment to let go of a group whose last process has just ended.
pub(crate) fn remove_folder(folder: &Path) -> Result<(), IsolationError> {
    let mut answer = fs::remove_dir(folder);
    for _ in 0..ROUNDS {
        match &answer {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => thread::sleep(PAUSE),
            Ok(()) | Err(_) => break,
        }
        answer = fs::remove_dir(folder);
    }
    match answer {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(refused(folder, "the end of the group")(source)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes limits into a new group's folder.
pub(super) fn write_all(folder: &Path, writes: &[Write]) -> Result<(), IsolationError> {
    for Write { file, content, need } in writes {
        let path = folder.join(file);
        if *need == Need::WhereOffered && !path.exists() {
            continue;
        }
        let text = match content {
            Content::Text(text) => text.clone(),
            Content::Parents(other) => {
                let from = folder.parent().unwrap_or(folder).join(other);
                fs::read_to_string(&from).map_err(refused(&from, "what the parent has"))?
            }
        };
        let text = text.trim();
        write_file(&path, text).map_err(refused(&path, text))?;
    }
    Ok(())
}

/// Writes to a file that the kernel offers, and never makes one.
fn write_file(path: &Path, text: &str) -> io::Result<()> {
    use io::Write as _;
    fs::OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes())
}

fn refused(path: &Path, what: &str) -> impl FnOnce(io::Error) -> IsolationError {
    let (path, what) = (path.to_owned(), what.to_owned());
    move |source| IsolationError::Refused { path, what, source }
}

/// The processes that are in any of the folders.
fn processes(root: &Root, folders: &[PathBuf]) -> Vec<Process> {
    let texts = folders.iter().filter_map(|folder| fs::read_to_string(folder.join("cgroup.procs")).ok());
    let pids: BTreeSet<u32> =
        texts.flat_map(|text| text.lines().filter_map(|line| line.parse().ok()).collect::<Vec<_>>()).collect();
    pids.into_iter().filter_map(|pid| Process::read(root, pid).ok()).filter(Process::is_alive).collect()
}

#[derive(Clone, Copy)]
enum Frozen {
    Yes,
    No,
}

/// Stops or resumes a group, where one of its folders can do so.
fn set_frozen(folders: &[PathBuf], frozen: Frozen) {
    let (old, unified) = match frozen {
        Frozen::Yes => ("FROZEN", "1"),
        Frozen::No => ("THAWED", "0"),
    };
    for folder in folders {
        // Where there is no such file, killing round after round has to do.
        let _ = write_file(&folder.join("freezer.state"), old);
        let _ = write_file(&folder.join("cgroup.freeze"), unified);
    }
}
