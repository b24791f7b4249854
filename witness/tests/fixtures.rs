//! Both versions of cgroups, and a node, from copies of their files: what differs in names and units reads the same.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;

use soak_sample::{CgroupVersion, GroupReading, ThreadReading, Throttle};
use soak_witness::{
    Cgroup, CommandLine, Environment, Group, Lineage, Process, Root, cpus_allowed, descendants, lever, machine, node,
    rss_bytes, siblings, threads,
};

const SUPERVISOR: u32 = 42;
const ARM: u32 = 100;

fn root(version: &str) -> Root {
    Root::at(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(version))
}

fn both(check: impl Fn(&Root, &str)) {
    for version in ["v1", "v2"] {
        check(&root(version), version);
    }
}

#[test]
fn cpu_time_comes_in_nanoseconds() {
    let cpu = |version| Cgroup::of(&root(version), ARM).unwrap().cpu_nanos();
    assert_eq!(cpu("v1"), Some(907_000_123));
    assert_eq!(cpu("v2"), Some(907_000_000));
}

#[test]
fn throttling_comes_as_periods_and_as_time() {
    let expected =
        Throttle { periods: 400, throttled_periods: 31, throttled_nanos: 57_000_000, quota_milli: Some(500) };
    both(|root, version| assert_eq!(Cgroup::of(root, ARM).unwrap().throttle(), Some(expected), "{version}"));
}

#[test]
fn the_tightest_limit_of_a_group_and_those_above_it_is_in_effect() {
    both(|root, version| {
        let limits = Cgroup::of(root, ARM).unwrap().limits();
        assert_eq!(limits.cpu_milli, Some(500), "{version}");
        assert_eq!(limits.period_micros, Some(10_000), "{version}");
        assert_eq!(limits.memory_bytes, Some(1 << 30), "only the group above is limited: {version}");
        assert_eq!(limits.cpus.unwrap().to_vec(), [3], "{version}");
    });
    let above = Cgroup::of(&root("v1"), SUPERVISOR).unwrap().limits();
    assert_eq!((above.cpu_milli, above.memory_bytes), (Some(1500), Some(1 << 30)));
    let above = Cgroup::of(&root("v2"), SUPERVISOR).unwrap().limits();
    assert_eq!((above.cpu_milli, above.memory_bytes), (None, Some(1 << 30)));
}

#[test]
fn memory_kills_are_counted() {
    both(|root, version| assert_eq!(Cgroup::of(root, ARM).unwrap().oom_kills(), Some(2), "{version}"));
}

#[test]
fn the_members_of_a_group_are_all_that_are_in_it_or_below() {
    both(|root, version| {
        let cgroup = Cgroup::of(root, ARM).unwrap();
        assert_eq!(cgroup.processes().unwrap(), [100, 101, 103], "{version}");
        let group = Group { cgroup: Some(cgroup), lineage: Lineage::Below(SUPERVISOR) };
        let alive: Vec<u32> = group.processes(root).unwrap().iter().map(|process| process.pid).collect();
        assert_eq!(alive, [100, 101], "one that has ended is no member: {version}");
    });
}

#[test]
fn without_a_cgroup_the_members_are_found_by_descent() {
    both(|root, version| {
        let members = |lineage| {
            let group = Group { cgroup: None, lineage };
            group.processes(root).map(|processes| processes.iter().map(|process| process.pid).collect::<Vec<_>>())
        };
        assert_eq!(members(Lineage::Below(SUPERVISOR)).unwrap(), [100, 101], "{version}");
        assert_eq!(members(Lineage::Tree(ARM)).unwrap(), [100, 101], "{version}");
        assert!(members(Lineage::Below(7)).is_err(), "a process that is gone has no descendants to speak of");
    });
}

#[test]
fn a_kernel_without_lists_of_children_is_searched_whole() {
    let copy = tempfile::TempDir::new().unwrap();
    for (pid, parent) in [(42, 1), (100, 42), (101, 100), (7, 1)] {
        let folder = copy.path().join(format!("proc/{pid}"));
        std::fs::create_dir_all(&folder).unwrap();
        let stat = format!("{pid} (x) S {parent} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 99 0 0 0\n");
        std::fs::write(folder.join("stat"), stat).unwrap();
    }
    let found = descendants(&Root::at(copy.path()), 42).unwrap();
    assert_eq!(found.iter().map(|process| process.pid).collect::<Vec<_>>(), [100, 101]);
}

#[test]
fn a_process_is_read_whole() {
    both(|root, _| {
        let process = Process::read(root, ARM).unwrap();
        assert_eq!(process, Process { pid: 100, parent: 42, start_ticks: 5000, state: 'S' });
        assert_eq!(CommandLine::read(root, ARM).unwrap().words, ["/bin/arm", "rest", "--codec", "dynamic"]);
        assert_eq!(cpus_allowed(root, ARM, 102).unwrap().to_vec(), [3]);
        assert_eq!(rss_bytes(root, ARM).unwrap(), 1000 * rustix::param::page_size() as u64);
        let environment = Environment::read(root, ARM, &["MODE"], b"salt").unwrap();
        assert_eq!(environment.declared["MODE"].as_deref(), Some("fast"));
        assert!(!format!("{environment:?}").contains("must-not-be-seen"));
    });
}

