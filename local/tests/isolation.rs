//! Groups made on the machine at hand. Where this user may not make any, each test says loudly that it did not run, and
//! fails where it must have: as root, in CI.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::{
    env, fs,
    io::Write,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use soak_local::isolation::{Enforced, GroupLimits, Isolation, OwnedGroup};
use soak_witness::{Process, Root, cpus_allowed};

const PATIENCE: Duration = Duration::from_secs(60);

fn isolation() -> Option<Isolation> {
    let isolation = Isolation::detect(&Root::live()).unwrap();
    if isolation.version().is_some() {
        return Some(isolation);
    }
    let must = env::var("CI").is_ok_and(|ci| ci == "true") && rustix::process::getuid().is_root();
    assert!(!must, "CI as root, and no cgroup can be made");
    eprintln!("SKIPPED: no cgroup can be made on this machine by this user");
    None
}

fn eventually(what: &str, condition: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < until, "did not come true: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// A shell in a group. It begins with its script only once it has been moved there.
struct Shell(Child);

impl Shell {
    fn run(folders: &[PathBuf], script: &str) -> Self {
        let mut shell =
            Command::new("sh").args(["-c", &format!("read go; {script}")]).stdin(Stdio::piped()).spawn().unwrap();
        for folder in folders {
            fs::write(folder.join("cgroup.procs"), shell.id().to_string()).unwrap();
        }
        shell.stdin.take().unwrap().write_all(b"go\n").unwrap();
        Self(shell)
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn alive(pid: u32) -> bool {
    Process::read(&Root::live(), pid).is_ok_and(|process| process.is_alive())
}

fn exists(group: &OwnedGroup) -> bool {
    group.folders().iter().any(|folder| folder.exists())
}

#[test]
fn limits_are_read_back_as_they_were_set() {
    let Some(isolation) = isolation() else { return };
    let limits = GroupLimits { cpu_milli: Some(250), memory_bytes: Some(128 << 20), cpus: Vec::new() };
    let group = isolation.create("limits", &limits).unwrap();
    assert_eq!(group.enforced(), isolation.enforced());
    let Enforced { cpu, memory, cpuset } = group.enforced();
    let read = group.limits();
    assert_eq!(read.cpu_milli, cpu.then_some(250));
    assert_eq!(read.period_micros, cpu.then_some(10_000));
    assert_eq!(read.memory_bytes, memory.then_some(128 << 20));
    assert_eq!(read.cpus.is_some(), cpuset);
    let folders = group.folders();
    group.remove().unwrap();
    assert!(!folders.iter().any(|folder| folder.exists()));
}

#[test]
fn a_quota_holds_a_spinning_process_back() {
    let Some(isolation) = isolation().filter(|isolation| isolation.enforced().cpu) else { return };
    let group = isolation.create("quota", &GroupLimits { cpu_milli: Some(100), ..GroupLimits::default() }).unwrap();
    let cgroup = group.cgroup().unwrap();
    let begun = Instant::now();
    let _shell = Shell::run(&group.folders(), "while :; do :; done");
    eventually("it uses 100 ms", || cgroup.cpu_nanos().unwrap() >= 100_000_000);
    let share = cgroup.cpu_nanos().unwrap() as f64 / begun.elapsed().as_nanos() as f64;
    assert!(share < 0.15, "a tenth of a CPU, and it used {share}");
    let throttle = cgroup.throttle().unwrap();
    assert!(throttle.throttled_periods > 0 && throttle.throttled_nanos > 0, "{throttle:?}");
    assert_eq!(throttle.quota_milli, Some(100));
}

#[test]
fn a_process_over_its_memory_is_killed_and_counted() {
    let Some(isolation) = isolation().filter(|isolation| isolation.enforced().memory) else { return };
    let limits = GroupLimits { memory_bytes: Some(32 << 20), ..GroupLimits::default() };
    let group = isolation.create("memory", &limits).unwrap();
    // One endless line: its end is kept in memory whole.
    let _shell = Shell::run(&group.folders(), "head -c 100000000 /dev/zero | tail -n 1 >/dev/null");
    eventually("it is killed", || group.cgroup().unwrap().oom_kills().unwrap() > 0);
}

#[test]
fn a_process_cannot_leave_its_cpus() {
    let Some(isolation) = isolation().filter(|isolation| isolation.enforced().cpuset) else { return };
    let this = std::process::id();
    let last = cpus_allowed(&Root::live(), this, this).unwrap().iter().last().unwrap();
    let group = isolation.create("cpus", &GroupLimits { cpus: vec![last], ..GroupLimits::default() }).unwrap();
    let shell = Shell::run(&group.folders(), "taskset -pc 0-1023 $$ >/dev/null 2>&1; exec sleep 1000");
    let pid = shell.0.id();
    eventually("it sleeps", || fs::read_to_string(format!("/proc/{pid}/comm")).unwrap().trim() == "sleep");
    assert_eq!(cpus_allowed(&Root::live(), pid, pid).unwrap().to_vec(), [last]);
    assert_eq!(group.limits().cpus.unwrap().to_vec(), [last]);
}

#[test]
fn what_forks_while_it_is_killed_does_not_get_away() {
    let Some(isolation) = isolation() else { return };
    let group = isolation.create("forks", &GroupLimits::default()).unwrap();
    let script = "i=0; while [ $i -lt 500 ]; do i=$((i+1)); setsid sleep 1000 & done; wait";
    let _shell = Shell::run(&group.folders(), script);
    eventually("it forks", || group.processes().len() > 20);
    group.kill().unwrap();
    assert_eq!(group.processes(), []);
    let folders = group.folders();
    group.remove().unwrap();
    assert!(!folders.iter().any(|folder| folder.exists()));
}

#[test]
fn a_group_that_is_dropped_ends_with_all_that_is_in_it() {
    let Some(isolation) = isolation() else { return };
    let group = isolation.create("dropped", &GroupLimits::default()).unwrap();
    let folders = group.folders();
    let mut shell = Shell::run(&folders, "exec sleep 1000");
    let pid = shell.0.id();
    eventually("it is in the group", || group.processes().iter().any(|process| process.pid == pid));
    drop(group);
    shell.0.wait().unwrap();
    assert!(!folders.iter().any(|folder| folder.exists()));
}

#[test]
fn a_second_group_of_the_same_name_is_refused_and_the_first_left_alone() {
    let Some(isolation) = isolation() else { return };
    let group = isolation.create("twice", &GroupLimits::default()).unwrap();
    let shell = Shell::run(&group.folders(), "exec sleep 1000");
    assert!(isolation.create("twice", &GroupLimits::default()).is_err());
    assert!(exists(&group) && alive(shell.0.id()));
}

#[test]
fn only_what_a_dead_owner_left_behind_is_removed() {
    let Some(isolation) = isolation() else { return };
    let ours = isolation.create("ours", &GroupLimits::default()).unwrap();
    let kept = Shell::run(&ours.folders(), "exec sleep 1000");
    // As if an earlier process of this id had made it.
    let ticks = Process::read(&Root::live(), std::process::id()).unwrap().start_ticks;
    let earlier = |folder: &PathBuf| {
        let name = folder.file_name().unwrap().to_str().unwrap();
        folder.with_file_name(name.replace(&format!("-{ticks}-ours"), &format!("-{}-theirs", ticks - 1)))
    };
    let theirs: Vec<PathBuf> = ours.folders().iter().map(earlier).collect();
    for (folder, ours) in theirs.iter().zip(ours.folders()) {
        fs::create_dir(folder).unwrap();
        // An old cpuset takes no process before it has these.
        for file in ["cpuset.mems", "cpuset.cpus"].into_iter().filter(|file| folder.join(file).exists()) {
            fs::write(folder.join(file), fs::read(ours.join(file)).unwrap()).unwrap();
        }
    }
    let left = Shell::run(&theirs, "exec sleep 1000");
    let removed = isolation.remove_leftovers();
    let name = theirs[0].file_name().unwrap().to_str().unwrap();
    assert!(removed.iter().any(|removed| removed == name), "{removed:?} should hold {name}");
    assert!(!theirs.iter().any(|folder| folder.exists()) && !alive(left.0.id()));
    assert!(exists(&ours) && alive(kept.0.id()));
}

#[test]
fn finding_out_leaves_nothing_behind() {
    let Some(isolation) = isolation() else { return };
    let group = isolation.create("trace", &GroupLimits::default()).unwrap();
    let parents: Vec<PathBuf> = group.folders().iter().map(|folder| folder.parent().unwrap().to_owned()).collect();
    drop(group);
    let pid = std::process::id();
    let _ = Isolation::detect(&Root::live()).unwrap();
    let trials = |parent: &PathBuf| {
        let names = fs::read_dir(parent).unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| name.contains(&format!("-{pid}-")) && name.contains("-trial-")).count()
    };
    // Other tests of this process find out at the same time.
    eventually("no trial is left", || parents.iter().map(trials).sum::<usize>() == 0);
}

#[test]
fn where_nothing_is_permitted_a_group_is_empty_and_says_so() {
    let isolation = Isolation::affinity_only(&Root::live()).unwrap();
    let limits = GroupLimits { cpu_milli: Some(250), memory_bytes: Some(1 << 30), cpus: vec![0] };
    let group = isolation.create("nothing", &limits).unwrap();
    assert_eq!(group.enforced(), Enforced::default());
    assert!(group.folders().is_empty() && group.cgroup().is_none());
    assert_eq!(isolation.version(), None);
    group.remove().unwrap();
}
