//! A node that stops in mid-run, as a machine does that loses its power: every process of it stands still. For the cluster
//! of `cargo xtask cluster` alone, whose nodes are processes of this machine.

use std::{collections::BTreeMap, fs, process::Command};

use crate::{
    look::{SOON, short},
    place::Place,
};

/// A node whose processes stand still until this is dropped.
struct Stopped {
    processes: Vec<u32>,
}

impl Stopped {
    /// Stops a node; `None` where its processes are not of this machine.
    fn node(name: &str) -> Option<Self> {
        let first = first_process(name)?;
        let stopped = Self { processes: descendants(first) };
        stopped.signal("-STOP");
        Some(stopped)
    }

    fn signal(&self, signal: &str) {
        let processes = self.processes.iter().map(u32::to_string);
        // One that has ended meanwhile is none to signal.
        let _ = Command::new("kill").arg(signal).args(processes).status();
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.signal("-CONT");
    }
}

/// The process that began a node's cell.
fn first_process(node: &str) -> Option<u32> {
    let file = format!("/{node}/cell.json");
    let is_cell = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        words.first().is_some_and(|program| program.ends_with(b"unshare"))
            && words.iter().any(|word| word.ends_with(file.as_bytes()))
    };
    processes().into_iter().find(is_cell)
}

fn processes() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Every process below this one.
fn descendants(first: u32) -> Vec<u32> {
    let parent = |pid: u32| -> Option<u32> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
    };
    let parents: BTreeMap<u32, u32> = processes().into_iter().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let is_below =
        |pid: &u32| std::iter::successors(parents.get(pid), |above| parents.get(above)).any(|above| *above == first);
    parents.keys().copied().filter(is_below).collect()
}

#[test]
fn a_node_that_stops_in_mid_run_voids_the_attempt_and_the_run_is_made_again_once_it_is_back() {
    let Some(place) = Place::install("node") else { return };
    place.apply("node", &short());
    place.until_steps("node", 1);
    let arm = place.pod("arm").unwrap();
    let node = place.get(&["pod", &arm])["spec"]["nodeName"].as_str().unwrap().to_owned();
    let operator = place.get(&["pods", "--selector=app.kubernetes.io/component=operator"]);
    let its_own = operator["items"][0]["spec"]["nodeName"] == node.as_str();
    let Some(stopped) = Stopped::node(&node) else {
        eprintln!("SKIPPED: the processes of {node} are not of this machine");
        return;
    };
    let is_unready = || {
        let conditions = place.get(&["node", &node])["status"]["conditions"].clone();
        let ready = conditions.as_array()?.iter().find(|one| one["type"] == "Ready").cloned()?;
        (ready["status"] != "True").then_some(())
    };
    place.until("the cluster knows that the node is gone", SOON, is_unready);
    // As whoever takes a dead machine out of a cluster does.
    place.kubectl(&["delete", "pod", &arm, "--grace-period=0", "--force"]).unwrap();
    if !its_own {
        let waits = || place.condition("node", "Reconciling").filter(|told| told["reason"] == "Starting");
        place.until("the run is attempted again", SOON, waits);
    }
    drop(stopped);
    place.finished("node");
    assert_eq!(place.judged_rates("node"), [50, 100]);
    let failed = place.told("node", "AttemptFailed");
    assert!(failed.len() == 1 && failed[0].contains("again"), "{failed:?}");
}
