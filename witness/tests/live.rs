//! The witness on the machine at hand, whatever its cgroups are: this very process is the subject.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    env,
    net::{TcpListener, TcpStream},
    process::{Child, Command},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use soak_sample::{CpuSource, LeverProof};
use soak_witness::{
    Cgroup, CommandLine, Group, Lineage, Process, Root, Sampler, Watch, lever, listeners, machine, node,
    program_sha256, servers,
};

fn this() -> u32 {
    std::process::id()
}

fn unix_nanos() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap()
}

fn watch(start: i64, end: i64) -> Watch {
    Watch {
        order: "live".to_owned(),
        start_unix_nanos: start,
        end_unix_nanos: end,
        arm: Some(Group { cgroup: None, lineage: Lineage::Tree(this()) }),
        driver: None,
        admin: None,
        heap_budget: Duration::ZERO,
    }
}

/// Uses this much CPU time on the calling thread.
fn burn(span: Duration) {
    let tid = rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs();
    let used =
        || soak_witness::threads(&Root::live(), this()).iter().find(|thread| thread.tid == tid).unwrap().cpu_nanos;
    let until = used() + u64::try_from(span.as_nanos()).unwrap();
    while used() < until {
        std::hint::black_box((0..1000).sum::<u64>());
    }
}

/// A child that is killed with the test.
struct Sleeper(Child);

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn sleeper(args: &[&str], env: &[(&str, &str)]) -> Sleeper {
    let child = Command::new("sleep").args(args).envs(env.iter().copied()).spawn().unwrap();
    let line = |pid| CommandLine::read(&Root::live(), pid).unwrap().words;
    // Until it is executed, it is a copy of this process.
    while line(child.id()).first().is_none_or(|program| program != "sleep") {
        thread::sleep(Duration::from_millis(1));
    }
    Sleeper(child)
}

#[test]
fn a_process_is_read_as_it_was_started() {
    let words: Vec<String> = env::args().collect();
    assert_eq!(CommandLine::read(&Root::live(), this()).unwrap().words, words);
    let process = Process::read(&Root::live(), this()).unwrap();
    assert_eq!(process.parent, rustix::process::getppid().unwrap().as_raw_nonzero().get().unsigned_abs());
    assert!(Process::read(&Root::live(), u32::MAX).is_err());
}

#[test]
fn the_programs_hash_is_that_of_its_file() {
    let told = Command::new("sha256sum").arg(env::current_exe().unwrap()).output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    assert_eq!(program_sha256(&Root::live(), this()).unwrap(), told.split(' ').next().unwrap());
}

#[test]
fn this_machine_tells_its_facts() {
    let machine = machine(&Root::live());
    assert!(!machine.kernel.is_empty() && !machine.cpus_online.is_empty() && !machine.cpus_allowed.is_empty());
    assert!(machine.cpus_allowed.iter().all(|cpu| machine.cpus_online.contains(cpu)));
    assert_eq!(node(&Root::live()).unwrap().cpus.len(), machine.cpus_online.len());
}

#[test]
fn a_window_has_its_edges_and_the_cpu_time_between_them() {
    let start = unix_nanos() + 50_000_000;
    let sampler = Sampler::start(Root::live(), watch(start, start + 1_500_000_000)).unwrap();
    while unix_nanos() < start + 10_000_000 {
        thread::sleep(Duration::from_millis(1));
    }
    burn(Duration::from_millis(100));
    let window = sampler.join().unwrap();
    let asked: Vec<i64> = window.readings.iter().map(|reading| reading.asked_unix_nanos - start).collect();
    assert_eq!((asked.first(), asked.last()), (Some(&0), Some(&1_500_000_000)));
    for reading in &window.readings {
        assert!(reading.at_unix_nanos >= reading.asked_unix_nanos, "never early");
        assert!(reading.at_unix_nanos - reading.asked_unix_nanos < 2_000_000_000, "late by less than two seconds");
        assert!(reading.node.is_some());
    }
    let (first, last) = (&window.readings[0], window.readings.last().unwrap());
    let cpu = |reading: &soak_sample::Reading| reading.arm.as_ref().unwrap().cpu_nanos;
    assert_eq!(first.arm.as_ref().unwrap().cpu_source, CpuSource::Schedstat);
    assert!(cpu(last) - cpu(first) >= 90_000_000, "the burnt time is seen");
    assert!(last.own_cpu_nanos >= first.own_cpu_nanos);
}

