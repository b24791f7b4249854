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
    stop_asked: bool,
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
        Ok(Self { children, stop, stop_asked: false })
    }

    /// Waits for a signal or for input, at most this long; `None`: however long it takes. Whether there is input, or its
    /// end.
    pub(super) fn wait(&mut self, input: impl AsFd, timeout: Option<Timespec>) -> bool {
        let mut waiting = [
            PollFd::new(&input, PollFlags::IN),
            PollFd::new(&self.stop, PollFlags::IN),
            PollFd::new(&self.children, PollFlags::IN),
        ];
        // An interrupted wait has seen nothing; its signal is in a socket.
        let _ = poll(&mut waiting, timeout.as_ref());
        let has_input = !waiting[0].revents().is_empty();
        self.stop_asked |= drain(&mut self.stop);
        drain(&mut self.children);
        has_input
    }

    /// Whether a signal has ever asked to stop.
    pub(super) fn stop_asked(&self) -> bool {
        self.stop_asked
    }
}

/// Whether there was anything.
fn drain(socket: &mut UnixStream) -> bool {
    let mut piece = [0; 64];
    let mut any = false;
    while matches!(socket.read(&mut piece), Ok(1..)) {
        any = true;
    }
    any
}
