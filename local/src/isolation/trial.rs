//! Whether a parent folder will do, found out by doing it: a group is made, a limit set and read back, the group removed.
//! Rights as files show them are not believed: mounts and policies refuse what they seem to allow.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};
use soak_sample::CgroupVersion;
use soak_witness::{Cgroup, Place};

use super::{
    GroupLimits, Owner,
    group::write_all,
    parents::{Controller, candidates},
    writes::writes,
};

/// A limit that can be told from none, and is within what any parent has left.
const TRIAL_MILLI: u64 = 100;
const TRIAL_BYTES: u64 = 64 << 20;

/// Whether a group with a limit can be made below a folder of an old hierarchy.
pub(super) fn works(controller: Controller, parent: &Place, owner: &Owner) -> bool {
    let folder = parent.folder.join(owner.group_name("trial"));
    // Two controllers may share a hierarchy: the folder of the trial before may still be there.
    let made = fs::create_dir(&folder).is_ok() || folder.is_dir();
    let works = made && holds(controller, &Place { folder: folder.clone(), ..parent.clone() });
    let _ = fs::remove_dir(&folder);
    works
}

fn holds(controller: Controller, place: &Place) -> bool {
    let limits = GroupLimits { cpu_milli: Some(TRIAL_MILLI), memory_bytes: Some(TRIAL_BYTES), cpus: Vec::new() };
    if write_all(&place.folder, &writes(controller, place.version, &limits)).is_err() {
        return false;
    }
    let some = Some(place.clone());
    match controller {
        Controller::Cpu => Cgroup { cpu: some, ..Cgroup::default() }.limits().cpu_milli.is_some(),
        Controller::Memory => Cgroup { memory: some, ..Cgroup::default() }.limits().memory_bytes.is_some(),
        Controller::Cpuset => Cgroup { cpuset: some, ..Cgroup::default() }.limits().cpus.is_some(),
        Controller::Cpuacct => Cgroup { cpuacct: some, ..Cgroup::default() }.cpu_nanos().is_some(),
        Controller::Freezer => freezes(place),
    }
}

fn freezes(place: &Place) -> bool {
    let file = match place.version {
        CgroupVersion::V1 => "freezer.state",
        CgroupVersion::V2 => "cgroup.freeze",
    };
    place.folder.join(file).exists()
}

/// The controllers that can be used in the unified hierarchy, all under the one best parent: the first that permits a
/// quota, else the first that permits anything.
pub(super) fn unified(own: &Place, wanted: &[Controller], owner: &Owner) -> Vec<(Controller, Place)> {
    let mut fallback = Vec::new();
    for folder in candidates(own) {
        let Some(parent) = prepare(&folder, own, wanted, owner) else { continue };
        let found: Vec<(Controller, Place)> = wanted
            .iter()
            .filter(|&&controller| works(controller, &parent, owner))
            .map(|&controller| (controller, parent.clone()))
            .collect();
        if found.iter().any(|(controller, _)| *controller == Controller::Cpu) {
            return found;
        }
        if fallback.is_empty() {
            fallback = found;
        }
    }
    fallback
}

/// Makes a folder ready to have limited groups below it; `None` where this user may not move processes there.
fn prepare(folder: &Path, own: &Place, wanted: &[Controller], owner: &Owner) -> Option<Place> {
    access(folder.join("cgroup.procs"), Access::WRITE_OK).ok()?;
    // The kernel's top folder, which has no type, is the only one that may hold processes and limited groups alike.
    if folder == own.folder && folder.join("cgroup.type").exists() {
        leave_alone(folder, owner)?;
    }
    for controller in wanted {
        // Each on its own: one that is not offered must not keep the others out.
        let _ = fs::write(folder.join("cgroup.subtree_control"), format!("+{}", controller.name()));
    }
    Some(Place { folder: folder.to_owned(), top: own.top.clone(), version: CgroupVersion::V2 })
}

/// Where this process is alone in its folder (a scope of its own, a container), it moves one level down, out of the way
/// of the groups. With others beside it, it must stay: they are not ours to move.
fn leave_alone(folder: &Path, owner: &Owner) -> Option<()> {
    let processes = fs::read_to_string(folder.join("cgroup.procs")).ok()?;
    if processes.trim() != std::process::id().to_string() {
        return None;
    }
    let below: PathBuf = folder.join(owner.group_name("self"));
    fs::create_dir(&below).ok()?;
    fs::write(below.join("cgroup.procs"), "0").ok()
}
