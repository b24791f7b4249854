//! The cgroups of a process: CPU time, throttling, limits, memory kills, members. In: a process, or the folders of a
//! group; out: numbers in one unit whatever the hierarchy's version. Only reads; making groups is the executor's.

use std::{
    fs,
    path::{Path, PathBuf},
};

use soak_sample::{CgroupVersion, Throttle};

use crate::{
    CpuList, ReadError, Root,
    mounts::Hierarchy,
    root::{self, malformed},
};

/// The folder of one controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The cgroup's folder.
    pub folder: PathBuf,
    /// The folder at which the hierarchy is mounted; limits of folders between the two hold as well.
    pub top: PathBuf,
    /// Old or unified: the files' names and units differ.
    pub version: CgroupVersion,
}

/// Where a group of processes is accounted and limited. A controller that cannot be read is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cgroup {
    /// Quota and throttling.
    pub cpu: Option<Place>,
    /// CPU time. The same folder as `cpu` in the unified hierarchy.
    pub cpuacct: Option<Place>,
    /// Limit and kills.
    pub memory: Option<Place>,
    /// The CPUs.
    pub cpuset: Option<Place>,
}

/// The limits in effect: the tightest of the group's own and those above it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// CPU quota, thousandths of a CPU.
    pub cpu_milli: Option<u64>,
    /// The period over which the group's own quota is counted, microseconds.
    pub period_micros: Option<u64>,
    /// Memory limit, bytes.
    pub memory_bytes: Option<u64>,
    /// The CPUs on which the group's processes may run.
    pub cpus: Option<CpuList>,
}

impl Cgroup {
    /// The cgroups that a process is in.
    pub fn of(root: &Root, pid: u32) -> Result<Self, ReadError> {
        let hierarchies = Hierarchy::all(root)?;
        let memberships = root::text(&root.process(pid).join("cgroup"))?;
        let place = |controller| Place::among(root, &hierarchies, &memberships, controller);
        Ok(Self { cpu: place("cpu"), cpuacct: place("cpuacct"), memory: place("memory"), cpuset: place("cpuset") })
    }

    /// The cgroup of the container that a process is the first of, through the process's own root: a container runtime
    /// mounts the container's own cgroup where the hierarchy's top would be. What lies above it is out of sight.
    pub fn of_container(root: &Root, pid: u32) -> Result<Self, ReadError> {
        let hierarchies = Hierarchy::seen_by(root, pid)?;
        let inside = root.process(pid).join("root");
        let place = |controller| {
            let Hierarchy { version, mount_point, .. } = Hierarchy::holding(&hierarchies, controller)?;
            let folder = inside.join(mount_point.strip_prefix("/").ok()?);
            folder.join("cgroup.procs").exists().then(|| Place { top: folder.clone(), folder, version: *version })
        };
        Ok(Self { cpu: place("cpu"), cpuacct: place("cpuacct"), memory: place("memory"), cpuset: place("cpuset") })
    }

    /// CPU time that the group has used, ended processes included, nanoseconds; `None` where it is not accounted.
    pub fn cpu_nanos(&self) -> Option<u64> {
        let place = self.cpuacct.as_ref()?;
        match place.version {
            CgroupVersion::V1 => root::number(&place.folder.join("cpuacct.usage")).ok(),
            CgroupVersion::V2 => {
                let text = root::text(&place.folder.join("cpu.stat")).ok()?;
                Some(root::keyed(&text, "usage_usec")? * 1000)
            }
        }
    }

    /// Throttling since the group was made, with the quota in effect; `None` where no quota can be set on it.
    pub fn throttle(&self) -> Option<Throttle> {
        let place = self.cpu.as_ref()?;
        let text = root::text(&place.folder.join("cpu.stat")).ok()?;
        let throttled_nanos = match place.version {
            CgroupVersion::V1 => root::keyed(&text, "throttled_time")?,
            CgroupVersion::V2 => root::keyed(&text, "throttled_usec")? * 1000,
        };
        Some(Throttle {
            periods: root::keyed(&text, "nr_periods")?,
            throttled_periods: root::keyed(&text, "nr_throttled")?,
            throttled_nanos,
            quota_milli: place.tightest(Place::cpu_milli),
        })
    }

    /// The limits in effect.
    pub fn limits(&self) -> Limits {
        Limits {
            cpu_milli: self.cpu.as_ref().and_then(|place| place.tightest(Place::cpu_milli)),
            period_micros: self.cpu.as_ref().and_then(|place| Some(place.quota(&place.folder)?.period_micros)),
            memory_bytes: self.memory.as_ref().and_then(|place| place.tightest(Place::memory_bytes)),
            cpus: self.cpuset.as_ref().and_then(Place::cpus),
        }
    }

