//! The arm in the witness's own pod. In: every process that the shared process namespace shows; out: the group of
//! processes of the one container that is neither the witness's own nor the pod's pause.

use std::fs;

use soak_sample::ArmPorts;

use crate::{Cgroup, Group, Lineage, Process, ReadError, Root, listeners};

/// Why the arm is not found.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArmError {
    /// The processes cannot be listed.
    #[error(transparent)]
    Processes(#[from] ReadError),
    /// No process is of another container.
    #[error("no process of another container can be seen: is the pod's process namespace shared?")]
    Alone,
    /// Nobody listens on the port.
    #[error("no process of the pod listens on port {0}")]
    Silent(u16),
}

/// The arm: a group with its container's cgroup, and the process that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arm {
    /// Its processes.
    pub group: Group,
    /// The oldest of them.
    pub main: u32,
}

/// Finds the container of whoever listens on the arm's port; `own` is the witness's process.
pub(super) fn find(root: &Root, own: u32, ports: ArmPorts) -> Result<Arm, ArmError> {
    let own_container = container(root, own);
    let mut others: Vec<Process> = Process::all(root)?;
    others.retain(|process| process.is_alive() && process.pid != own && container(root, process.pid) != own_container);
    if others.is_empty() {
        return Err(ArmError::Alone);
    }
    let listening = listeners(root, &others, ports.port);
    let server = listening.first().copied().ok_or(ArmError::Silent(ports.port))?;
    let wanted = container(root, server);
    others.retain(|process| container(root, process.pid) == wanted);
    let main =
        others.iter().min_by_key(|process| (process.start_ticks, process.pid)).map_or(server, |oldest| oldest.pid);
    Ok(Arm { group: Group { cgroup: Cgroup::of_container(root, main).ok(), lineage: Lineage::Tree(main) }, main })
}

/// What tells the containers of a pod apart: the cgroups of a process, and its mount namespace where those are hidden.
fn container(root: &Root, pid: u32) -> Option<(String, Option<std::path::PathBuf>)> {
    let folder = root.process(pid);
    let cgroups = fs::read_to_string(folder.join("cgroup")).ok()?;
    Some((cgroups, fs::read_link(folder.join("ns/mnt")).ok()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::{
        os::unix::fs::symlink,
        path::{Path, PathBuf},
    };

    use super::*;

    const PAUSE: u32 = 1;
    const SERVER: u32 = 7;
    const WRAPPER: u32 = 6;
    const WITNESS: u32 = 9;
    const SIDECAR: u32 = 12;

    /// A pod as its processes see it: pause, a wrapped server on port 8080, a witness, a sidecar that listens elsewhere.
    fn pod(folder: &Path) -> Root {
        process(folder, PAUSE, 0, "pause", &[]);
        process(folder, WRAPPER, 0, "arm", &[]);
        process(folder, SERVER, WRAPPER, "arm", &["socket:[4711]"]);
        process(folder, WITNESS, 0, "witness", &["socket:[4712]"]);
        process(folder, SIDECAR, 0, "sidecar", &["socket:[4713]"]);
        let cgroup = folder.join(format!("proc/{WRAPPER}/root/sys/fs/cgroup"));
        std::fs::create_dir_all(&cgroup).unwrap();
        std::fs::write(cgroup.join("cgroup.procs"), "6\n7\n").unwrap();
        std::fs::write(cgroup.join("cpu.stat"), "usage_usec 5\n").unwrap();
        std::fs::write(
            folder.join(format!("proc/{WRAPPER}/mountinfo")),
            "9 1 0:1 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
        )
        .unwrap();
        Root::at(folder)
    }

    fn process(folder: &Path, pid: u32, parent: u32, container: &str, sockets: &[&str]) {
        let own = folder.join(format!("proc/{pid}"));
        std::fs::create_dir_all(own.join("fd")).unwrap();
        std::fs::create_dir_all(own.join("net")).unwrap();
        std::fs::create_dir_all(own.join("ns")).unwrap();
        let zeros = " 0".repeat(17);
        std::fs::write(own.join("stat"), format!("{pid} (x) S {parent}{zeros} {pid} 0")).unwrap();
        std::fs::write(own.join("cgroup"), format!("0::/../{container}\n")).unwrap();
        let line = |port: u16, inode| {
            format!("0: 00000000:{port:04X} 00000000:0000 0A 0:0 0:0 0 1000 0 {inode} 1 0 100 0 0 10 0\n")
        };
        let table = format!("head\n{}{}{}", line(8080, 4711), line(9900, 4712), line(8888, 4713));
        std::fs::write(own.join("net/tcp"), table).unwrap();
        for (at, socket) in sockets.iter().enumerate() {
            symlink(PathBuf::from(socket), own.join(format!("fd/{at}"))).unwrap();
        }
    }

    fn ports(port: u16) -> ArmPorts {
        ArmPorts { port, admin: None }
    }

    #[test]
    fn the_arm_is_the_container_that_listens_on_its_port_wrapper_included() {
        let folder = tempfile::tempdir().unwrap();
        let root = pod(folder.path());
        let arm = find(&root, WITNESS, ports(8080)).unwrap();
        assert_eq!(arm.main, WRAPPER);
        let members: Vec<u32> = arm.group.processes(&root).unwrap().iter().map(|process| process.pid).collect();
        assert_eq!(members, [WRAPPER, SERVER]);
        assert_eq!(arm.group.cgroup.unwrap().cpu_nanos(), Some(5000));
    }

    #[test]
    fn what_nobody_or_only_the_witness_itself_listens_on_is_no_arm() {
        let folder = tempfile::tempdir().unwrap();
        let root = pod(folder.path());
        assert!(matches!(find(&root, WITNESS, ports(8081)), Err(ArmError::Silent(8081))));
        assert!(matches!(find(&root, WITNESS, ports(9900)), Err(ArmError::Silent(9900))));
    }

    #[test]
    fn without_a_shared_process_namespace_there_is_nobody() {
        let folder = tempfile::tempdir().unwrap();
        process(folder.path(), WITNESS, 0, "witness", &[]);
        assert!(matches!(find(&Root::at(folder.path()), WITNESS, ports(8080)), Err(ArmError::Alone)));
    }
}
