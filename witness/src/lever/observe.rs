//! Reads what is needed to prove levers: each process's command line, declared variables, limits, CPUs, and the settings
//! that the server tells. Compares nothing.

use std::{net::SocketAddr, time::Duration};

use serde_json::{Map, Value};

use super::{Declared, Observed, ServerProcess, Subject};
use crate::{Cgroup, CommandLine, Environment, Process, Root, admin, process, servers::servers};

/// How long the admin port is waited for; levers are proven while no load runs.
const ADMIN_TIME: Duration = Duration::from_secs(5);

/// Looks at an arm.
pub fn observe(root: &Root, subject: &Subject, declared: &Declared) -> Observed {
    let members = subject.group.processes(root).unwrap_or_default();
    let pids = servers(root, &members, subject.main, subject.port);
    Observed {
        servers: pids.into_iter().map(|pid| server(root, pid, declared)).collect(),
        limits: members.iter().filter_map(|process| Some(cgroup(root, process.pid)?.limits())).collect(),
        affinity: members.iter().flat_map(|process| affinity(root, process)).collect(),
        settings: settings(subject.admin),
    }
}

fn server(root: &Root, pid: u32, declared: &Declared) -> ServerProcess {
    let keys: Vec<&str> = declared.env.keys().map(String::as_str).collect();
    ServerProcess {
        command_line: CommandLine::read(root, pid).ok().filter(|line| !line.words.is_empty()),
        environment: Environment::read(root, pid, &keys, b"").ok().map(|environment| environment.declared),
    }
}

/// The cgroup of a process as this one sees it; else, in another container, as that container sees its own.
fn cgroup(root: &Root, pid: u32) -> Option<Cgroup> {
    let seen = Cgroup::of(root, pid).ok().filter(|cgroup| cgroup.places().next().is_some());
    seen.or_else(|| Cgroup::of_container(root, pid).ok())
}

fn affinity(root: &Root, process: &Process) -> Vec<crate::CpuList> {
    let tids = process::threads(root, process.pid);
    tids.into_iter().filter_map(|tid| process::cpus_allowed(root, process.pid, tid).ok()).collect()
}

fn settings(admin: Option<SocketAddr>) -> Result<Map<String, Value>, String> {
    let at = admin.ok_or("the server has no admin port")?;
    admin::report(at, ADMIN_TIME).map(|report| report.settings).map_err(|error| error.to_string())
}