    /// Times the kernel killed a process of the group for memory.
    pub fn oom_kills(&self) -> Option<u64> {
        let place = self.memory.as_ref()?;
        let file = match place.version {
            CgroupVersion::V1 => "memory.oom_control",
            CgroupVersion::V2 => "memory.events",
        };
        root::keyed(&root::text(&place.folder.join(file)).ok()?, "oom_kill")
    }

    /// The processes of the group and of groups below it, ascending. Those of another process namespace are left out.
    pub fn processes(&self) -> Result<Vec<u32>, ReadError> {
        let mut pids = Vec::new();
        if let Some(place) = self.places().next() {
            collect_processes(&place.folder, &mut pids)?;
        }
        pids.sort_unstable();
        pids.dedup();
        Ok(pids)
    }

    /// The controllers' places that are there. Processes are in all of them.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        let Self { cpu, cpuacct, memory, cpuset } = self;
        [cpuacct, cpu, memory, cpuset].into_iter().flatten()
    }
}

/// A quota as it is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Quota {
    /// Absent: no limit.
    quota_micros: Option<u64>,
    period_micros: u64,
}

impl Place {
    /// Where a process is controlled by one controller; `None` where that cannot be seen.
    pub fn of(root: &Root, pid: u32, controller: &str) -> Option<Self> {
        let memberships = root::text(&root.process(pid).join("cgroup")).ok()?;
        Self::among(root, &Hierarchy::all(root).ok()?, &memberships, controller)
    }

    fn among(root: &Root, hierarchies: &[Hierarchy], memberships: &str, controller: &str) -> Option<Self> {
        let hierarchy = Hierarchy::holding(hierarchies, controller)?;
        let folder = hierarchy.folder(membership(memberships, hierarchy, controller)?)?;
        Some(Self { folder: root.path(folder), top: root.path(&hierarchy.mount_point), version: hierarchy.version })
    }

    /// The smallest value among the group's folder and those above it.
    fn tightest(&self, read: impl Fn(&Self, &Path) -> Option<u64>) -> Option<u64> {
        let folders = self.folder.ancestors().take_while(|folder| folder.starts_with(&self.top));
        folders.filter_map(|folder| read(self, folder)).min()
    }

    fn quota(&self, folder: &Path) -> Option<Quota> {
        match self.version {
            CgroupVersion::V1 => Some(Quota {
                quota_micros: root::text(&folder.join("cpu.cfs_quota_us")).ok()?.trim().parse().ok(),
                period_micros: root::number(&folder.join("cpu.cfs_period_us")).ok()?,
            }),
            CgroupVersion::V2 => {
                let text = root::text(&folder.join("cpu.max")).ok()?;
                let (quota, period) = text.trim().split_once(' ')?;
                Some(Quota { quota_micros: quota.parse().ok(), period_micros: period.parse().ok()? })
            }
        }
    }

    fn cpu_milli(&self, folder: &Path) -> Option<u64> {
        let quota = self.quota(folder)?;
        (quota.quota_micros? * 1000).checked_div(quota.period_micros)
    }

    fn memory_bytes(&self, folder: &Path) -> Option<u64> {
        /// The old hierarchy writes "no limit" as the highest multiple of the page size.
        const NO_LIMIT: u64 = 1 << 62;
        let file = match self.version {
            CgroupVersion::V1 => "memory.limit_in_bytes",
            CgroupVersion::V2 => "memory.max",
        };
        root::number(&folder.join(file)).ok().filter(|&bytes| bytes < NO_LIMIT)
    }

    fn cpus(&self) -> Option<CpuList> {
        let file = match self.version {
            CgroupVersion::V1 => "cpuset.effective_cpus",
            CgroupVersion::V2 => "cpuset.cpus.effective",
        };
        root::text(&self.folder.join(file)).ok()?.parse().ok()
    }
}

/// The cgroup of a process in one hierarchy: `4:cpu,cpuacct:/path`, or `0::/path` in the unified one.
fn membership<'a>(text: &'a str, hierarchy: &Hierarchy, controller: &str) -> Option<&'a Path> {
    text.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let held = match hierarchy.version {
            CgroupVersion::V1 => controllers.split(',').any(|name| name == controller),
            CgroupVersion::V2 => controllers.is_empty(),
        };
        held.then(|| Path::new(path))
    })
}

fn collect_processes(folder: &Path, pids: &mut Vec<u32>) -> Result<(), ReadError> {
    let path = folder.join("cgroup.procs");
    for line in root::text(&path)?.lines() {
        let pid: u32 = line.trim().parse().map_err(|_| malformed(&path, "process ids"))?;
        if pid != 0 {
            pids.push(pid);
        }
    }
    let entries = fs::read_dir(folder).map_err(|source| ReadError::Unreadable { path: folder.to_owned(), source })?;
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        collect_processes(&entry.path(), pids)?;
    }
    Ok(())
}
