//! Launches with real processes. This program is test runner, supervisor, stage and executor in turn: it executes itself.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test with a runner of its own")]

use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use libtest_mimic::{Arguments, Failed, Trial};
use rustix::process::{Pid, Signal, getpgid, kill_process};
use soak_local::{
    isolation::{GroupLimits, Isolation, OwnedGroup},
    launch::{Ended, LaunchError, LaunchOrder, Launched, Launcher, Step, run_stage, run_supervisor},
};
use soak_witness::{Process, Root};
use tempfile::TempDir;

/// How long a condition may take to come true on a machine under load.
const PATIENCE: Duration = Duration::from_secs(30);

fn main() {
    match env::args().nth(1).as_deref() {
        Some("supervisor") => process::exit(run_supervisor(&Launcher::this_program(&["stage"])).into()),
        Some("stage") => process::exit(run_stage().into()),
        Some("executor") => executor(),
        _ => libtest_mimic::run(&Arguments::from_args(), trials()).exit(),
    }
}

fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(name.to_owned(), move || {
            test();
            Ok::<(), Failed>(())
        })
    };
    vec![
        trial("a_program_runs_with_exactly_its_environment_folder_and_arguments", exact_environment),
        trial("a_program_that_ends_by_itself_tells_its_exit_code", exit_code),
        trial("a_program_that_is_killed_tells_its_signal", signal),
        trial("a_program_that_is_not_there_is_refused_by_name", not_found),
        trial("a_program_that_may_not_be_executed_is_refused_by_name", not_executable),
        trial("a_folder_that_is_not_there_is_refused_by_name", no_folder),
        trial("a_group_that_is_not_there_is_refused_by_name", no_group),
        trial("an_output_that_cannot_be_written_is_refused_by_name", no_output),
        trial("a_program_that_heeds_the_wish_to_end_ends_in_good_order", good_order),
        trial("a_program_that_ignores_the_wish_to_end_is_killed_after_its_grace", grace),
        trial("a_supervisor_that_is_asked_to_end_ends_the_program_in_good_order", supervisor_asked),
        trial("the_terminals_interrupt_reaches_neither_supervisor_nor_program", own_groups),
        trial("what_forked_twice_ends_with_the_program", daemon_ends_with_the_program),
        trial("a_dropped_handle_leaves_nothing", dropped),
        trial("a_killed_executor_leaves_nothing", executor_killed),
        trial("a_killed_supervisor_takes_the_program_along", supervisor_killed),
        trial("the_end_of_a_thread_that_launched_ends_nothing", thread_ends),
        trial("a_program_keeps_to_its_cpus", pinned),
        trial("a_program_starts_in_its_groups_and_a_killed_executor_leaves_neither", grouped),
    ]
}

/// A launch in a folder of its own.
struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn order(&self, command: &[&str]) -> LaunchOrder {
        LaunchOrder {
            command: command.iter().map(|&word| word.to_owned()).collect(),
            env: BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]),
            working_dir: None,
            stdout: self.path("stdout"),
            stderr: self.path("stderr"),
            cpus: Vec::new(),
            groups: Vec::new(),
            grace_millis: 10_000,
        }
    }

    fn shell(&self, script: &str) -> LaunchOrder {
        self.order(&["sh", "-c", script])
    }

    fn stdout(&self) -> String {
        fs::read_to_string(self.path("stdout")).unwrap_or_default()
    }

    /// Waits until the program has written this many lines, and gives them as numbers.
    fn numbers(&self, count: usize) -> Vec<u32> {
        eventually("the program writes its lines", || self.stdout().lines().count() >= count);
        self.stdout().lines().map(|line| line.trim().parse().unwrap()).collect()
    }
}

fn launch(order: &LaunchOrder) -> Result<Launched, LaunchError> {
    Launcher::this_program(&["supervisor"]).launch(order)
}

fn refusal(order: &LaunchOrder) -> (Step, String, Option<i32>) {
    match launch(order) {
        Err(LaunchError::Refused(refusal)) => (refusal.step, refusal.what, refusal.errno),
        other => panic!("should be refused: {other:?}"),
    }
}

fn eventually(what: &str, condition: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < until, "did not come true: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn alive(pid: u32) -> bool {
    Process::read(&Root::live(), pid).is_ok_and(|process| process.is_alive())
}

fn kill(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), signal).unwrap();
}

