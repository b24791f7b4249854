//! The signals that a supervisor answers, as sockets to be waited on: its children's ends, and wishes to stop.

use std::{
    io,
    io::Read,
    os::{fd::AsFd, unix::net::UnixStream},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::{
    consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM},
    low_level::pipe,
};

/// The sockets.
#[derive(Debug)]
pub(super) struct Signals {
    children: UnixStream,
    stop: UnixStream,
}

/// What woke a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Woken {
    /// There is input, or its end.
    pub(super) input: bool,
    /// A signal asks to stop.
    pub(super) stop: bool,
}

impl Signals {
    /// From now on these signals end nothing and wake waits.
    pub(super) fn watch() -> io::Result<Self> {
        let (children, child_ended) = UnixStream::pair()?;
        let (stop, asked) = UnixStream::pair()?;
        pipe::register(SIGCHLD, child_ended)?;
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            pipe::register(signal, asked.try_clone()?)?;
        }
        children.set_nonblocking(true)?;
        stop.set_nonblocking(true)?;
        Ok(Self { children, stop })
    }

    /// Waits for a signal or for input, at most this long; `None`: however long it takes.
    pub(super) fn wait(&mut self, input: impl AsFd, timeout: Option<Timespec>) -> Woken {
        let mut waiting = [
            PollFd::new(&input, PollFlags::IN),
            PollFd::new(&self.stop, PollFlags::IN),
            PollFd::new(&self.children, PollFlags::IN),
        ];
        // An interrupted wait has seen nothing; its signal is in a socket.
        let _ = poll(&mut waiting, timeout.as_ref());
        let [input, stop, _] = waiting.map(|waited| !waited.revents().is_empty());
        drain(&mut self.stop);
        drain(&mut self.children);
        Woken { input, stop }
    }
}

fn drain(socket: &mut UnixStream) {
    let mut piece = [0; 64];
    while matches!(socket.read(&mut piece), Ok(1..)) {}
}
