//! Whose a group is. In: a process; out: the group's name, which carries its owner, and whether that owner still lives.
//! A process id alone would not do: ids come back, and every process namespace has its own.

use std::fs;

use soak_witness::{Process, Root};

use super::IsolationError;

const PREFIX: &str = "soak";

/// The `soak` process that made a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    namespace: u64,
    pid: u32,
    start_ticks: u64,
}

impl Owner {
    /// This process.
    pub fn this(root: &Root) -> Result<Self, IsolationError> {
        let pid = std::process::id();
        let process = Process::read(root, pid)?;
        Ok(Self { namespace: namespace(root, pid).unwrap_or(0), pid, start_ticks: process.start_ticks })
    }

    /// The full name of one of its groups.
    pub(super) fn group_name(&self, name: &str) -> String {
        let Self { namespace, pid, start_ticks } = self;
        let name: String =
            name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
        format!("{PREFIX}-{namespace}-{pid}-{start_ticks}-{name}")
    }

    /// The owner that a group's name carries; `None` where it is no group of ours.
    pub(super) fn of_group(name: &str) -> Option<Self> {
        let mut fields = name.splitn(5, '-');
        if fields.next()? != PREFIX {
            return None;
        }
        let (namespace, pid, start_ticks) = (fields.next()?, fields.next()?, fields.next()?);
        fields.next()?;
        Some(Self {
            namespace: namespace.parse().ok()?,
            pid: pid.parse().ok()?,
            start_ticks: start_ticks.parse().ok()?,
        })
    }

    /// True where the owner surely does not live any more. An owner in another process namespace cannot be seen.
    pub(super) fn is_gone(&self, root: &Root) -> bool {
        let visible = namespace(root, std::process::id()) == Some(self.namespace);
        let alive = Process::read(root, self.pid).is_ok_and(|process| process.start_ticks == self.start_ticks);
        visible && !alive
    }
}

/// `pid:[4026531836]`.
fn namespace(root: &Root, pid: u32) -> Option<u64> {
    let link = fs::read_link(root.process(pid).join("ns/pid")).ok()?;
    link.to_str()?.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use soak_witness::Root;

    use super::Owner;

    #[test]
    fn a_groups_name_carries_its_owner() {
        let owner = Owner { namespace: 4_026_531_836, pid: 42, start_ticks: 9000 };
        let name = owner.group_name("arm rest/h1");
        assert_eq!(name, "soak-4026531836-42-9000-arm-rest-h1");
        assert_eq!(Owner::of_group(&name), Some(owner));
    }

    #[test]
    fn other_folders_have_no_owner() {
        for name in ["soak", "soak-1-2-3", "soak-1-x-3-arm", "user.slice", "soaked-1-2-3-arm", "soak--1-2-3"] {
            assert_eq!(Owner::of_group(name), None, "{name}");
        }
    }

    #[test]
    fn an_owner_is_gone_when_its_id_belongs_to_another_process() {
        let root = Root::live();
        let this = Owner::this(&root).unwrap();
        assert!(!this.is_gone(&root));
        let earlier = Owner { start_ticks: this.start_ticks - 1, ..this.clone() };
        assert!(earlier.is_gone(&root));
        let elsewhere = Owner { namespace: this.namespace + 1, ..earlier };
        assert!(!elsewhere.is_gone(&root), "an owner that cannot be seen may be alive");
    }
}
