//! The cluster's control groups: every process of it is in one, so that all of them can be found and ended whatever else
//! was lost. `soak-cluster/cells` holds the programs, `soak-cluster/pods` is what the kubelets divide up.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::id,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

use super::wait::until;
use crate::Fault;

const OURS: &str = "soak-cluster";
const LIMIT: Duration = Duration::from_secs(20);

/// The mounted hierarchies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hierarchies {
    /// Those that limit something: the one of version 2, or several of version 1.
    limiting: Vec<PathBuf>,
    /// Every one: runc makes a group also in an empty hierarchy of version 2 beside those of version 1.
    all: Vec<PathBuf>,
}

impl Hierarchies {
    /// Those of this machine.
    pub fn mounted() -> Result<Self, Fault> {
        let file = Path::new("/proc/mounts");
        let mounts = fs::read_to_string(file).map_err(|error| Fault::file(file, error))?;
        Ok(parse(&mounts))
    }

    /// Makes the group that a kubelet divides up, and returns its name as the kubelet wants it.
    pub fn make_pods(&self, node: &str) -> Result<String, Fault> {
        for hierarchy in &self.limiting {
            let mut group = hierarchy.clone();
            for part in [OURS, "pods", node] {
                group.push(part);
                make(&group)?;
            }
        }
        Ok(format!("/{OURS}/pods/{node}"))
    }

    /// Puts this process into a cell's group; its children follow.
    pub fn join_cell(&self, name: &str) -> Result<(), Fault> {
        let Some(hierarchy) = self.limiting.first() else {
            return Err(Fault::Failed("no control groups are mounted".to_owned()));
        };
        let mut group = hierarchy.clone();
        for part in [OURS, "cells", name] {
            group.push(part);
            make(&group)?;
        }
        let file = group.join("cgroup.procs");
        fs::write(&file, id().to_string()).map_err(|error| Fault::file(&file, error))
    }

    /// Every process of the cluster.
    pub fn processes(&self) -> Vec<Pid> {
        let mut found = Vec::new();
        for hierarchy in &self.all {
            walk(&hierarchy.join(OURS), &mut |group| {
                let listed = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
                found.extend(listed.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?)));
            });
        }
        found
    }

    /// Where the cluster has a control group.
    pub fn groups(&self) -> Vec<PathBuf> {
        self.all.iter().map(|hierarchy| hierarchy.join(OURS)).filter(|group| group.exists()).collect()
    }

    /// Ends every process of the cluster and removes the groups.
    pub fn clear(&self) -> Result<(), Fault> {
        until("end of the cluster's processes", LIMIT, || {
            let left = self.processes();
            for pid in &left {
                let _ = kill_process(*pid, Signal::KILL); // one that is gone meanwhile is what is wanted
            }
            left.is_empty()
        })?;
        until("removal of the cluster's control groups", LIMIT, || {
            for hierarchy in &self.all {
                walk(&hierarchy.join(OURS), &mut |group| {
                    let _ = fs::remove_dir(group); // asked again while it is busy
                });
            }
            self.groups().is_empty()
        })
    }
}

/// That of the process counts comes first where it is one of its own.
fn parse(mounts: &str) -> Hierarchies {
    let of_kind = |kind: &str| -> Vec<PathBuf> {
        let fields = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        fields.filter(|fields| fields.get(2) == Some(&kind)).map(|fields| PathBuf::from(fields[1])).collect()
    };
    let (mut first, second) = (of_kind("cgroup"), of_kind("cgroup2"));
    first.sort_by_key(|path| (!path.ends_with("pids"), path.clone()));
    let all = [first.clone(), second.clone()].concat();
    Hierarchies { limiting: if first.is_empty() { second } else { first }, all }
}

fn make(group: &Path) -> Result<(), Fault> {
    match fs::create_dir(group) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(Fault::file(group, error)),
        Ok(()) | Err(_) => {}
    }
    inherit_cpus(group)
}

/// A new group of version 1's cpuset hierarchy takes no process before it has CPUs and memory nodes.
fn inherit_cpus(group: &Path) -> Result<(), Fault> {
    for name in ["cpuset.cpus", "cpuset.mems"] {
        let file = group.join(name);
        let is_empty = fs::read_to_string(&file).is_ok_and(|own| own.trim().is_empty());
        let parent = group.parent().and_then(|parent| fs::read_to_string(parent.join(name)).ok());
        if let Some(value) = parent.filter(|value| is_empty && !value.trim().is_empty()) {
            fs::write(&file, value.trim()).map_err(|error| Fault::file(&file, error))?;
        }
    }
    Ok(())
}

/// Calls `each` with every group below and with the group itself, the deepest first.
fn walk(group: &Path, each: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(group).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&entry.path(), each);
        }
    }
    if group.exists() {
        each(group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mounts: &str, limiting: &[&str], all: &[&str]) {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(parse(mounts), Hierarchies { limiting: paths(limiting), all: paths(all) });
    }

    #[test]
    fn the_hierarchies_that_limit_are_used_and_the_empty_one_of_version_2_beside_them_is_only_cleared() {
        let only = ["/sys/fs/cgroup"];
        check("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\ntmpfs /run tmpfs rw 0 0", &only, &only);
        check(
            "cgroup /c/cpu cgroup rw,cpu 0 0\ncgroup /c/pids cgroup rw,pids 0 0\ncgroup2 /c/unified cgroup2 rw 0 0",
            &["/c/pids", "/c/cpu"],
            &["/c/pids", "/c/cpu", "/c/unified"],
        );
        check("", &[], &[]);
    }
}