#[test]
fn threads_are_read_with_their_waiting() {
    let thread =
        |tid, name: &str, cpu_nanos, wait_nanos| ThreadReading { tid, name: name.to_owned(), cpu_nanos, wait_nanos };
    let expected = [thread(100, "arm-main", 1_000_000, 20), thread(102, "arm-conn-0", 900_000_000, 4_000_000)];
    both(|root, version| assert_eq!(threads(root, ARM), expected, "{version}"));
}

#[test]
fn a_node_is_read_cpu_by_cpu_in_nanoseconds() {
    let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
    both(|root, _| {
        let node = node(root).unwrap();
        assert_eq!(node.cpus.iter().map(|cpu| cpu.cpu).collect::<Vec<_>>(), [0, 3]);
        assert_eq!((node.cpus[0].user, node.cpus[0].softirq, node.cpus[1].steal), (100 * tick, 5 * tick, 2 * tick));
        assert_eq!(node.pressure.unwrap().some_micros, 11_017_526);
    });
}

#[test]
fn a_machines_facts_are_read_and_what_is_not_there_stays_absent() {
    let old = machine(&root("v1"));
    assert_eq!(old.cpu_model.as_deref(), Some("Some CPU @ 2.00GHz"));
    assert_eq!(old.cgroups, Some(CgroupVersion::V1));
    assert_eq!((old.smt, old.virtual_machine), (Some(false), Some(true)));
    assert_eq!(old.irq_time_accounting, Some(false), "the command line has switched it off");
    assert_eq!(old.governor.as_deref(), Some("performance"));
    assert_eq!(old.memory_bytes, Some(16_384_256 * 1024));
    let new = machine(&root("v2"));
    assert_eq!(new.cpu_model.as_deref(), Some("implementer 0x41 part 0xd0b"));
    assert_eq!(new.cgroups, Some(CgroupVersion::V2));
    assert_eq!((new.smt, new.virtual_machine), (Some(true), None));
    assert_eq!(new.irq_time_accounting, Some(true));
    assert_eq!(new.cpus_online, [0, 3]);
    let nothing = machine(&Root::at("/no/such/folder"));
    assert_eq!((nothing.cpu_model, nothing.smt, nothing.irq_time_accounting), (None, None, None));
    assert_eq!((nothing.cgroups, nothing.governor, nothing.memory_bytes), (None, None, None));
}

#[test]
fn cpus_that_share_a_core_are_told() {
    assert_eq!(siblings(&root("v2"), &[0, 3]), [[0, 3]]);
    assert_eq!(siblings(&root("v2"), &[3]), [[3]]);
    assert_eq!(siblings(&root("v1"), &[0, 3]), [[0], [3]]);
}

#[test]
fn levers_are_observed_in_either_version() {
    both(|root, version| {
        let subject = lever::Subject {
            group: Group { cgroup: Some(Cgroup::of(root, ARM).unwrap()), lineage: Lineage::Below(SUPERVISOR) },
            main: ARM,
            port: None,
            admin: None,
        };
        let declared = lever::Declared {
            args: vec!["--codec".to_owned(), "dynamic".to_owned()],
            env: [("MODE".to_owned(), "slow".to_owned())].into(),
            cpu_milli: Some(500),
            memory_bytes: Some(1 << 30),
            cpus: vec![3],
            ..lever::Declared::default()
        };
        let permitted = lever::Permitted { cpu: lever::Enforcement::Permitted, memory: lever::Enforcement::Permitted };
        let proofs = lever::prove_on(root, &subject, &declared, permitted);
        let told: Vec<String> = proofs
            .iter()
            .map(|proof| format!("{}: {} {:?}", proof.lever, proof.observed.as_deref().unwrap_or("-"), proof.held))
            .collect();
        let expected = [
            "args --codec: --codec dynamic Some(true)",
            "env MODE: fast Some(false)",
            "resources.cpu: 500m Some(true)",
            "resources.memory: 1073741824 bytes Some(true)",
            "cpus: 3 Some(true)",
        ];
        assert_eq!(told, expected, "{version}");
    });
}

#[test]
fn one_window_holds_the_same_of_either_version() {
    let reading = |version: &str| -> GroupReading {
        let root = root(version);
        let arm = Group { cgroup: Some(Cgroup::of(&root, ARM).unwrap()), lineage: Lineage::Below(SUPERVISOR) };
        let watch = soak_witness::Watch {
            order: "fixture".to_owned(),
            start_unix_nanos: 0,
            end_unix_nanos: 0,
            arm: Some(arm),
            driver: None,
            admin: None,
            heap_budget: std::time::Duration::ZERO,
        };
        let window = soak_witness::Sampler::start(root, watch).unwrap().join().unwrap();
        window.readings[0].arm.clone().unwrap()
    };
    let (old, new) = (reading("v1"), reading("v2"));
    assert_eq!(old.threads.len(), 3);
    assert_eq!(old.rss_bytes, Some(1200 * rustix::param::page_size() as u64));
    assert_eq!(GroupReading { cpu_nanos: new.cpu_nanos, ..old }, new);
}
