//! A group of processes: those of one arm or one driver. In: its cgroup where it has one, and the process it hangs
//! below; out: its members and one reading of it. Time is the caller's.

use soak_sample::{CpuSource, GroupReading, ThreadReading};

use crate::{
    Cgroup, Process, ReadError, Root, memory,
    process::descendants,
    threads::{ThreadLedger, threads},
};

/// Where a group's processes are found when it has no cgroup of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lineage {
    /// All that descend from this process, itself left out: it supervises them.
    Below(u32),
    /// This process and all that descend from it.
    Tree(u32),
}

/// A group of processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The cgroup that was made for it and holds nothing else; `None` where none could be made.
    pub cgroup: Option<Cgroup>,
    /// Whose descendants its processes are.
    pub lineage: Lineage,
}

impl Group {
    /// The processes alive: by the cgroup where there is one, else by descent.
    pub fn processes(&self, root: &Root) -> Result<Vec<Process>, ReadError> {
        let members: Vec<Process> = match self.own_cgroup() {
            Some(cgroup) => cgroup.processes()?.into_iter().filter_map(|pid| Process::read(root, pid).ok()).collect(),
            None => match self.lineage {
                Lineage::Below(pid) => Process::read(root, pid).and_then(|_| descendants(root, pid))?,
                Lineage::Tree(pid) => {
                    let mut tree = vec![Process::read(root, pid)?];
                    tree.extend(descendants(root, pid)?);
                    tree
                }
            },
        };
        Ok(members.into_iter().filter(Process::is_alive).collect())
    }

    /// The cgroup, where it exists in at least one hierarchy.
    fn own_cgroup(&self) -> Option<&Cgroup> {
        self.cgroup.as_ref().filter(|cgroup| cgroup.places().next().is_some())
    }
}

/// Reads one group again and again.
#[derive(Debug)]
pub(crate) struct GroupReader {
    root: Root,
    group: Group,
    ledger: ThreadLedger,
}

/// The part of a reading that must be taken at the instant asked for.
#[derive(Debug)]
pub(crate) struct CpuRead {
    nanos: u64,
    source: CpuSource,
    /// Members and threads, where CPU time had to be read from them.
    members: Option<Members>,
}

#[derive(Debug)]
struct Members {
    processes: Vec<Process>,
    threads: Vec<ThreadReading>,
}

impl GroupReader {
    pub(crate) fn new(root: Root, group: Group) -> Self {
        Self { root, group, ledger: ThreadLedger::default() }
    }

    /// CPU time now; `None` where it cannot be read.
    pub(crate) fn cpu(&mut self) -> Option<CpuRead> {
        if let Some(nanos) = self.group.cgroup.as_ref().and_then(Cgroup::cpu_nanos) {
            return Some(CpuRead { nanos, source: CpuSource::Cgroup, members: None });
        }
        let members = self.members()?;
        let nanos = self.ledger.total(members.threads.iter());
        Some(CpuRead { nanos, source: CpuSource::Schedstat, members: Some(members) })
    }

    /// All else of the reading.
    pub(crate) fn whole(&self, cpu: CpuRead) -> Option<GroupReading> {
        let Members { processes, threads } = cpu.members.or_else(|| self.members())?;
        let resident: Vec<u64> =
            processes.iter().filter_map(|process| memory::rss_bytes(&self.root, process.pid).ok()).collect();
        let cgroup = self.group.cgroup.as_ref();
        Some(GroupReading {
            processes: processes.iter().map(Process::reading).collect(),
            cpu_nanos: cpu.nanos,
            cpu_source: cpu.source,
            throttle: cgroup.and_then(Cgroup::throttle),
            threads,
            rss_bytes: (!resident.is_empty()).then(|| resident.iter().sum()),
            heap_bytes: None,
            oom_kills: cgroup.and_then(Cgroup::oom_kills),
        })
    }

    fn members(&self) -> Option<Members> {
        let processes = self.group.processes(&self.root).ok()?;
        let threads = processes.iter().flat_map(|process| threads(&self.root, process.pid)).collect();
        Some(Members { processes, threads })
    }
}
