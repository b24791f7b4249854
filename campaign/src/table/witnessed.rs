//! A witness's readings of one step, as differences between its edges. Knows nothing of what a driver saw.

use std::collections::BTreeMap;

use soak_sample::{CpuSource, CpuTimes, GroupReading, Reading, ThreadReading, WitnessWindow};

use super::Check;

/// Two readings and what lies between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Witnessed<'a> {
    readings: &'a [Reading],
    first: &'a Reading,
    last: &'a Reading,
}

/// What the arm used between the edges.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ArmUse {
    /// CPUs used, thousandths.
    pub cores_milli: f64,
    /// Name and use of its busiest thread, thousandths of a CPU.
    pub busiest: Option<(String, f64)>,
    /// Time throttled, nanoseconds.
    pub throttled: Option<u64>,
    /// Periods in which it was throttled, thousandths.
    pub throttled_permille: Option<f64>,
    /// Its quota, thousandths of a CPU.
    pub quota_milli: Option<u64>,
    /// Waiting to run beyond throttling and its own threads, thousandths of the step.
    pub wait_permille: f64,
}

/// Where the node's CPU time went, thousandths of a CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct NodeUse {
    /// Busy, all CPUs, interrupts included.
    pub busy: f64,
    /// Of it, soft and hard interrupts as the kernel tells them.
    pub interrupts: f64,
    /// Taken by the hypervisor.
    pub steal: f64,
    /// Idle on the CPUs that the arm may use.
    pub arm_idle: f64,
    /// Those CPUs.
    pub arm_cpus: f64,
}

impl<'a> Witnessed<'a> {
    /// The window's edges; `None` where there are no two readings apart in time.
    pub(super) fn of(window: &'a WitnessWindow) -> Option<Self> {
        let (first, last) = (window.readings.first()?, window.readings.last()?);
        (last.at_unix_nanos > first.at_unix_nanos).then_some(Self { readings: &window.readings, first, last })
    }

    /// Between the edges, nanoseconds.
    pub(super) fn nanos(&self) -> f64 {
        (self.last.at_unix_nanos - self.first.at_unix_nanos) as f64
    }

    /// The edges' distance from a window given in the driver's clock, nanoseconds.
    pub(super) fn edge_error(&self, start: i64, end: i64, clock_offset: i64) -> i64 {
        let off = |reading: &Reading, wanted: i64| (reading.at_unix_nanos + clock_offset - wanted).abs();
        off(self.first, start).max(off(self.last, end))
    }

    /// The longest time between two readings, milliseconds.
    pub(super) fn longest_gap_millis(&self) -> i64 {
        let gaps = self.readings.windows(2).map(|pair| pair[1].at_unix_nanos - pair[0].at_unix_nanos);
        gaps.max().unwrap_or_default() / 1_000_000
    }

    fn milli(&self, nanos: f64) -> f64 {
        nanos / self.nanos() * 1000.0
    }

    /// What the arm used; `None` where it could not be read at an edge, or a counter that may lose threads fell.
    pub(super) fn arm(&self) -> Option<ArmUse> {
        let (before, after) = (self.first.arm.as_ref()?, self.last.arm.as_ref()?);
        let cpu = after.cpu_nanos.checked_sub(before.cpu_nanos)?;
        let throttle = before.throttle.zip(after.throttle);
        let throttled = throttle.map(|(one, two)| two.throttled_nanos.saturating_sub(one.throttled_nanos));
        let threads = Threads::between(before, after);
        Some(ArmUse {
            cores_milli: self.milli(cpu as f64),
            busiest: threads.busiest().map(|(name, nanos)| (name, self.milli(nanos as f64))),
            throttled,
            throttled_permille: throttled_permille(before, after),
            quota_milli: after.throttle.and_then(|throttle| throttle.quota_milli),
            wait_permille: self.milli(threads.unexplained_wait(throttled.unwrap_or_default()) as f64),
        })
    }

    /// Quota periods in which the driver was throttled, thousandths.
    pub(super) fn driver_throttled_permille(&self) -> Option<f64> {
        throttled_permille(self.first.driver.as_ref()?, self.last.driver.as_ref()?)
    }

    /// CPU of arm, driver and witness together, thousandths; `None` where one of them could not be read.
    pub(super) fn own_milli(&self) -> Option<f64> {
        let group = |of: fn(&Reading) -> Option<u64>| of(self.last)?.checked_sub(of(self.first)?);
        let arm = group(|reading| reading.arm.as_ref().map(|arm| arm.cpu_nanos))?;
        let driver = group(|reading| reading.driver.as_ref().map(|driver| driver.cpu_nanos))?;
        let own = group(|reading| reading.own_cpu_nanos)?;
        Some(self.milli((arm + driver + own) as f64))
    }

    /// Where the node's CPU time went. `arm_cpus` are the CPUs that the arm may use; empty: all.
    pub(super) fn node(&self, arm_cpus: &[u32]) -> Option<NodeUse> {
        let (before, after) = (self.first.node.as_ref()?, self.last.node.as_ref()?);
        let before: BTreeMap<u32, &CpuTimes> = before.cpus.iter().map(|cpu| (cpu.cpu, cpu)).collect();
        let mut found = NodeUse::default();
        for after in &after.cpus {
            let Some(before) = before.get(&after.cpu) else { continue };
            let delta = |of: fn(&CpuTimes) -> u64| self.milli(of(after).saturating_sub(of(before)) as f64);
            let idle = delta(|cpu| cpu.idle) + delta(|cpu| cpu.iowait);
            let steal = delta(|cpu| cpu.steal);
            // Busy is what is not idle: a tickless kernel knows idle time exactly, while it counts user and system time
            // by ticks, with which a quota's periods may be in step.
            found.busy += (1000.0 - idle - steal).max(0.0);
            found.interrupts += delta(|cpu| cpu.irq) + delta(|cpu| cpu.softirq);
            found.steal += steal;
            if arm_cpus.is_empty() || arm_cpus.contains(&after.cpu) {
                found.arm_idle += idle.min(1000.0);
                found.arm_cpus += 1000.0;
            }
        }
        (found.arm_cpus > 0.0).then_some(found)
    }

