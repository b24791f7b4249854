//! The executor's end of a launch. In: how to execute the supervisor, and an order; out: a program that runs until it
//! ends, is stopped, or its handle is dropped, or this process dies.

use std::{
    io,
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use super::{
    order::{Ended, Event, LaunchOrder, Refusal},
    supervisor::STOP,
};

/// How long a start may take: a large program from a slow disk.
const START: Duration = Duration::from_secs(60);
/// How long the end of everything may take beyond the program's grace.
const END: Duration = Duration::from_secs(15);

/// Why a program does not run.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The supervisor cannot be started, or not be spoken to.
    #[error("cannot start the supervisor: {0}")]
    Supervisor(#[from] io::Error),
    /// The program cannot be started.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The supervisor said nothing in time, or ended without a word.
    #[error("the supervisor does not answer")]
    Silent,
    /// Processes of the program outlive being killed.
    #[error("processes do not end: {0:?}")]
    Undying(Vec<u32>),
}

/// How to execute supervisor or stage.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// Program and arguments.
    command: Vec<String>,
}

/// A program under supervision. Dropping it kills the program's whole tree.
#[derive(Debug)]
pub struct Launched {
    supervisor: Child,
    /// Its end tells the supervisor that this process is gone.
    input: Option<ChildStdin>,
    events: Receiver<Event>,
    pid: u32,
    start_ticks: u64,
    grace: Duration,
    ended: Option<Ended>,
}

impl Launcher {
    /// This very program with these arguments, also where its file has been replaced since it was started.
    pub fn this_program(args: &[&str]) -> Self {
        let args = args.iter().map(|&arg| arg.to_owned());
        Self { command: std::iter::once("/proc/self/exe".to_owned()).chain(args).collect() }
    }

    /// Starts a program, and waits until it has been executed or refused.
    pub fn launch(&self, order: &LaunchOrder) -> Result<Launched, LaunchError> {
        let line = serde_json::to_string(order).map_err(io::Error::from)?;
        let mut supervisor = self.spawn()?;
        let input = supervisor.stdin.take();
        let events = supervisor.stdout.take().map(events).ok_or(LaunchError::Silent)?;
        let grace = Duration::from_millis(order.grace_millis);
        let mut launched = Launched { supervisor, input, events, pid: 0, start_ticks: 0, grace, ended: None };
        launched.say(&line)?;
        match launched.events.recv_timeout(START) {
            Ok(Event::Started { pid, start_ticks }) => {
                (launched.pid, launched.start_ticks) = (pid, start_ticks);
                Ok(launched)
            }
            Ok(Event::Refused(refusal)) => Err(refusal.into()),
            Ok(Event::Ended(_) | Event::Gone { .. }) | Err(_) => Err(LaunchError::Silent),
        }
    }

    fn spawn(&self) -> Result<Child, LaunchError> {
        let child = self
            .command()
            // Out of reach of the terminal's Ctrl-C, which is this process's to answer.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        Ok(child)
    }

    pub(super) fn command(&self) -> Command {
        let mut words = self.command.iter();
        let mut command = Command::new(words.next().map_or("", String::as_str));
        command.args(words);
        command
    }
}

/// Reads events on a thread of its own until the supervisor ends.
fn events(output: ChildStdout) -> Receiver<Event> {
    let (tell, events) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Ok(event) = serde_json::from_str(&line)
                && tell.send(event).is_err()
            {
                break;
            }
        }
    });
    events
}

impl Launched {
    /// The program's first process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Its start, clock ticks since boot.
    pub fn start_ticks(&self) -> u64 {
        self.start_ticks
    }

    /// The supervisor's process id: every process of the program descends from it.
    pub fn supervisor(&self) -> u32 {
        self.supervisor.id()
    }

    /// How the program ended; `None` while it runs. Does not wait.
    pub fn ended(&mut self) -> Option<Ended> {
        while let Ok(event) = self.events.try_recv() {
            self.note(&event);
        }
        if self.ended.is_none() && matches!(self.supervisor.try_wait(), Ok(Some(_))) {
            // Its last words may still be on the way. Without any it was killed, and the program with it.
            let words = self.events.iter().find_map(|event| end_of(&event));
            self.ended = words.or(Some(Ended::Signal(KILLED)));
        }
        self.ended
    }

    /// Asks the program to end, and does not wait for it.
    pub fn ask_to_end(&mut self) {
        // A supervisor that is gone has nothing left to stop.
        let _ = self.say(STOP);
    }

    /// Ends the program in good order, within its grace, and waits until nothing of it is left.
    pub fn stop(mut self) -> Result<Ended, LaunchError> {
        self.ask_to_end();
        let until = Instant::now() + self.grace + END;
        let left = self.await_gone(until)?;
        let ended = self.ended.unwrap_or(Ended::Signal(KILLED));
        if left.is_empty() { Ok(ended) } else { Err(LaunchError::Undying(left)) }
    }

    fn await_gone(&mut self, until: Instant) -> Result<Vec<u32>, LaunchError> {
        loop {
            match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Gone { left }) => return Ok(left),
                Ok(event) => self.note(&event),
                Err(RecvTimeoutError::Timeout) => return Err(LaunchError::Silent),
                // Killed from outside: its death has killed the program.
                Err(RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
            }
        }
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(input, "{line}")
    }

    fn note(&mut self, event: &Event) {
        self.ended = self.ended.or(end_of(event));
    }
}

/// The number of the signal that cannot be answered.
const KILLED: i32 = 9;

fn end_of(event: &Event) -> Option<Ended> {
    match event {
        Event::Ended(ended) => Some(*ended),
        Event::Started { .. } | Event::Refused(_) | Event::Gone { .. } => None,
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        drop(self.input.take());
        // It kills the whole tree and ends.
        let _ = self.await_gone(Instant::now() + END);
        let _ = self.supervisor.try_wait().map(|ended| ended.is_none().then(|| self.supervisor.kill()));
        let _ = self.supervisor.wait();
    }
}