fn ended(launched: &mut Launched) -> Ended {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(ended) = launched.ended() {
            return ended;
        }
        assert!(Instant::now() < until, "the program does not end");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A daemon of the old kind: forked twice, in a session of its own, its parent gone. Then the shell waits.
const DAEMON: &str = "setsid sh -c 'sleep 1000 & echo $!' & wait $!; echo $$; exec sleep 1000";

fn exact_environment() {
    let bench = Bench::new();
    let folder = fs::canonicalize(bench.folder.path()).unwrap();
    let mut order =
        bench.order(&["sh", "-c", "env; pwd; echo \"$0|$1\"; readlink /proc/self/fd/0", "zero", "two words"]);
    order.env.insert("SECRET".to_owned(), "a=b c".to_owned());
    order.working_dir = Some(folder.clone());
    let mut launched = launch(&order).unwrap();
    assert_eq!(ended(&mut launched), Ended::Code(0));
    let lines: Vec<String> = bench.stdout().lines().map(str::to_owned).collect();
    let variables: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| line.contains('=') && !line.starts_with("PWD=")).collect();
    let own: Vec<&&str> =
        variables.iter().filter(|line| !line.starts_with("_=") && !line.starts_with("SHLVL=")).collect();
    assert_eq!(own.len(), 2, "{variables:?}");
    assert!(own.contains(&&"SECRET=a=b c"));
    assert_eq!(lines[lines.len() - 3], folder.to_str().unwrap());
    assert_eq!(lines[lines.len() - 2], "zero|two words");
    assert_eq!(lines[lines.len() - 1], "/dev/null");
}

fn exit_code() {
    let bench = Bench::new();
    let mut launched = launch(&bench.shell("exit 7")).unwrap();
    assert_eq!(ended(&mut launched), Ended::Code(7));
    assert_eq!(launched.stop().unwrap(), Ended::Code(7));
}

fn signal() {
    let bench = Bench::new();
    let mut launched = launch(&bench.shell("kill -SEGV $$; exec sleep 1000")).unwrap();
    assert_eq!(ended(&mut launched), Ended::Signal(11));
}

fn not_found() {
    const NO_SUCH_FILE: Option<i32> = Some(2);
    let bench = Bench::new();
    assert_eq!(
        refusal(&bench.order(&["/no/such/program"])),
        (Step::Execute, "/no/such/program".to_owned(), NO_SUCH_FILE)
    );
    assert_eq!(
        refusal(&bench.order(&["no-such-program"])),
        (Step::Execute, "no-such-program".to_owned(), NO_SUCH_FILE)
    );
    assert_eq!(refusal(&bench.order(&[])).0, Step::Execute);
    let LaunchError::Refused(refusal) = launch(&bench.order(&["no-such-program"])).unwrap_err() else { panic!() };
    assert_eq!(refusal.exit_code(), 127);
    assert_eq!(refusal.to_string(), "cannot execute no-such-program: No such file or directory (os error 2)");
}

