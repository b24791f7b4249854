//! Bytes out and bytes in, one read or one write at a time: what is due leaves first, but reads always have their turn,
//! since without answers no slot would ever be free.

use std::time::Duration;

use rustix::io::Errno;

use super::{TURNS_PER_POLL, WRITES_IN_A_ROW, Worker, lines::Loss};
use crate::{clock::Moment, connection::Written, protocol::Session};

impl<S: Session, M: Fn(u32) -> S> Worker<'_, S, M> {
    /// Does one read or one write. False where there was none to do.
    #[inline]
    pub(super) fn exchange(&mut self) -> bool {
        if self.turns_since_poll >= TURNS_PER_POLL {
            self.news(Duration::ZERO);
        }
        let reads_first = self.writes_in_a_row >= WRITES_IN_A_ROW;
        if reads_first {
            self.writes_in_a_row = 0;
            if self.to_read.is_empty() {
                self.news(Duration::ZERO);
            }
        }
        if (!reads_first || self.to_read.is_empty())
            && let Some(place) = self.to_write.pop_front()
        {
            self.writes_in_a_row += 1;
            self.turns_since_poll += 1;
            self.write(place);
            return true;
        }
        let Some(place) = self.to_read.pop_front() else {
            return false;
        };
        self.writes_in_a_row = 0;
        self.turns_since_poll += 1;
        self.read(place);
        true
    }

    /// Asks the kernel for news, and queues what there is to do. Returns the number of events.
    #[inline]
    pub(super) fn news(&mut self, at_most: Duration) -> usize {
        self.turns_since_poll = 0;
        let events = self.poll.wait(at_most);
        for index in 0..events {
            let said = self.poll.said(index);
            let Some(line) = &mut self.lines[said.place as usize] else {
                continue;
            };
            if line.turn != said.turn {
                continue;
            }
            if !line.flags.open {
                if said.writable || said.closing {
                    self.line_opened(said.place);
                } else {
                    continue;
                }
            }
            let Some(line) = &mut self.lines[said.place as usize] else {
                continue;
            };
            line.flags.closing |= said.closing;
            if said.readable && !line.flags.to_read {
                line.flags.to_read = true;
                self.to_read.push_back(said.place);
            }
            if said.writable && line.flags.blocked {
                line.flags.blocked = false;
                self.queue_write(said.place);
            }
        }
        events
    }

    #[inline]
    fn write(&mut self, place: u32) {
        let Some(line) = &mut self.lines[place as usize] else {
            return;
        };
        if !line.flags.to_write {
            return;
        }
        line.flags.to_write = false;
        let sent_at = Moment::now();
        match line.write() {
            Ok(Written::All(bytes)) => self.tally.bytes_sent += bytes as u64,
            Ok(Written::Some(bytes)) => {
                self.tally.bytes_sent += bytes as u64;
                line.flags.blocked = true;
            }
            Err(_) => {
                // What the peer said before it went away is read first.
                line.flags.write_failed = true;
                if !line.flags.to_read {
                    line.flags.to_read = true;
                    self.to_read.push_back(place);
                }
                return;
            }
        }
        for ticket in line.newly_offered() {
            if let Some(due) = self.flights.due(ticket) {
                self.tally.offered(due, sent_at);
            }
        }
        while let Some(ticket) = line.take_sent() {
            self.flights.sent(ticket, sent_at);
        }
        line.compact();
    }

    #[inline]
    fn read(&mut self, place: u32) {
        let Some(line) = &mut self.lines[place as usize] else {
            return;
        };
        if !line.flags.to_read {
            return;
        }
        line.flags.to_read = false;
        match line.read(&mut self.buffer) {
            Ok(0) => {
                let loss = if line.flags.write_failed { Loss::Reset } else { Loss::Closed };
                self.stamp();
                self.lose_line(place, loss);
            }
            Ok(bytes) => self.take_in(place, bytes),
            Err(Errno::AGAIN) if !line.flags.write_failed => {}
            Err(Errno::INTR) => self.queue_read(place),
            Err(_) => {
                self.stamp();
                self.lose_line(place, Loss::Reset);
            }
        }
    }

    /// Gives bytes that were read to their session, and counts what ended.
    #[inline]
    fn take_in(&mut self, place: u32, bytes: usize) {
        self.stamp();
        self.tally.bytes_received += bytes as u64;
        let Some(line) = &mut self.lines[place as usize] else {
            return;
        };
        let taken = line.session.receive(&self.buffer[..bytes], &mut line.out, &mut self.ended);
        line.flags.served |= taken.is_ok() && self.ended.last().is_some_and(|ended| ended.ending.is_answer());
        let more = bytes == self.buffer.len() || line.flags.closing || line.flags.write_failed;
        let spent = !line.session.usable() && line.session.quiet();
        let free = line.session.free();
        self.settle();
        if taken.is_err() {
            return self.lose_line(place, Loss::Broken);
        }
        if spent {
            return self.lose_line(place, Loss::Closed);
        }
        self.pool.has_free(place, free);
        self.queue_write(place);
        if more {
            self.queue_read(place);
        }
    }

    fn queue_read(&mut self, place: u32) {
        if let Some(line) = &mut self.lines[place as usize]
            && !line.flags.to_read
        {
            line.flags.to_read = true;
            self.to_read.push_back(place);
        }
    }
}
