//! The node: what each CPU did since boot, and how long tasks waited for one. From `/proc/stat` and `/proc/pressure/cpu`.

use soak_sample::{CpuTimes, NodeReading, Pressure};

use crate::{
    ReadError, Root,
    root::{self, malformed},
};

/// Reads the node.
pub fn node(root: &Root) -> Result<NodeReading, ReadError> {
    let path = root.path("/proc/stat");
    let cpus = parse_stat(&root::text(&path)?, tick_nanos()).ok_or_else(|| malformed(&path, "the times of CPUs"))?;
    Ok(NodeReading { cpus, pressure: pressure(root) })
}

/// Length of the clock tick in which `/proc/stat` counts, nanoseconds.
fn tick_nanos() -> u64 {
    1_000_000_000 / rustix::param::clock_ticks_per_second().max(1)
}

/// The lines of single CPUs; numbers may have holes where CPUs are offline.
fn parse_stat(text: &str, tick: u64) -> Option<Vec<CpuTimes>> {
    let lines = text.lines().filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "));
    let cpus: Vec<CpuTimes> = lines.map(|line| parse_cpu(line, tick)).collect::<Option<_>>()?;
    (!cpus.is_empty()).then_some(cpus)
}

fn parse_cpu(line: &str, tick: u64) -> Option<CpuTimes> {
    let mut fields = line.split_ascii_whitespace();
    let cpu = fields.next()?.strip_prefix("cpu")?.parse().ok()?;
    let mut time = || fields.next()?.parse::<u64>().ok().map(|ticks| ticks * tick);
    let (user, nice, system, idle) = (time()?, time()?, time()?, time()?);
    let (iowait, irq, softirq, steal) = (time()?, time()?, time()?, time()?);
    // Time of guests, the two fields after these, is already part of user and nice.
    Some(CpuTimes { cpu, user, nice, system, idle, iowait, irq, softirq, steal })
}

/// Absent where the kernel does not account for it, or has it switched off.
fn pressure(root: &Root) -> Option<Pressure> {
    let text = root.text("/proc/pressure/cpu").ok()?;
    let some = text.lines().find(|line| line.starts_with("some "))?;
    let total = some.split_ascii_whitespace().find_map(|field| field.strip_prefix("total="))?;
    Some(Pressure { some_micros: total.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::parse_stat;

    #[test]
    fn cpus_may_be_missing_in_between() {
        let text = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu5 10 0 0 90 0 0 1 0 0 0\nintr 5 0\n";
        let cpus = parse_stat(text, 10).unwrap();
        assert_eq!(cpus.iter().map(|cpu| cpu.cpu).collect::<Vec<_>>(), [0, 5]);
        assert_eq!((cpus[0].user, cpus[0].softirq, cpus[0].steal), (10, 70, 80));
        assert_eq!(cpus[1].idle, 900);
    }

    #[test]
    fn a_line_that_is_cut_short_is_refused_whole() {
        assert_eq!(parse_stat("cpu0 1 2 3\n", 10), None);
        assert_eq!(parse_stat("intr 1\n", 10), None);
    }
}