#[test]
fn a_sampler_that_is_stopped_takes_its_last_reading_at_once() {
    let start = unix_nanos();
    let sampler = Sampler::start(Root::live(), watch(start, start + 3_600_000_000_000)).unwrap();
    sampler.stop();
    let begun = Instant::now();
    let window = sampler.join().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert!((1..=2).contains(&window.readings.len()));
    assert!(window.readings.last().unwrap().asked_unix_nanos < start + 60_000_000_000);
}

#[test]
fn a_sampler_that_is_stopped_before_the_start_reads_once() {
    let start = unix_nanos() + 3_600_000_000_000;
    let sampler = Sampler::start(Root::live(), watch(start, start + 1)).unwrap();
    sampler.stop();
    assert_eq!(sampler.join().unwrap().readings.len(), 1);
}

#[test]
fn a_group_that_is_gone_has_no_reading() {
    let sleeper = sleeper(&["1000"], &[]);
    let group = Group { cgroup: None, lineage: Lineage::Tree(sleeper.0.id()) };
    let now = unix_nanos();
    let read = |group: &Group| {
        let watch = Watch { arm: Some(group.clone()), ..watch(now, now) };
        Sampler::start(Root::live(), watch).unwrap().join().unwrap().readings.remove(0).arm
    };
    assert_eq!(read(&group).unwrap().processes.len(), 1);
    drop(sleeper);
    assert_eq!(read(&group), None);
}

#[test]
fn the_cgroups_of_this_process_can_be_read_where_they_are_mounted() {
    let cgroup = Cgroup::of(&Root::live(), this()).unwrap();
    if cgroup.cpuacct.is_none() {
        eprintln!("SKIPPED: no cgroups are mounted here");
        return;
    }
    let before = cgroup.cpu_nanos().unwrap();
    burn(Duration::from_millis(20));
    assert!(cgroup.cpu_nanos().unwrap() > before);
}

#[test]
fn who_listens_on_a_port_is_found_without_connecting() {
    let root = Root::live();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let sleeper = sleeper(&["1000"], &[]);
    let members = [Process::read(&root, this()).unwrap(), Process::read(&root, sleeper.0.id()).unwrap()];
    assert_eq!(listeners(&root, &members, port).into_iter().collect::<Vec<_>>(), [this()]);
    assert_eq!(servers(&root, &members, sleeper.0.id(), Some(port)), [this()], "the server, not the main process");
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let other = client.local_addr().unwrap().port();
    assert_eq!(servers(&root, &members, sleeper.0.id(), Some(other)), [sleeper.0.id()], "a client does not listen");
}

#[test]
fn levers_are_proven_on_a_running_process() {
    let sleeper = sleeper(&["999", "1"], &[("MODE", "fast"), ("SECRET", "hidden")]);
    let subject = lever::Subject {
        group: Group { cgroup: None, lineage: Lineage::Tree(sleeper.0.id()) },
        main: sleeper.0.id(),
        port: None,
        admin: None,
    };
    let prove = |args: &[&str], key: &str, value: &str| -> Vec<LeverProof> {
        let declared = lever::Declared {
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            env: [(key.to_owned(), value.to_owned())].into(),
            cpu_milli: Some(1000),
            ..lever::Declared::default()
        };
        let permitted =
            lever::Permitted { cpu: lever::Enforcement::NotPermitted, memory: lever::Enforcement::NotPermitted };
        lever::prove_on(&Root::live(), &subject, &declared, permitted)
    };
    let held = |proofs: &[LeverProof]| proofs.iter().map(|proof| proof.held).collect::<Vec<_>>();
    assert_eq!(held(&prove(&["999", "1"], "MODE", "fast")), [Some(true), Some(true), Some(true), None]);
    assert_eq!(held(&prove(&["1", "999"], "MODE", "slow")), [Some(false), Some(false), Some(false), None]);
    assert_eq!(held(&prove(&["998"], "ABSENT", "")), [Some(false), Some(false), None]);
    assert!(!format!("{:?}", prove(&["999"], "MODE", "fast")).contains("hidden"));
}
