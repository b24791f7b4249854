//! A worker's connections: opened early or when a call asks for one, replaced when they are lost, closed at the end.

use soak_sample::ErrorKind;

use super::{OPEN_BEFORE, Stage, Worker};
use crate::{
    clock::Moment,
    connection::Connection,
    flight::Flight,
    pool::Past,
    protocol::{Ended, Ending, Session},
};

impl<S: Session, M: Fn(u32) -> S> Worker<'_, S, M> {
    /// Starts to open a connection. One that cannot even be tried leaves its place resting.
    pub(super) fn open_line(&mut self, place: u32) {
        self.turn = self.turn.wrapping_add(1);
        let opened = Connection::open(&self.task.target, (self.make)(place), self.turn)
            .and_then(|line| self.poll.add(&line.socket, place, self.turn).map(|()| line));
        self.pool.opening(place);
        match opened {
            Ok(line) => {
                self.pool.has_free(place, line.session.free());
                self.lines[place as usize] = Some(line);
            }
            Err(_) => self.pool.closed(place, Past::Failed, self.now),
        }
    }

    /// Opens what is to be open before a call asks for it.
    fn open_early(&mut self) {
        while let Some(place) = self.pool.to_open_early() {
            self.open_line(place);
        }
    }

    /// Part of the upkeep: connections that are missing.
    pub(super) fn keep_lines(&mut self) {
        self.pool.wake(self.now);
        let early = match self.stage {
            Stage::Waiting => self.now.plus(OPEN_BEFORE) >= self.timeline.start(),
            Stage::Running => true,
            Stage::Draining | Stage::Over => false,
        };
        if early {
            self.open_early();
        }
    }

    /// The attempt to open a connection came to its end, good or bad.
    pub(super) fn line_opened(&mut self, place: u32) {
        let Some(line) = &mut self.lines[place as usize] else {
            return;
        };
        if line.opened().is_err() {
            return self.lose_line(place, Loss::Closed);
        }
        line.flags.open = true;
        self.tally.connections_opened += 1;
        self.pool.opened(place);
        self.pool.has_free(place, line.session.free());
        if self.lines_finished {
            line.session.finish(&mut line.out);
        }
        self.queue_write(place);
    }

    /// A connection is gone: its calls end, and its place is free for another.
    pub(super) fn lose_line(&mut self, place: u32, loss: Loss) {
        let Some(mut line) = self.lines[place as usize].take() else {
            return;
        };
        match loss {
            Loss::Closed => line.session.peer_closed(false, &mut self.ended),
            Loss::Reset => line.session.peer_closed(true, &mut self.ended),
            Loss::Broken => {}
        }
        self.settle();
        self.tally.add_streams(line.session.streams());
        if line.flags.open && self.stage == Stage::Running {
            self.tally.connections_lost += 1;
        }
        let past = if line.flags.served { Past::Served } else { Past::Failed };
        drop(line);
        self.pool.closed(place, past, self.now);
        if past == Past::Served {
            self.keep_lines();
        }
    }

    /// Counts the calls that ended.
    #[inline]
    pub(super) fn settle(&mut self) {
        for index in 0..self.ended.len() {
            let Ended { call, ending } = self.ended[index];
            let Some(flight) = self.flights.end(call) else {
                continue;
            };
            self.count(flight, ending);
        }
        self.ended.clear();
    }

    #[inline]
    fn count(&mut self, flight: Flight, ending: Ending) {
        let late = self.now.since(flight.due) > self.task.timeout_nanos;
        match (ending, flight.sent) {
            _ if late => self.tally.failed(ErrorKind::TimeOut, flight.due, self.now),
            (Ending::Ok, Some(sent)) => self.tally.answered(flight, sent, self.now),
            // An answer to what was never asked.
            (Ending::Ok, None) => self.tally.failed(ErrorKind::Protocol, flight.due, self.now),
            (Ending::Failed(kind), _) => self.tally.failed(kind, flight.due, self.now),
        }
    }

    /// The step is over: what closes the connections in good order.
    pub(super) fn finish_lines(&mut self) {
        for place in 0..self.task.shape.connections {
            if let Some(line) = &mut self.lines[place as usize] {
                line.session.finish(&mut line.out);
                self.queue_write(place);
            }
        }
    }

    /// True where no connection has a stream that is still open.
    pub(super) fn streams_are_closed(&self) -> bool {
        self.lines.iter().flatten().all(|line| line.session.streams().is_none() || line.session.quiet())
    }

    pub(super) fn close_lines(&mut self) {
        for line in self.lines.drain(..).flatten() {
            self.tally.add_streams(line.session.streams());
        }
    }

    /// Queues a connection for a write, where it has something to write.
    #[inline]
    pub(super) fn queue_write(&mut self, place: u32) {
        let Some(line) = &mut self.lines[place as usize] else {
            return;
        };
        if !line.flags.to_write && line.wants_to_write() {
            line.flags.to_write = true;
            self.to_write.push_back(place);
        }
    }

    /// The moment at which an answer that was just read came.
    #[inline]
    pub(super) fn stamp(&mut self) {
        self.now = Moment::now();
    }
}

/// How a connection was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// Closed in order, by either side, or never opened.
    Closed,
    /// Reset, or an error of its socket.
    Reset,
    /// The peer broke the protocol: the session has ended its calls already.
    Broken,
}
