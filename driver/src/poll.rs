//! Which sockets have something to say: an epoll instance, edge-triggered, with room for a batch of events.

use std::{os::fd::AsFd, os::fd::OwnedFd, time::Duration};

use rustix::{
    event::{
        Timespec,
        epoll::{self, CreateFlags, Event, EventData, EventFlags},
    },
    io::Errno,
};

/// Events taken at once.
const BATCH: usize = 256;

/// What a socket said.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "independent bits of one event")]
pub(crate) struct Said {
    pub(crate) place: u32,
    pub(crate) turn: u32,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    /// The peer closed its side, or there is an error to fetch.
    pub(crate) closing: bool,
}

/// An epoll instance.
pub(crate) struct Poll {
    epoll: OwnedFd,
    events: Vec<Event>,
    taken: usize,
}

impl Poll {
    pub(crate) fn new() -> Result<Self, Errno> {
        let nothing = Event { flags: EventFlags::empty(), data: EventData::new_u64(0) };
        let mut events = vec![nothing; BATCH];
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        // Tells at once where the kernel, or a seccomp rule, does not have epoll_pwait2 (Linux 5.11).
        epoll::wait(&epoll, events.as_mut_slice(), Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))?;
        Ok(Self { epoll, events, taken: 0 })
    }

    /// Listens to a socket, until it is closed.
    pub(crate) fn add(&self, socket: impl AsFd, place: u32, turn: u32) -> Result<(), Errno> {
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        epoll::add(&self.epoll, socket, EventData::new_u64(u64::from(turn) << 32 | u64::from(place)), flags)
    }

    /// Waits for events, at most this long, to the nanosecond. Returns how many there are. A signal ends the wait.
    #[inline]
    pub(crate) fn wait(&mut self, at_most: Duration) -> usize {
        let timeout = Timespec {
            tv_sec: i64::try_from(at_most.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(at_most.subsec_nanos()),
        };
        self.taken = epoll::wait(&self.epoll, self.events.as_mut_slice(), Some(&timeout)).unwrap_or(0);
        self.taken
    }

    /// The event at this index of the last wait.
    #[inline]
    pub(crate) fn said(&self, index: usize) -> Said {
        let event = self.events[index];
        let (flags, data) = (event.flags, event.data.u64());
        let bad = EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR;
        #[allow(clippy::cast_possible_truncation, reason = "the lower half is the place")]
        let place = data as u32;
        Said {
            place,
            turn: (data >> 32) as u32,
            readable: flags.intersects(EventFlags::IN | bad),
            writable: flags.contains(EventFlags::OUT),
            closing: flags.intersects(bad),
        }
    }
}
