//! Which CPU is whose: arm, driver, and the rest of `soak`. Pure but for `pin_this_thread`: cores and needs in, CPUs out.
//! Arm and driver never share a CPU while there are two, nor a core while there are two cores.

use std::io;

use rustix::thread::{CpuSet, sched_setaffinity};
use serde::{Deserialize, Serialize};
use soak_sample::Idle;

/// What has to be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// CPU of the arm, thousandths of a CPU.
    pub arm_milli: u64,
    /// Threads of the driver that send.
    pub driver_workers: usize,
    /// What they do between two sends.
    pub driver_idle: Idle,
}

/// Which CPU is whose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Assignment {
    /// The arm's.
    pub arm: Vec<u32>,
    /// The driver's, one a worker.
    pub driver: Vec<u32>,
    /// Where executor and witness run.
    pub rest: Vec<u32>,
    /// How far arm and driver are apart.
    pub sharing: Sharing,
}

/// How far arm and driver are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sharing {
    /// On different cores.
    DifferentCores,
    /// On threads of one core: each slows the other.
    OneCore,
    /// On one CPU: every number is a floor.
    OneCpu,
}

/// Assigns CPUs. `cores`: those on which this user's processes may run, by the core they belong to, each core's CPUs
/// ascending. `None` where there is no CPU at all.
pub fn assign(cores: &[Vec<u32>], needs: Needs) -> Option<Assignment> {
    let cpus = by_preference(cores);
    let wanted = usize::try_from(needs.arm_milli.div_ceil(1000)).unwrap_or(usize::MAX).max(1);
    let workers = needs.driver_workers.max(1);
    let &[first, ..] = cpus.as_slice() else { return None };
    if cpus.len() == 1 {
        return Some(Assignment { arm: vec![first], driver: vec![first], rest: vec![first], sharing: Sharing::OneCpu });
    }
    let arm: Vec<u32> = cpus.iter().copied().take(wanted.min(cpus.len() - 1)).collect();
    let left: Vec<u32> = cpus.iter().copied().filter(|cpu| !arm.contains(cpu)).collect();
    let driver: Vec<u32> = apart_first(&left, &arm, cores).into_iter().take(workers).collect();
    let rest = rest(&cpus, &arm, &driver, needs);
    let sharing = if share_a_core(&arm, &driver, cores) { Sharing::OneCore } else { Sharing::DifferentCores };
    Some(Assignment { arm, driver, rest, sharing })
}

/// The first CPU of every core, last core first, since the first serves most interrupts; then the second of each, …
fn by_preference(cores: &[Vec<u32>]) -> Vec<u32> {
    let most = cores.iter().map(Vec::len).max().unwrap_or(0);
    (0..most).flat_map(|thread| cores.iter().rev().filter_map(move |core| core.get(thread).copied())).collect()
}

/// CPUs on other cores than these before those on the same.
fn apart_first(cpus: &[u32], from: &[u32], cores: &[Vec<u32>]) -> Vec<u32> {
    let (near, apart): (Vec<u32>, Vec<u32>) = cpus.iter().partition(|&&cpu| share_a_core(&[cpu], from, cores));
    apart.into_iter().chain(near).collect()
}

fn share_a_core(one: &[u32], other: &[u32], cores: &[Vec<u32>]) -> bool {
    cores.iter().any(|core| one.iter().any(|cpu| core.contains(cpu)) && other.iter().any(|cpu| core.contains(cpu)))
}

/// What is left over. Where nothing is: beside whoever leaves its CPU idle at times, a driver that sleeps, or an arm that
/// may not use all of its own; else beside the driver, whose lateness is measured and shown.
fn rest(cpus: &[u32], arm: &[u32], driver: &[u32], needs: Needs) -> Vec<u32> {
    let left: Vec<u32> = cpus.iter().copied().filter(|cpu| !arm.contains(cpu) && !driver.contains(cpu)).collect();
    let arm_has_room = needs.arm_milli * 10 <= arm.len() as u64 * 9000;
    match (left.is_empty(), needs.driver_idle, arm_has_room) {
        (false, _, _) => left,
        (true, Idle::Spin, true) => arm.to_vec(),
        (true, Idle::Sleep, _) | (true, Idle::Spin, false) => driver.to_vec(),
    }
}

