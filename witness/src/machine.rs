//! The machine's facts, read once: what a fingerprint and the head of every table need. What cannot be read stays absent.

use std::{collections::BTreeSet, fs, io::Read};

use flate2::read::GzDecoder;
use soak_sample::{CgroupVersion, Machine};

use crate::{CpuList, Root, mounts::Hierarchy, process};

/// The most bytes of a kernel configuration that are read; real ones have a third of it.
const CONFIG_BYTES: u64 = 1 << 20;

/// Reads the machine's facts.
pub fn machine(root: &Root) -> Machine {
    let name = rustix::system::uname();
    let kernel = name.release().to_string_lossy().into_owned();
    let cpus_online = online(root);
    Machine {
        architecture: name.machine().to_string_lossy().into_owned(),
        cpu_model: cpu_model(root),
        cpus_allowed: allowed(root).unwrap_or_else(|| cpus_online.clone()),
        smt: smt(root, &cpus_online),
        governor: governor(root, &cpus_online),
        irq_time_accounting: irq_time_accounting(root, &kernel),
        cgroups: cgroup_version(root),
        clocksource: word(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        virtual_machine: virtual_machine(root),
        memory_bytes: memory_bytes(root),
        cpus_online,
        kernel,
    }
}

/// The CPUs that share a core with each other, of those given: groups of one where there is no sharing.
pub fn siblings(root: &Root, cpus: &[u32]) -> Vec<Vec<u32>> {
    let cores: BTreeSet<Vec<u32>> = cpus
        .iter()
        .map(|&cpu| {
            let core = list(root, &format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"));
            let core = core.unwrap_or_else(|| [cpu].into_iter().collect());
            cpus.iter().copied().filter(|&other| other == cpu || core.contains(other)).collect()
        })
        .collect();
    cores.into_iter().collect()
}

fn word(root: &Root, path: &str) -> Option<String> {
    let text = root.text(path).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn list(root: &Root, path: &str) -> Option<CpuList> {
    word(root, path)?.parse().ok()
}

fn online(root: &Root) -> Vec<u32> {
    list(root, "/sys/devices/system/cpu/online").map(|cpus| cpus.to_vec()).unwrap_or_default()
}

fn allowed(root: &Root) -> Option<Vec<u32>> {
    let pid = std::process::id();
    process::cpus_allowed(root, pid, pid).ok().map(|cpus| cpus.to_vec())
}

/// Intel and AMD write `model name`; Arm has no name here, so its implementer and part stand for it.
fn cpu_model(root: &Root) -> Option<String> {
    let text = root.text("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        text.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
        })
    };
    let arm = || Some(format!("implementer {} part {}", field("CPU implementer")?, field("CPU part")?));
    field("model name").or_else(arm).or_else(|| field("cpu"))
}

/// Whether two of the CPUs share a core; `None` where the kernel does not tell.
fn smt(root: &Root, cpus: &[u32]) -> Option<bool> {
    match word(root, "/sys/devices/system/cpu/smt/active").as_deref() {
        Some("1") => Some(true),
        Some("0") => Some(false),
        _ => {
            let first = cpus.first()?;
            list(root, &format!("/sys/devices/system/cpu/cpu{first}/topology/thread_siblings_list"))?;
            Some(siblings(root, cpus).iter().any(|core| core.len() > 1))
        }
    }
}

fn governor(root: &Root, cpus: &[u32]) -> Option<String> {
    let path = |cpu| format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor");
    let all: Vec<String> = cpus.iter().map(|&cpu| word(root, &path(cpu))).collect::<Option<_>>()?;
    let first = all.first()?.clone();
    Some(if all.iter().all(|governor| *governor == first) { first } else { all.join(" ") })
}

/// From the kernel's own configuration, where it publishes one. A command line may switch exact accounting off.
fn irq_time_accounting(root: &Root, kernel: &str) -> Option<bool> {
    let config = kernel_config(root, kernel)?;
    let on = config.lines().any(|line| line == "CONFIG_IRQ_TIME_ACCOUNTING=y");
    let off = root.text("/proc/cmdline").is_ok_and(|line| line.split_whitespace().any(|word| word == "tsc=noirqtime"));
    Some(on && !off)
}

fn kernel_config(root: &Root, kernel: &str) -> Option<String> {
    if let Ok(text) = root.text(format!("/boot/config-{kernel}")) {
        return Some(text);
    }
    let mut text = String::new();
    let packed = fs::File::open(root.path("/proc/config.gz")).ok()?;
    GzDecoder::new(packed).take(CONFIG_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The unified hierarchy counts only where it really holds the CPU controller.
fn cgroup_version(root: &Root) -> Option<CgroupVersion> {
    let hierarchies = Hierarchy::all(root).ok()?;
    Hierarchy::holding(&hierarchies, "cpu").map(|hierarchy| hierarchy.version)
}

fn virtual_machine(root: &Root) -> Option<bool> {
    let text = root.text("/proc/cpuinfo").ok()?;
    let flags = text.lines().find_map(|line| line.strip_prefix("flags"))?;
    Some(flags.split_ascii_whitespace().any(|flag| flag == "hypervisor"))
}

fn memory_bytes(root: &Root) -> Option<u64> {
    let text = root.text("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
