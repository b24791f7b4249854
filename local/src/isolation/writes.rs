//! Which files of a new group get which content. Pure: limits in, writes out, in the order the kernel wants them.

use soak_sample::CgroupVersion;
use soak_witness::CpuList;

use super::{GroupLimits, PERIOD_MICROS, parents::Controller};

/// One write to a file of the group's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Write {
    pub(super) file: &'static str,
    pub(super) content: Content,
    pub(super) need: Need,
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Text(String),
    /// What this file of the parent says.
    Parents(&'static str),
}

/// Whether a group without it is worth having.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    /// Left out where the kernel has no such file.
    WhereOffered,
}

/// The writes of one controller.
pub(super) fn writes(controller: Controller, version: CgroupVersion, limits: &GroupLimits) -> Vec<Write> {
    match controller {
        Controller::Cpu => limits.cpu_milli.map(|milli| cpu(version, quota(milli))).unwrap_or_default(),
        Controller::Memory => limits.memory_bytes.map(|bytes| memory(version, bytes)).unwrap_or_default(),
        Controller::Cpuset => cpuset(version, &limits.cpus),
        Controller::Cpuacct | Controller::Freezer => Vec::new(),
    }
}

/// CPU time per period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Quota {
    quota_micros: u64,
    period_micros: u64,
}

/// The quota of so many thousandths of a CPU. The kernel takes none under a millisecond, so that the period of a very
/// small one is longer; it takes no period over a second.
fn quota(milli: u64) -> Quota {
    const LEAST_QUOTA_MICROS: u64 = 1000;
    const LONGEST_PERIOD_MICROS: u64 = 1_000_000;
    let least_period = (LEAST_QUOTA_MICROS * 1000).div_ceil(milli.max(1)).next_multiple_of(1000);
    let period_micros = PERIOD_MICROS.max(least_period).min(LONGEST_PERIOD_MICROS);
    Quota { quota_micros: (milli * period_micros / 1000).max(LEAST_QUOTA_MICROS), period_micros }
}

fn cpu(version: CgroupVersion, Quota { quota_micros, period_micros }: Quota) -> Vec<Write> {
    match version {
        CgroupVersion::V1 => vec![
            required("cpu.cfs_period_us", period_micros.to_string()),
            required("cpu.cfs_quota_us", quota_micros.to_string()),
        ],
        CgroupVersion::V2 => vec![required("cpu.max", format!("{quota_micros} {period_micros}"))],
    }
}

/// Swap would make a limit soft: none of it.
fn memory(version: CgroupVersion, bytes: u64) -> Vec<Write> {
    let where_offered = |file, text: String| Write { file, content: Content::Text(text), need: Need::WhereOffered };
    match version {
        CgroupVersion::V1 => vec![
            required("memory.limit_in_bytes", bytes.to_string()),
            where_offered("memory.memsw.limit_in_bytes", bytes.to_string()),
        ],
        CgroupVersion::V2 => {
            vec![required("memory.max", bytes.to_string()), where_offered("memory.swap.max", "0".to_owned())]
        }
    }
}

/// An old cpuset takes no process before it has CPUs and memory nodes of its own.
fn cpuset(version: CgroupVersion, cpus: &[u32]) -> Vec<Write> {
    let list: CpuList = cpus.iter().copied().collect();
    let parents = |file, from| Write { file, content: Content::Parents(from), need: Need::Required };
    match (version, list.is_empty()) {
        (CgroupVersion::V1, false) => {
            vec![parents("cpuset.mems", "cpuset.effective_mems"), required("cpuset.cpus", list.to_string())]
        }
        (CgroupVersion::V1, true) => {
            vec![parents("cpuset.mems", "cpuset.effective_mems"), parents("cpuset.cpus", "cpuset.effective_cpus")]
        }
        (CgroupVersion::V2, false) => vec![required("cpuset.cpus", list.to_string())],
        (CgroupVersion::V2, true) => Vec::new(),
    }
}

fn required(file: &'static str, text: String) -> Write {
    Write { file, content: Content::Text(text), need: Need::Required }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use soak_sample::CgroupVersion::{V1, V2};

    use super::{Content, Controller, GroupLimits, quota, writes};

    fn shown(controller: Controller, version: soak_sample::CgroupVersion, limits: &GroupLimits) -> Vec<String> {
        let show = |content: &Content| match content {
            Content::Text(text) => text.clone(),
            Content::Parents(file) => format!("as the parent's {file}"),
        };
        writes(controller, version, limits)
            .iter()
            .map(|write| format!("{} = {}", write.file, show(&write.content)))
            .collect()
    }

    #[test]
    fn limits_are_written_as_each_version_wants_them() {
        let limits = GroupLimits { cpu_milli: Some(250), memory_bytes: Some(1 << 30), cpus: vec![1, 2, 3, 7] };
        let check = |controller, version, expected: &[&str]| assert_eq!(shown(controller, version, &limits), expected);
        check(Controller::Cpu, V1, &["cpu.cfs_period_us = 10000", "cpu.cfs_quota_us = 2500"]);
        check(Controller::Cpu, V2, &["cpu.max = 2500 10000"]);
        check(
            Controller::Memory,
            V1,
            &["memory.limit_in_bytes = 1073741824", "memory.memsw.limit_in_bytes = 1073741824"],
        );
        check(Controller::Memory, V2, &["memory.max = 1073741824", "memory.swap.max = 0"]);
        check(Controller::Cpuset, V1, &["cpuset.mems = as the parent's cpuset.effective_mems", "cpuset.cpus = 1-3,7"]);
        check(Controller::Cpuset, V2, &["cpuset.cpus = 1-3,7"]);
    }

    #[test]
    fn without_limits_nothing_is_written_but_what_an_old_cpuset_needs() {
        let check = |controller, version, expected: usize| {
            assert_eq!(
                writes(controller, version, &GroupLimits::default()).len(),
                expected,
                "{controller:?} {version:?}"
            );
        };
        for version in [V1, V2] {
            check(Controller::Cpu, version, 0);
            check(Controller::Memory, version, 0);
        }
        check(Controller::Cpuset, V2, 0);
        check(Controller::Cpuset, V1, 2);
    }

    proptest! {
        #[test]
        fn a_quota_is_exact_and_within_what_the_kernel_takes(milli in 1u64..64_000) {
            let quota = quota(milli);
            prop_assert!(quota.quota_micros >= 1000);
            prop_assert!((10_000..=1_000_000).contains(&quota.period_micros));
            prop_assert_eq!(quota.quota_micros * 1000 / quota.period_micros, milli);
            if milli >= 100 {
                prop_assert_eq!(quota.period_micros, 10_000);
            }
        }
    }
}