    /// Resident memory and heap at the end, or as last told. Bytes.
    pub(super) fn memory(&self) -> (Option<u64>, Option<u64>) {
        let last =
            |of: fn(&GroupReading) -> Option<u64>| self.readings.iter().rev().find_map(|r| of(r.arm.as_ref()?));
        (last(|arm| arm.rss_bytes), last(|arm| arm.heap_bytes))
    }

    /// Arm and driver stayed the same processes. Not observed where neither could be read twice.
    pub(super) fn processes(&self) -> Option<Check> {
        let arm = self.same("arm", |reading| reading.arm.as_ref());
        let driver = self.same("driver", |reading| reading.driver.as_ref());
        match (arm, driver) {
            (Some(Check::Broken(words)), _) | (_, Some(Check::Broken(words))) => Some(Check::Broken(words)),
            (one, two) => one.or(two),
        }
    }

    /// The oldest process of a group is there in every reading, and none was killed for memory.
    fn same(&self, who: &str, of: fn(&Reading) -> Option<&GroupReading>) -> Option<Check> {
        let seen: Vec<_> = self.readings.iter().filter_map(of).collect();
        let (first, later) = seen.split_first().filter(|(_, later)| !later.is_empty())?;
        let Some(oldest) = first.processes.iter().min_by_key(|process| (process.start_ticks, process.pid)) else {
            return Some(Check::Broken(format!("the {who} had no process at the step's start")));
        };
        if later.iter().any(|reading| !reading.processes.contains(oldest)) {
            return Some(Check::Broken(format!("the {who}'s process {} ended or was replaced", oldest.pid)));
        }
        let killed = |reading: &&GroupReading| reading.oom_kills > first.oom_kills && first.oom_kills.is_some();
        if later.iter().any(killed) {
            return Some(Check::Broken(format!("the kernel killed a process of the {who} for memory")));
        }
        Some(Check::Holds)
    }

    /// No counter of arm, driver or witness ran backwards. Thread sums may fall when a thread ends, and are left out.
    pub(super) fn counters(&self) -> Check {
        for pair in self.readings.windows(2) {
            for (who, before, after) in
                [("arm", &pair[0].arm, &pair[1].arm), ("driver", &pair[0].driver, &pair[1].driver)]
            {
                if before.as_ref().zip(after.as_ref()).is_some_and(|(before, after)| runs_back(before, after)) {
                    return Check::Broken(format!("the {who}'s CPU time or throttling ran backwards"));
                }
            }
            if pair[1].own_cpu_nanos < pair[0].own_cpu_nanos && pair[1].own_cpu_nanos.is_some() {
                return Check::Broken("the witness's CPU time ran backwards".to_owned());
            }
        }
        Check::Holds
    }
}

fn runs_back(before: &GroupReading, after: &GroupReading) -> bool {
    let cpu = match (before.cpu_source, after.cpu_source) {
        (CpuSource::Cgroup, CpuSource::Cgroup) => after.cpu_nanos < before.cpu_nanos,
        (CpuSource::Schedstat, _) | (_, CpuSource::Schedstat) => false,
    };
    let throttle = before.throttle.zip(after.throttle).is_some_and(|(before, after)| {
        after.periods < before.periods
            || after.throttled_periods < before.throttled_periods
            || after.throttled_nanos < before.throttled_nanos
    });
    cpu || throttle
}

fn throttled_permille(before: &GroupReading, after: &GroupReading) -> Option<f64> {
    let (before, after) = (before.throttle?, after.throttle?);
    let periods = after.periods.checked_sub(before.periods)?;
    let throttled = after.throttled_periods.checked_sub(before.throttled_periods)?;
    Some(if periods == 0 { 0.0 } else { throttled as f64 / periods as f64 * 1000.0 })
}

/// What each thread did between two readings.
struct Threads {
    each: Vec<(String, u64, u64)>,
}

impl Threads {
    fn between(before: &GroupReading, after: &GroupReading) -> Self {
        let before: BTreeMap<u32, &ThreadReading> = before.threads.iter().map(|thread| (thread.tid, thread)).collect();
        let since = |after: &ThreadReading| {
            let (cpu, wait) = before.get(&after.tid).map_or((0, 0), |before| (before.cpu_nanos, before.wait_nanos));
            let spent = |now: u64, then: u64| now.checked_sub(then).unwrap_or(now);
            (after.name.clone(), spent(after.cpu_nanos, cpu), spent(after.wait_nanos, wait))
        };
        Self { each: after.threads.iter().map(since).collect() }
    }

    fn busiest(&self) -> Option<(String, u64)> {
        self.each.iter().max_by_key(|(_, cpu, _)| *cpu).map(|(name, cpu, _)| (name.clone(), *cpu))
    }

    /// A thread waits while its group is throttled and while another thread of its group runs; what is beyond both, others
    /// caused.
    fn unexplained_wait(&self, throttled: u64) -> u64 {
        let all: u64 = self.each.iter().map(|(_, cpu, _)| cpu).sum();
        let beyond = |(_, cpu, wait): &(String, u64, u64)| wait.saturating_sub(throttled + (all - cpu));
        self.each.iter().map(beyond).sum()
    }
}
