//! Whether a parent folder will do, found out by doing it: a group is made, a limit set and read back, the group removed.
//! Rights as files show them are not believed: mounts and policies refuse what they seem to allow.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
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
    static TRIALS: AtomicU32 = AtomicU32::new(0);
    let trial = TRIALS.fetch_add(1, Ordering::Relaxed);
    let folder = parent.folder.join(owner.group_name(&format!("trial-{trial}")));
    let works =
        fs::create_dir(&folder).is_ok() && holds(controller, &Place { folder: folder.clone(), ..parent.clone() });
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

#[cfg(test)]
mod tests {
    use std::process::Command;

    use soak_sample::CgroupVersion;
    use soak_witness::{Hierarchy, Place, Root};

    use super::{
        super::{GroupLimits, OwnedGroup, Owner, parents::Parents},
        Controller, unified,
    };

    /// The unified hierarchy at its top, also on a machine whose controllers are elsewhere: accounting, stopping and
    /// killing are there all the same.
    fn top() -> Option<Place> {
        let all = Hierarchy::all(&Root::live()).ok()?;
        let folder = all.into_iter().find(|hierarchy| hierarchy.version == CgroupVersion::V2)?.mount_point;
        Some(Place { folder: folder.clone(), top: folder, version: CgroupVersion::V2 })
    }

    #[test]
    fn a_group_of_the_unified_hierarchy_accounts_and_is_killed_whole() {
        let root = Root::live();
        let owner = Owner::this(&root).unwrap();
        let wanted = [Controller::Cpuacct, Controller::Freezer];
        let places = top().map(|top| unified(&top, &wanted, &owner)).unwrap_or_default();
        if places.is_empty() {
            eprintln!("SKIPPED: no group can be made in a unified hierarchy on this machine by this user");
            return;
        }
        let parents = Parents::of(places);
        let group = OwnedGroup::create(&root, &parents, &owner.group_name("unified"), &GroupLimits::default()).unwrap();
        let folders = group.folders();
        let script = format!("echo $$ > {}/cgroup.procs; while :; do sleep 0.001 & done", folders[0].display());
        let mut shell = Command::new("sh").args(["-c", &script]).spawn().unwrap();
        while group.cgroup().unwrap().cpu_nanos().unwrap() < 5_000_000 {
            std::thread::yield_now();
        }
        group.remove().unwrap();
        assert!(!shell.wait().unwrap().success());
        assert!(!folders[0].exists());
    }
}
