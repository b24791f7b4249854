//! The supervisor: one thread between an executor and one program. In: an order, then wishes on its standard input; out:
//! events on its standard output. The input's end means that the executor is gone, however it went: then everything
//! is killed at once. It joins no group itself.

use std::{
    fs, io,
    io::Write,
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use rustix::{
    event::Timespec,
    process::{Pid, Signal, getpid, kill_process, set_child_subreaper},
    stdio::stdin,
};
use soak_witness::{Process, Root};

use super::{
    handle::Launcher,
    input::Input,
    order::{Ended, Event, LaunchOrder, Refusal, Step},
    signals::Signals,
    stage::StageOrder,
    tree,
};
use crate::isolation::remove_folder;

/// The wish to end the program in good order.
pub(super) const STOP: &str = "stop";

/// Runs the supervisor. `stage`: how it is executed. Gives the program's own exit code as a shell
/// would: 128 and the signal where one ended it, 126 or 127 where it could not be started.
pub fn run(stage: &Launcher) -> u8 {
    let _ = rustix::thread::set_name(c"soak-launch");
    match supervise(stage) {
        Ok(Ended::Code(code)) => u8::try_from(code).unwrap_or(u8::MAX),
        Ok(Ended::Signal(signal)) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        Err(refusal) => {
            tell(&Event::Refused(refusal.clone()));
            refusal.exit_code()
        }
    }
}

fn supervise(stage: &Launcher) -> Result<Ended, Refusal> {
    let refused = |error: io::Error| Refusal::new(Step::Fork, "the program", &error);
    let mut input = Input::default();
    let order = read_order(&mut input)?;
    let signals = Signals::watch().map_err(refused)?;
    // What the program's processes abandon becomes this one's child, and can be found.
    set_child_subreaper(Some(getpid())).map_err(|error| refused(error.into()))?;
    let (main, socket) = spawn(stage, &order)?;
    let mut shift = Shift { root: Root::live(), order, main, input, signals, ended: None, deadline: None };
    shift.await_execution(&socket)?;
    let why = shift.watch();
    Ok(shift.finish(why))
}

fn read_order(input: &mut Input) -> Result<LaunchOrder, Refusal> {
    let unreadable = |error: io::Error| Refusal::new(Step::ReadOrder, "the supervisor", &error);
    loop {
        if let Some(line) = input.line() {
            return serde_json::from_str(&line).map_err(|error| unreadable(error.into()));
        }
        if input.has_ended() {
            return Err(unreadable(io::ErrorKind::UnexpectedEof.into()));
        }
        input.fill(stdin()).map_err(unreadable)?;
    }
}

fn tell(event: &Event) {
    // An executor that is gone needs no answer.
    let _ = serde_json::to_string(event).map(|line| writeln!(io::stdout(), "{line}"));
}

/// Makes the stage's process and hands it the order.
fn spawn(stage: &Launcher, order: &LaunchOrder) -> Result<(Pid, UnixStream), Refusal> {
    let refused = |error: &io::Error| Refusal::new(Step::Fork, "the program", error);
    let (mut socket, theirs) = UnixStream::pair().map_err(|error| refused(&error))?;
    let child = stage
        .command()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(output(&order.stdout)?)
        .stderr(output(&order.stderr)?)
        .spawn()
        .map_err(|error| refused(&error))?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| refused(&io::Error::other("the process has no id")))?;
    let order = StageOrder { supervisor: getpid().as_raw_nonzero().get(), order: order.clone() };
    let line = serde_json::to_string(&order).map_err(|error| refused(&error.into()))?;
    // A stage that died without reading is told by its socket's end.
    let _ = writeln!(socket, "{line}");
    Ok((pid, socket))
}

fn output(path: &Path) -> Result<fs::File, Refusal> {
    fs::File::create(path).map_err(|error| Refusal::new(Step::OpenOutput, path.display().to_string(), &error))
}