/// Keeps the calling thread, and the threads and processes that it starts from now on, to these CPUs.
pub fn pin_this_thread(cpus: &[u32]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for cpu in cpus.iter().filter_map(|&cpu| usize::try_from(cpu).ok()).filter(|&cpu| cpu < CpuSet::MAX_CPU) {
        set.set(cpu);
    }
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use soak_sample::Idle;

    use super::{Assignment, Needs, Sharing, assign};

    fn needs(arm_milli: u64, driver_workers: usize, driver_idle: Idle) -> Needs {
        Needs { arm_milli, driver_workers, driver_idle }
    }

    fn check(cores: &[&[u32]], needs: Needs, expected: (&[u32], &[u32], &[u32], Sharing)) {
        let cores: Vec<Vec<u32>> = cores.iter().map(|core| core.to_vec()).collect();
        let (arm, driver, rest, sharing) = expected;
        let expected = Assignment { arm: arm.to_vec(), driver: driver.to_vec(), rest: rest.to_vec(), sharing };
        assert_eq!(assign(&cores, needs), Some(expected), "{cores:?} {needs:?}");
    }

    #[test]
    fn on_two_cores_arm_and_driver_have_one_each() {
        let cores: &[&[u32]] = &[&[0], &[1]];
        check(cores, needs(200, 1, Idle::Spin), (&[1], &[0], &[1], Sharing::DifferentCores));
        check(cores, needs(200, 1, Idle::Sleep), (&[1], &[0], &[0], Sharing::DifferentCores));
        check(cores, needs(1000, 1, Idle::Spin), (&[1], &[0], &[0], Sharing::DifferentCores));
        check(cores, needs(4000, 3, Idle::Spin), (&[1], &[0], &[0], Sharing::DifferentCores));
    }

    #[test]
    fn a_third_core_is_left_to_the_rest() {
        check(&[&[0], &[1], &[2]], needs(1000, 1, Idle::Spin), (&[2], &[1], &[0], Sharing::DifferentCores));
        check(&[&[0], &[1], &[2], &[3]], needs(1500, 1, Idle::Spin), (&[3, 2], &[1], &[0], Sharing::DifferentCores));
    }

    #[test]
    fn the_other_thread_of_the_arms_core_is_not_the_drivers() {
        check(&[&[0, 2], &[1, 3]], needs(1000, 1, Idle::Spin), (&[1], &[0], &[3, 2], Sharing::DifferentCores));
        check(&[&[0, 2], &[1, 3]], needs(1000, 2, Idle::Spin), (&[1], &[0, 2], &[3], Sharing::DifferentCores));
    }

    #[test]
    fn one_core_or_one_cpu_is_said_to_be_shared() {
        check(&[&[0, 1]], needs(1000, 1, Idle::Spin), (&[0], &[1], &[1], Sharing::OneCore));
        check(&[&[4]], needs(1000, 1, Idle::Spin), (&[4], &[4], &[4], Sharing::OneCpu));
        assert_eq!(assign(&[], needs(1000, 1, Idle::Spin)), None);
    }

    proptest! {
        #[test]
        fn with_two_cpus_or_more_arm_and_driver_share_none(
            sizes in vec(1usize..4, 1..6), arm_milli in 1u64..9000, workers in 1usize..5,
        ) {
            let mut next = 0..;
            let cores: Vec<Vec<u32>> = sizes.iter().map(|&size| next.by_ref().take(size).collect()).collect();
            let all: usize = sizes.iter().sum();
            let made = assign(&cores, needs(arm_milli, workers, Idle::Sleep)).unwrap();
            prop_assert!(!made.arm.is_empty() && !made.driver.is_empty() && !made.rest.is_empty());
            prop_assert!(made.driver.len() <= workers);
            prop_assert_eq!(made.sharing == Sharing::OneCpu, all == 1);
            if all > 1 {
                prop_assert!(made.arm.iter().all(|cpu| !made.driver.contains(cpu)));
            }
        }
    }
}