fn not_executable() {
    const NOT_PERMITTED: Option<i32> = Some(13);
    let bench = Bench::new();
    let program = bench.path("program");
    fs::write(&program, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    let program = program.to_str().unwrap();
    assert_eq!(refusal(&bench.order(&[program])), (Step::Execute, program.to_owned(), NOT_PERMITTED));
    let LaunchError::Refused(refusal) = launch(&bench.order(&[program])).unwrap_err() else { panic!() };
    assert_eq!(refusal.exit_code(), 126);
}

fn no_folder() {
    let bench = Bench::new();
    let order = LaunchOrder { working_dir: Some(bench.path("nowhere")), ..bench.shell("true") };
    assert_eq!(refusal(&order), (Step::EnterFolder, bench.path("nowhere").display().to_string(), Some(2)));
}

fn no_group() {
    let bench = Bench::new();
    let order = LaunchOrder { groups: vec![bench.path("group")], ..bench.shell("true") };
    assert_eq!(refusal(&order), (Step::JoinGroup, bench.path("group").display().to_string(), Some(2)));
}

fn no_output() {
    let bench = Bench::new();
    let order = LaunchOrder { stdout: bench.path("no/folder"), ..bench.shell("true") };
    assert_eq!(refusal(&order).0, Step::OpenOutput);
}

fn good_order() {
    let bench = Bench::new();
    let launched = launch(&bench.shell("trap 'echo 2; exit 3' TERM; echo 1; while :; do sleep 0.01; done")).unwrap();
    bench.numbers(1);
    assert_eq!(launched.stop().unwrap(), Ended::Code(3));
    assert_eq!(bench.numbers(2), [1, 2]);
}

fn grace() {
    let bench = Bench::new();
    let order = LaunchOrder { grace_millis: 50, ..bench.shell("trap '' TERM; echo $$; while :; do sleep 0.01; done") };
    let launched = launch(&order).unwrap();
    let pid = bench.numbers(1)[0];
    assert_eq!(pid, launched.pid());
    assert_eq!(launched.stop().unwrap(), Ended::Signal(9));
    assert!(!alive(pid));
}

fn supervisor_asked() {
    let bench = Bench::new();
    let script = "trap 'exit 3' TERM; echo 1; while :; do sleep 0.01; done";
    let mut launched = launch(&bench.shell(script)).unwrap();
    bench.numbers(1);
    kill(launched.supervisor(), Signal::TERM);
    assert_eq!(ended(&mut launched), Ended::Code(3));
}

/// The terminal interrupts the process group in the foreground: this one's.
fn own_groups() {
    let bench = Bench::new();
    let launched = launch(&bench.shell("exec sleep 1000")).unwrap();
    let group = |pid: u32| getpgid(Pid::from_raw(pid.try_into().unwrap())).unwrap();
    let ours = group(process::id());
    assert_ne!(group(launched.supervisor()), ours);
    assert_ne!(group(launched.pid()), ours);
    assert_ne!(group(launched.pid()), group(launched.supervisor()));
}

fn daemon_ends_with_the_program() {
    let bench = Bench::new();
    let launched = launch(&bench.shell(DAEMON)).unwrap();
    let pids = bench.numbers(2);
    assert!(pids.iter().all(|&pid| alive(pid)), "both run before the end");
    launched.stop().unwrap();
    assert!(!pids.iter().any(|&pid| alive(pid)));
}

fn dropped() {
    let bench = Bench::new();
    let launched = launch(&bench.shell(DAEMON)).unwrap();
    let pids = bench.numbers(2);
    drop(launched);
    assert!(!pids.iter().any(|&pid| alive(pid)));
}

/// Launches what its second argument says, tells the supervisor's id, and waits for its own end.
fn executor() {
    let order = serde_json::from_str(&env::args().nth(2).unwrap()).unwrap();
    let launched = launch(&order).unwrap();
    println!("{}", launched.supervisor());
    loop {
        thread::park();
    }
}

/// Starts an executor in a process of its own. Gives it and its supervisor's id.
fn start_executor(order: &LaunchOrder) -> (process::Child, u32) {
    let order = serde_json::to_string(order).unwrap();
    let mut child = Command::new("/proc/self/exe").args(["executor", &order]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, line.trim().parse().unwrap())
}

fn executor_killed() {
    let bench = Bench::new();
    let (mut executor, supervisor) = start_executor(&bench.shell(DAEMON));
    let pids = bench.numbers(2);
    assert!(pids.iter().all(|&pid| alive(pid)) && alive(supervisor));
    executor.kill().unwrap();
    executor.wait().unwrap();
    eventually("nothing is left", || !pids.iter().any(|&pid| alive(pid)) && !alive(supervisor));
}

fn supervisor_killed() {
    let bench = Bench::new();
    let mut launched = launch(&bench.shell("echo $$; exec sleep 1000")).unwrap();
    let pid = bench.numbers(1)[0];
    kill(launched.supervisor(), Signal::KILL);
    assert_eq!(ended(&mut launched), Ended::Signal(9));
    eventually("the program is gone", || !alive(pid));
}

/// A death signal tied to the executor would fire here: the kernel ties it to the thread.
fn thread_ends() {
    let bench = Bench::new();
    let order = bench.shell("echo $$; exec sleep 1000");
    let launched = thread::spawn(move || launch(&order).unwrap()).join().unwrap();
    bench.numbers(1);
    let supervisor = launched.supervisor();
    thread::sleep(Duration::from_millis(100));
    assert!(alive(launched.pid()) && alive(supervisor));
    launched.stop().unwrap();
}

fn pinned() {
    let bench = Bench::new();
    let root = Root::live();
    let this = process::id();
    let cpu = soak_witness::cpus_allowed(&root, this, this).unwrap().iter().last().unwrap();
    let order = LaunchOrder { cpus: vec![cpu], ..bench.shell("echo $$; exec sleep 1000") };
    let launched = launch(&order).unwrap();
    let pid = bench.numbers(1)[0];
    assert_eq!(soak_witness::cpus_allowed(&root, pid, pid).unwrap().to_vec(), [cpu]);
    launched.stop().unwrap();
}

/// A group where this machine permits any; else the test says loudly that it did not run, and fails where it must not.
fn group(name: &str, limits: &GroupLimits) -> Option<OwnedGroup> {
    let isolation = Isolation::detect(&Root::live()).unwrap();
    if isolation.version().is_some() {
        return Some(isolation.create(name, limits).unwrap());
    }
    let must = env::var("CI").is_ok_and(|ci| ci == "true") && rustix::process::getuid().is_root();
    assert!(!must, "CI as root, and no cgroup can be made");
    eprintln!("SKIPPED: no cgroup can be made on this machine by this user");
    None
}

fn grouped() {
    let bench = Bench::new();
    let limits = GroupLimits { cpu_milli: Some(500), memory_bytes: Some(256 << 20), cpus: Vec::new() };
    let Some(group) = group("launched", &limits) else { return };
    let order = LaunchOrder { groups: group.folders(), ..bench.shell(DAEMON) };
    let (mut executor, _) = start_executor(&order);
    let pids = bench.numbers(2);
    let members: Vec<u32> = group.processes().iter().map(|process| process.pid).collect();
    assert!(pids.iter().all(|pid| members.contains(pid)), "{pids:?} should be in {members:?}");
    assert_eq!(members.len(), 2, "neither supervisor nor stage is in the group");
    executor.kill().unwrap();
    executor.wait().unwrap();
    let folders = group.folders();
    eventually("the groups are removed", || !folders.iter().any(|folder| Path::exists(folder)));
    assert!(!pids.iter().any(|&pid| alive(pid)));
}
