//! Keeps arm and driver apart on one machine: cgroups where this user may make them, plain affinity where not. In: the
//! machine; out: groups with limits, what of them is really enforced, and which CPU is whose. Judges nothing.

mod assignment;
mod group;
mod kill;
mod owner;
mod parents;
mod trial;
mod writes;

use serde::{Deserialize, Serialize};
use soak_sample::CgroupVersion;
use soak_witness::{
    Root,
    lever::{Enforcement, Permitted},
};

pub use assignment::{Assignment, Needs, Sharing, assign, pin_this_thread};
pub use group::{GroupLimits, IsolationError, OwnedGroup};
pub(crate) use group::{kill_all, remove_folder};
pub(crate) use kill::kill_process;
pub use owner::Owner;
use parents::Parents;

/// The period over which a quota is counted, microseconds: short, so that small quotas do not shape the latency.
pub const PERIOD_MICROS: u64 = 10_000;

/// What is really enforced on a group. Tables say so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Enforced {
    /// The CPU quota.
    pub cpu: bool,
    /// The memory limit.
    pub memory: bool,
    /// The CPUs, so that a process cannot leave them. Where false they are only set as affinity.
    pub cpuset: bool,
}

impl Enforced {
    /// As lever proofs ask it.
    pub fn permitted(self) -> Permitted {
        let permitted = |enforced| if enforced { Enforcement::Permitted } else { Enforcement::NotPermitted };
        Permitted { cpu: permitted(self.cpu), memory: permitted(self.memory) }
    }
}

/// What this user may do here to keep processes apart.
#[derive(Debug)]
pub struct Isolation {
    root: Root,
    owner: Owner,
    parents: Parents,
}

impl Isolation {
    /// Finds out by trying: makes a group, sets a limit, reads it back, removes it. What cannot be done is left out.
    pub fn detect(root: &Root) -> Result<Self, IsolationError> {
        let owner = Owner::this(root)?;
        let parents = Parents::find(root, &owner);
        Ok(Self { root: root.clone(), owner, parents })
    }

    /// Only affinity, whatever the machine permits.
    pub fn affinity_only(root: &Root) -> Result<Self, IsolationError> {
        Ok(Self { root: root.clone(), owner: Owner::this(root)?, parents: Parents::default() })
    }

    /// What is enforced on groups made here.
    pub fn enforced(&self) -> Enforced {
        self.parents.enforced()
    }

    /// The version of the cgroups in which quotas are set; `None` where there is none but affinity.
    pub fn version(&self) -> Option<CgroupVersion> {
        self.parents.version()
    }

    /// Makes a group with limits, empty yet. `name`: letters, digits and dashes; others become dashes.
    pub fn create(&self, name: &str, limits: &GroupLimits) -> Result<OwnedGroup, IsolationError> {
        OwnedGroup::create(&self.root, &self.parents, &self.owner.group_name(name), limits)
    }

    /// Ends and removes what an earlier `soak` left behind when it was killed. Gives the groups' names.
    pub fn remove_leftovers(&self) -> Vec<String> {
        let mut removed = Vec::new();
        for name in self.parents.children() {
            if Owner::of_group(&name).is_some_and(|owner| owner.is_gone(&self.root)) {
                let group = OwnedGroup::existing(&self.root, &self.parents, &name);
                if group.remove().is_ok() {
                    removed.push(name);
                }
            }
        }
        removed
    }
}
