//! Under which folders groups can be made. In: this process's own cgroups; out: one parent folder for each controller
//! that this user may use. Candidates are listed here; whether one will do is for `trial` to find out.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use soak_sample::CgroupVersion;
use soak_witness::{Place, Root};

use super::{Enforced, Owner, trial};

/// What a hierarchy may control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Controller {
    Cpu,
    Cpuacct,
    Memory,
    Cpuset,
    Freezer,
}

impl Controller {
    pub(super) const ALL: [Self; 5] = [Self::Cpu, Self::Cpuacct, Self::Memory, Self::Cpuset, Self::Freezer];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cpuacct => "cpuacct",
            Self::Memory => "memory",
            Self::Cpuset => "cpuset",
            Self::Freezer => "freezer",
        }
    }

    /// Whether it limits what a group may use.
    fn limits(self) -> bool {
        match self {
            Self::Cpu | Self::Memory | Self::Cpuset => true,
            Self::Cpuacct | Self::Freezer => false,
        }
    }
}

/// For each controller the folder under which groups are made.
#[derive(Debug, Clone, Default)]
pub(super) struct Parents {
    places: Vec<(Controller, Place)>,
}

impl Parents {
    /// Tries what this user may do. In an old hierarchy groups are made below this process's own, within its limits.
    pub(super) fn find(root: &Root, owner: &Owner) -> Self {
        let own = |controller: Controller| Place::of(root, std::process::id(), controller.name());
        let all: Vec<(Controller, Place)> =
            Controller::ALL.into_iter().filter_map(|controller| Some((controller, own(controller)?))).collect();
        let (unified, old): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(_, place)| place.version == CgroupVersion::V2);
        let mut places: Vec<(Controller, Place)> =
            old.into_iter().filter(|(controller, place)| trial::works(*controller, place, owner)).collect();
        if let Some((_, own)) = unified.iter().find(|(controller, _)| controller.limits()) {
            let wanted: Vec<Controller> = unified.iter().map(|(controller, _)| *controller).collect();
            places.extend(trial::unified(own, &wanted, owner));
        }
        Self { places }
    }

    /// These and no others.
    #[cfg(test)]
    pub(super) fn of(places: Vec<(Controller, Place)>) -> Self {
        Self { places }
    }

    pub(super) fn places(&self) -> &[(Controller, Place)] {
        &self.places
    }

    pub(super) fn enforced(&self) -> Enforced {
        let has = |wanted| self.places.iter().any(|(controller, _)| *controller == wanted);
        Enforced { cpu: has(Controller::Cpu), memory: has(Controller::Memory), cpuset: has(Controller::Cpuset) }
    }

    pub(super) fn version(&self) -> Option<CgroupVersion> {
        let of = |wanted| self.places.iter().find(|(controller, _)| *controller == wanted);
        of(Controller::Cpu).or_else(|| self.places.first()).map(|(_, place)| place.version)
    }

    /// The names of all groups under the parents.
    pub(super) fn children(&self) -> BTreeSet<String> {
        let folders: BTreeSet<&Path> = self.places.iter().map(|(_, place)| place.folder.as_path()).collect();
        folders.into_iter().flat_map(child_names).collect()
    }
}

fn child_names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// Where groups may be made in the unified hierarchy, best first: next to this process, then further up. A folder that
/// holds processes itself cannot have limited groups below it, so this process's own comes last.
pub(super) fn candidates(own: &Place) -> Vec<PathBuf> {
    let mut above: Vec<PathBuf> =
        own.folder.ancestors().skip(1).take_while(|folder| folder.starts_with(&own.top)).map(Path::to_owned).collect();
    above.push(own.folder.clone());
    above
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use soak_sample::CgroupVersion;
    use soak_witness::Place;

    use super::candidates;

    #[test]
    fn groups_are_made_next_to_this_process_rather_than_at_the_top() {
        let own = Place {
            folder: PathBuf::from("/sys/fs/cgroup/user.slice/app.slice/run.scope"),
            top: PathBuf::from("/sys/fs/cgroup"),
            version: CgroupVersion::V2,
        };
        let expected = [
            "/sys/fs/cgroup/user.slice/app.slice",
            "/sys/fs/cgroup/user.slice",
            "/sys/fs/cgroup",
            "/sys/fs/cgroup/user.slice/app.slice/run.scope",
        ];
        assert_eq!(candidates(&own), expected.map(PathBuf::from));
    }

    #[test]
    fn at_the_top_there_is_only_the_own_folder() {
        let top = PathBuf::from("/sys/fs/cgroup");
        let own = Place { folder: top.clone(), top: top.clone(), version: CgroupVersion::V2 };
        assert_eq!(candidates(&own), [top]);
    }
}
