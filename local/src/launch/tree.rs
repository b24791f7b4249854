//! Ends a program's whole tree: its cgroups, and everything that descends from the supervisor. Since the supervisor
//! adopts what its descendants abandon, nothing escapes by forking twice.

use std::{
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Signal, WaitOptions, WaitStatus, wait};
use soak_witness::{Process, Root, descendants};

use super::order::Ended;
use crate::isolation::{kill_all, kill_process};

/// How long killing is tried. What is still there then waits in the kernel for a device.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);

/// A child's end as the kernel tells it.
pub(super) struct Reaped {
    pub(super) pid: i32,
    pub(super) ended: Ended,
}

/// Takes notice of children that have ended, adopted ones too.
pub(super) fn reap() -> Vec<Reaped> {
    std::iter::from_fn(|| wait(WaitOptions::NOHANG).ok().flatten())
        .filter_map(|(pid, status)| Some(Reaped { pid: pid.as_raw_nonzero().get(), ended: ended(status)? }))
        .collect()
}

fn ended(status: WaitStatus) -> Option<Ended> {
    let by_itself = status.exit_status().map(Ended::Code);
    by_itself.or_else(|| status.terminating_signal().map(Ended::Signal))
}

/// Kills everything, again and again until nothing is left. Gives what would not end, and the children's ends.
pub(super) fn end(root: &Root, groups: &[PathBuf]) -> (Vec<u32>, Vec<Reaped>) {
    let until = Instant::now() + PATIENCE;
    let mut reaped = Vec::new();
    loop {
        // Groups first: they are stopped before they are killed, so that no fork slips through.
        let _ = kill_all(root, groups);
        let left = alive(root);
        for process in &left {
            kill_process(root, process, Signal::KILL);
        }
        reaped.extend(reap());
        if left.is_empty() || Instant::now() > until {
            return (left.iter().map(|process| process.pid).collect(), reaped);
        }
        thread::sleep(PAUSE);
    }
}

fn alive(root: &Root) -> Vec<Process> {
    let below = descendants(root, std::process::id()).unwrap_or_default();
    below.into_iter().filter(Process::is_alive).collect()
}