/// Why the watch over a program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// Its first process has.
    ProgramEnded,
    /// It was asked to and took too long.
    GraceOver,
    /// Nobody is left who wants it.
    ExecutorGone,
}

/// One program's supervision.
struct Shift {
    root: Root,
    order: LaunchOrder,
    main: Pid,
    input: Input,
    signals: Signals,
    ended: Option<Ended>,
    deadline: Option<Instant>,
}

impl Shift {
    /// Waits until the stage has become the program: its socket closes without a word.
    fn await_execution(&mut self, socket: &UnixStream) -> Result<(), Refusal> {
        let mut answer = Input::default();
        while !answer.has_ended() {
            let has_input = self.signals.wait(socket, Some(Timespec { tv_sec: 1, tv_nsec: 0 }));
            if has_input && answer.fill(socket).is_err() {
                break;
            }
            // While the stage works, nobody else looks whether the executor lives.
            if self.executor_is_gone() {
                self.end_all();
                return Err(Refusal::new(Step::Fork, "the program", &io::ErrorKind::Interrupted.into()));
            }
        }
        if let Some(line) = answer.line() {
            self.end_all();
            let garbled = |error: serde_json::Error| Refusal::new(Step::Fork, "the program", &error.into());
            return Err(serde_json::from_str(&line).unwrap_or_else(garbled));
        }
        let pid = self.pid();
        let start_ticks = Process::read(&self.root, pid).map_or(0, |process| process.start_ticks);
        tell(&Event::Started { pid, start_ticks });
        Ok(())
    }

    fn pid(&self) -> u32 {
        self.main.as_raw_nonzero().get().unsigned_abs()
    }

    fn executor_is_gone(&mut self) -> bool {
        let has_input = self.signals.wait(stdin(), Some(Timespec { tv_sec: 0, tv_nsec: 0 }));
        has_input && (self.input.fill(stdin()).is_err() || self.input.has_ended())
    }

    fn watch(&mut self) -> Why {
        loop {
            while let Some(line) = self.input.line() {
                if line == STOP {
                    self.ask_to_end();
                }
            }
            if self.signals.stop_asked() {
                self.ask_to_end();
            }
            self.reap();
            if self.ended.is_some() {
                return Why::ProgramEnded;
            }
            if self.input.has_ended() {
                return Why::ExecutorGone;
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Why::GraceOver;
            }
            if self.signals.wait(stdin(), self.time_left()) && self.input.fill(stdin()).is_err() {
                return Why::ExecutorGone;
            }
        }
    }

    fn time_left(&self) -> Option<Timespec> {
        // Rounded up, so that the deadline has passed when the wait is over.
        let left = self.deadline?.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
        Timespec::try_from(left).ok()
    }

    /// Asks the program to end, once.
    fn ask_to_end(&mut self) {
        if self.deadline.is_none() {
            self.deadline = Some(Instant::now() + Duration::from_millis(self.order.grace_millis));
            let _ = kill_process(self.main, Signal::TERM);
        }
    }

    fn reap(&mut self) {
        for reaped in tree::reap() {
            self.note(&reaped);
        }
    }

    fn note(&mut self, reaped: &tree::Reaped) {
        if reaped.pid == self.main.as_raw_nonzero().get() {
            self.ended = Some(reaped.ended);
        }
    }

    /// Kills what is left. Gives what does not end.
    fn end_all(&mut self) -> Vec<u32> {
        let (left, reaped) = tree::end(&self.root, &self.order.groups);
        for reaped in &reaped {
            self.note(reaped);
        }
        left
    }

    fn finish(mut self, why: Why) -> Ended {
        let left = self.end_all();
        let ended = self.ended.unwrap_or(Ended::Signal(Signal::KILL.as_raw()));
        tell(&Event::Ended(ended));
        if why == Why::ExecutorGone {
            for folder in &self.order.groups {
                // Nobody else will; what resists is removed at the next start.
                let _ = remove_folder(folder);
            }
        }
        tell(&Event::Gone { left });
        ended
    }
}
