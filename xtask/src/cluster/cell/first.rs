//! A cell's first process: makes the mounts, waits for the word, then keeps the programs running and buries orphans.
//! Ends only by being killed, or when the word does not come.

use std::{
    fs,
    io::{self, BufRead as _},
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::{
    mount::{MountPropagationFlags, mount_bind, mount_bind_recursive, mount_change},
    process::{WaitOptions, wait},
};

use super::{BINARIES, Cell, Program, WORD};
use crate::Fault;

const LOGS: &str = "/var/log/soak";
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// A program that ended is started again after this long.
const AGAIN: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(50);
/// Settings of the cell's own network: it forwards, and filters what crosses its bridges.
const NETWORK: [&str; 2] = ["/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/bridge/bridge-nf-call-iptables"];

/// A program and its process.
struct Running<'a> {
    program: &'a Program,
    pid: Option<i32>,
    due: Instant,
}

/// Does not return while the cell lives.
pub(super) fn run(cell: Cell) -> Result<(), Fault> {
    let Cell { name, folder, binaries, programs } = cell;
    mount(&folder, &binaries)?;
    for setting in NETWORK {
        if let Err(error) = fs::write(setting, "1") {
            eprintln!("{name}: {setting} is not set: {error}");
        }
    }
    let mut word = String::new();
    let _ = io::stdin().lock().read_line(&mut word); // no word is an answer too
    if word.trim() != WORD {
        return Err(Fault::Failed(format!("{name}: what started this cell has ended before it was complete")));
    }
    keep_running(&programs)
}

/// Gives the cell its own `/run` and `/var`, and shows it the binaries.
fn mount(folder: &Path, binaries: &[(String, std::path::PathBuf)]) -> Result<(), Fault> {
    let inner = folder.join("run").join(Path::new(BINARIES).strip_prefix("/run").unwrap_or(Path::new(BINARIES)));
    for (name, source) in binaries {
        let target = inner.join(name);
        fs::create_dir_all(&target).map_err(|error| Fault::file(&target, error))?;
        mount_bind(source, &target).map_err(|error| Fault::file(&target, error.into()))?;
    }
    let own_run = folder.join("var/run");
    if !own_run.is_symlink() {
        symlink("/run", &own_run).map_err(|error| Fault::file(&own_run, error))?;
    }
    for name in ["run", "var"] {
        let target = Path::new("/").join(name);
        mount_bind_recursive(folder.join(name), &target).map_err(|error| Fault::file(&target, error.into()))?;
    }
    mount_change("/", MountPropagationFlags::SHARED | MountPropagationFlags::REC)
        .map_err(|error| Fault::file(Path::new("/"), error.into()))
}

fn keep_running(programs: &[Program]) -> Result<(), Fault> {
    let now = Instant::now();
    let mut all: Vec<Running> = programs.iter().map(|program| Running { program, pid: None, due: now }).collect();
    loop {
        for one in all.iter_mut().filter(|one| one.pid.is_none() && one.due <= Instant::now()) {
            one.pid = Some(spawn(one.program)?);
        }
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            let ended = pid.as_raw_nonzero().get();
            if let Some(one) = all.iter_mut().find(|one| one.pid == Some(ended)) {
                eprintln!("{} has ended ({status:?}) and is started again", one.program.name);
                (one.pid, one.due) = (None, Instant::now() + AGAIN);
            }
        }
        sleep(PAUSE);
    }
}

fn spawn(program: &Program) -> Result<i32, Fault> {
    let log = Path::new(LOGS).join(format!("{}.log", program.name));
    let open = || fs::File::options().create(true).append(true).open(&log).map_err(|error| Fault::file(&log, error));
    let (name, arguments) = program.command.split_first().ok_or_else(|| Fault::Failed("no command".to_owned()))?;
    let mut command = Command::new(name);
    command.args(arguments).env_clear().env("PATH", PATH).current_dir("/");
    command.stdin(Stdio::null()).stdout(open()?).stderr(open()?);
    let child = command.spawn().map_err(|error| Fault::Failed(format!("{name} cannot be run: {error}")))?;
    i32::try_from(child.id()).map_err(|error| Fault::Failed(error.to_string()))
}
