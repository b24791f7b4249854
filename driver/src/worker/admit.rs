//! Calls that become due: each finds a slot, or is counted as never sent.

use soak_sample::ErrorKind;

use super::{Pacer, Stage, Worker};
use crate::{clock::Moment, pool::Choice, protocol::Session};

/// Calls that are looked at before the next read or write.
const AT_ONCE: u32 = 64;

impl<S: Session, M: Fn(u32) -> S> Worker<'_, S, M> {
    /// Starts what is due by now.
    #[inline]
    pub(super) fn admit(&mut self) {
        if self.next_due <= self.now {
            self.admit_due();
        } else if self.stage == Stage::Running && matches!(self.task.pacer, Pacer::Closed) {
            self.admit_free();
        }
    }

    /// Open loop. Also after the end: what was due before it and was not looked at yet.
    fn admit_due(&mut self) {
        for _ in 0..AT_ONCE {
            let due = self.next_due;
            if due > self.now {
                return;
            }
            if due >= self.timeline.end() {
                self.next_due = Moment::NEVER;
                return;
            }
            self.go_on();
            self.tally.due(due);
            match self.place(due) {
                Choice::Use(_) | Choice::Open(_) => {}
                Choice::Down => self.tally.failed(ErrorKind::Connection, due, self.now),
                Choice::Full => self.tally.never_sent(due),
            }
        }
    }

    fn go_on(&mut self) {
        if let Pacer::Open { schedule, .. } = &mut self.task.pacer {
            schedule.advance();
            self.next_due = self.task.start.plus(schedule.due());
        }
    }

    /// Closed loop: a call for every free slot.
    fn admit_free(&mut self) {
        for _ in 0..AT_ONCE {
            match self.place(self.now) {
                Choice::Use(_) | Choice::Open(_) => self.tally.due(self.now),
                Choice::Down | Choice::Full => return,
            }
        }
    }

    /// Gives a call to a connection, if there is one with a free slot. Tells where it went.
    #[inline]
    fn place(&mut self, due: Moment) -> Choice {
        if self.flights.is_full() {
            return Choice::Full;
        }
        loop {
            match self.pool.choose() {
                Choice::Use(place) => {
                    self.start_on(place, due);
                    return Choice::Use(place);
                }
                Choice::Open(place) => self.open_line(place),
                none @ (Choice::Down | Choice::Full) => return none,
            }
        }
    }

    #[inline]
    fn start_on(&mut self, place: u32, due: Moment) {
        let Some(line) = &mut self.lines[place as usize] else {
            return;
        };
        let Some(ticket) = self.flights.start(due) else {
            return;
        };
        if line.start(ticket) {
            self.tally.offered(due, self.now);
        }
        self.pool.has_free(place, line.session.free());
        if !line.flags.to_write && line.wants_to_write() {
            line.flags.to_write = true;
            self.to_write.push_back(place);
        }
    }
}
