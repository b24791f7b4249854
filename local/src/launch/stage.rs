//! The stage between supervisor and program: a process that joins groups, keeps to CPUs, and becomes the program. In: an
//! order on its standard input; out: nothing where it succeeded, a refusal on the same socket where it did not.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    env, fs, io,
    io::{BufRead, BufReader, Write},
    os::unix::{net::UnixStream, process::CommandExt},
    path::Path,
    process::Command,
};

use rustix::{
    io::fcntl_dupfd_cloexec,
    process::{Signal, getppid, set_parent_process_death_signal, setsid},
    stdio::{dup2_stdin, stdin},
};
use serde::{Deserialize, Serialize};

use super::order::{LaunchOrder, Refusal, Step};
use crate::isolation::pin_this_thread;

/// What the supervisor tells the stage.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StageOrder {
    /// The supervisor's process id: a stage whose parent is another has been orphaned already.
    pub(super) supervisor: i32,
    pub(super) order: LaunchOrder,
}

/// Runs the stage. Comes back only where the program could not be executed, with the exit code that tells so.
pub fn run() -> u8 {
    let Ok(mut socket) = socket() else { return 126 };
    let refusal = match receive(&socket).and_then(become_program) {
        Err(refusal) => refusal,
        Ok(never) => match never {},
    };
    // A supervisor that is gone needs no answer.
    let _ = serde_json::to_string(&refusal).map(|line| writeln!(socket, "{line}"));
    refusal.exit_code()
}

/// Takes the socket off the standard input, so that the program gets an empty one, and closes it on execution: the
/// supervisor sees that it has succeeded by the socket's end.
fn socket() -> io::Result<UnixStream> {
    let socket = UnixStream::from(fcntl_dupfd_cloexec(stdin(), 3)?);
    dup2_stdin(fs::File::open("/dev/null")?)?;
    Ok(socket)
}

fn receive(socket: &UnixStream) -> Result<StageOrder, Refusal> {
    let unreadable = |error: io::Error| Refusal::new(Step::ReadOrder, "the stage", &error);
    let mut line = String::new();
    BufReader::new(socket).read_line(&mut line).map_err(unreadable)?;
    serde_json::from_str(&line).map_err(|error| unreadable(error.into()))
}

fn become_program(StageOrder { supervisor, order }: StageOrder) -> Result<Infallible, Refusal> {
    // The program dies with its supervisor. One that died before this was asked for is seen by the new parent.
    let tied = set_parent_process_death_signal(Some(Signal::KILL));
    tied.map_err(|error| Refusal::new(Step::Fork, "the program", &error.into()))?;
    if getppid().map(|parent| parent.as_raw_nonzero().get()) != Some(supervisor) {
        return Err(Refusal::new(Step::Fork, "the program", &io::Error::other("the supervisor is gone")));
    }
    // Out of the terminal's reach: Ctrl-C is the executor's to answer.
    let _ = setsid();
    let LaunchOrder { command, env, working_dir, stdout: _, stderr: _, cpus, groups, grace_millis: _ } = order;
    groups.iter().try_for_each(|group| join(group))?;
    pin(&cpus)?;
    if let Some(folder) = working_dir {
        enter(&folder)?;
    }
    execute(&command, &env)
}

fn join(group: &Path) -> Result<(), Refusal> {
    let path = group.join("cgroup.procs");
    let written = fs::OpenOptions::new().write(true).open(&path).and_then(|mut file| file.write_all(b"0"));
    written.map_err(|error| Refusal::new(Step::JoinGroup, group.display().to_string(), &error))
}

fn pin(cpus: &[u32]) -> Result<(), Refusal> {
    if cpus.is_empty() {
        return Ok(());
    }
    pin_this_thread(cpus).map_err(|error| Refusal::new(Step::Pin, format!("{cpus:?}"), &error))
}

fn enter(folder: &Path) -> Result<(), Refusal> {
    env::set_current_dir(folder).map_err(|error| Refusal::new(Step::EnterFolder, folder.display().to_string(), &error))
}

fn execute(command: &[String], env: &BTreeMap<String, String>) -> Result<Infallible, Refusal> {
    let Some((program, args)) = command.split_first() else {
        return Err(Refusal::new(Step::Execute, "nothing", &io::Error::other("no program is named")));
    };
    let error = Command::new(program).args(args).env_clear().envs(env).exec();
    Err(Refusal::new(Step::Execute, program, &error))
}
