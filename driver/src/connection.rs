//! One connection: its socket, its protocol, and the bytes and calls that have not left yet. Reads and writes once when
//! asked, and never waits.

use std::{collections::VecDeque, net::SocketAddr, os::fd::OwnedFd};

use rustix::{
    io::Errno,
    net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, connect, recv, send, socket_with, sockopt},
};

use crate::{flight::Ticket, protocol::Session};

/// Written bytes are dropped from the front of the buffer once there are this many.
const COMPACT_AT: usize = 64 * 1024;

/// How far a write came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// All of it.
    All(usize),
    /// The kernel takes no more for now.
    Some(usize),
}

/// A connection, open or being opened.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    pub(crate) socket: OwnedFd,
    pub(crate) session: S,
    /// What is to be written, and how much of it is.
    pub(crate) out: Vec<u8>,
    written: usize,
    /// Calls whose first byte has not left, with its place in `out`.
    unsent: VecDeque<(usize, Ticket)>,
    /// Of these, the first ones: offered to the kernel, which took no more. Their wait is the peer's doing.
    offered: usize,
    /// Tells this connection's events from those of an earlier one in the same place.
    pub(crate) turn: u32,
    pub(crate) flags: Flags,
}

/// What a connection waits for.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one socket, not states of a machine")]
pub(crate) struct Flags {
    /// Established.
    pub(crate) open: bool,
    /// In the queue of those to be written.
    pub(crate) to_write: bool,
    /// In the queue of those to be read.
    pub(crate) to_read: bool,
    /// The kernel takes no more bytes until it says so.
    pub(crate) blocked: bool,
    /// The peer has closed its side, or worse: read until the end.
    pub(crate) closing: bool,
    /// A write failed: the end is a reset.
    pub(crate) write_failed: bool,
    /// It answered at least once.
    pub(crate) served: bool,
}

impl<S: Session> Connection<S> {
    /// Starts to open a connection. Its protocol's first bytes are ready to be written.
    pub(crate) fn open(target: &SocketAddr, mut session: S, turn: u32) -> Result<Self, Errno> {
        let family = if target.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(family, SocketType::STREAM, flags, None)?;
        sockopt::set_tcp_nodelay(&socket, true)?;
        match connect(&socket, target) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(error) => return Err(error),
        }
        let mut out = Vec::new();
        session.open(&mut out);
        Ok(Self {
            socket,
            session,
            out,
            written: 0,
            unsent: VecDeque::new(),
            offered: 0,
            turn,
            flags: Flags::default(),
        })
    }

    /// Whether an attempt to open it came to a good end.
    pub(crate) fn opened(&self) -> Result<(), Errno> {
        sockopt::socket_error(&self.socket)?
    }

    /// Starts a call. True where it waits for the peer and not for the driver: the connection is being opened, the
    /// kernel's buffers are full, or the protocol holds the call back (HTTP/2 before the peer's settings).
    #[inline]
    pub(crate) fn start(&mut self, ticket: Ticket) -> bool {
        let begins_at = self.out.len();
        let all_offered = self.offered == self.unsent.len();
        self.unsent.push_back((begins_at, ticket));
        self.session.start(ticket.call, &mut self.out);
        let held_back = all_offered && self.out.len() == begins_at;
        let peer_waits = self.flags.blocked || !self.flags.open || held_back;
        self.offered += usize::from(peer_waits);
        peer_waits
    }

    /// Calls that the last write offered to the kernel for the first time.
    #[inline]
    pub(crate) fn newly_offered(&mut self) -> impl Iterator<Item = Ticket> {
        let known = std::mem::replace(&mut self.offered, self.unsent.len());
        self.unsent.range(known..).map(|(_, ticket)| *ticket)
    }

    /// True when there are bytes to write and the kernel may take some.
    #[inline]
    pub(crate) fn wants_to_write(&self) -> bool {
        self.flags.open && !self.flags.blocked && !self.flags.write_failed && self.written < self.out.len()
    }

    /// Writes once.
    #[inline]
    pub(crate) fn write(&mut self) -> Result<Written, Errno> {
        let sent = match send(&self.socket, &self.out[self.written..], SendFlags::NOSIGNAL) {
            Ok(sent) => sent,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(error) => return Err(error),
        };
        self.written += sent;
        Ok(if self.written == self.out.len() { Written::All(sent) } else { Written::Some(sent) })
    }

    /// Takes one of the calls whose first byte has left.
    #[inline]
    pub(crate) fn take_sent(&mut self) -> Option<Ticket> {
        let (at, ticket) = *self.unsent.front()?;
        if at >= self.written {
            return None;
        }
        self.unsent.pop_front();
        self.offered = self.offered.saturating_sub(1);
        Some(ticket)
    }

    /// Drops written bytes from the buffer where it is worth it.
    #[inline]
    pub(crate) fn compact(&mut self) {
        let dropped = self.written;
        if dropped == self.out.len() {
            self.out.clear();
        } else if dropped >= COMPACT_AT && dropped >= self.out.len() / 2 {
            self.out.drain(..dropped);
        } else {
            return;
        }
        self.written = 0;
        for (at, _) in &mut self.unsent {
            *at -= dropped;
        }
    }

    /// Reads once.
    #[inline]
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Result<usize, Errno> {
        recv(&self.socket, buffer, RecvFlags::empty()).map(|(read, _)| read)
    }
}
