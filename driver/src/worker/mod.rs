//! One worker: one thread that makes its share of the calls. In: a task, a way to make sessions. Out: a report of what it
//! counted. Between any two reads or writes it looks at the schedule; what is due leaves first. It owns its loop and its
//! sockets, shares nothing but the live counts, and allocates nothing per call.

mod admit;
mod exchange;
mod idle;
mod lines;
mod task;
mod timeline;

use std::{collections::VecDeque, time::Duration};

use rustix::io::Errno;
use soak_sample::{ErrorKind, Idle};

use crate::{
    clock::{Moment, thread_cpu_nanos},
    connection::Connection,
    flight::Flights,
    live::{Live, LiveCounts, Stop},
    poll::Poll,
    pool::Pool,
    protocol::{Ended, Session},
    tally::Tally,
};
use idle::{Rest, Rester};
use timeline::{Mark, Timeline};

pub(crate) use task::{Pacer, Task};

/// The most bytes read at once: more would keep a call that is due waiting.
const READ_AT_ONCE: usize = 16 * 1024;
/// How often a worker looks after time-outs, lost connections and its watchers, nanoseconds.
const UPKEEP: u64 = 10_000_000;
/// How long before the start a worker is awake, nanoseconds.
const AWAKE_BEFORE: u64 = 1_000_000;
/// How long before the start connections are opened, nanoseconds.
const OPEN_BEFORE: u64 = 250_000_000;
/// How often a worker whose connections are not to be opened yet looks whether it shall stop, nanoseconds. Seldom, since
/// the worker of the step before may have the same CPU.
const FAR_UPKEEP: u64 = 100_000_000;
/// Writes in a row before a read has its turn.
const WRITES_IN_A_ROW: u32 = 16;
/// Reads and writes before the kernel is asked for news.
const TURNS_PER_POLL: u32 = 64;

/// What a worker did.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) tally: Tally,
    /// When it began to make calls.
    pub(crate) started: Moment,
    /// When it stopped making calls.
    pub(crate) ended: Moment,
    /// When its last call had ended, or the drain was over.
    pub(crate) drained: Moment,
    /// CPU time from `started` to `ended`, less what was spent spinning idle.
    pub(crate) busy_nanos: u64,
}

/// Who watches a worker.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch<'a> {
    pub(crate) live: &'a Live,
    pub(crate) stop: &'a Stop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The step has not begun.
    Waiting,
    /// Calls become due.
    Running,
    /// Answers are awaited.
    Draining,
    /// Done.
    Over,
}

/// A worker at work. `M` makes a session for the connection in a given place.
pub(crate) struct Worker<'a, S, M> {
    task: Task,
    make: M,
    watch: Watch<'a>,
    timeline: Timeline,
    stage: Stage,
    now: Moment,
    next_mark: Moment,
    next_upkeep: Moment,
    /// When the next call of an open loop is due; never once the schedule is at its end.
    next_due: Moment,
    pool: Pool,
    flights: Flights,
    tally: Tally,
    lines: Vec<Option<Connection<S>>>,
    turn: u32,
    to_write: VecDeque<u32>,
    to_read: VecDeque<u32>,
    poll: Poll,
    buffer: Vec<u8>,
    ended: Vec<Ended>,
    writes_in_a_row: u32,
    turns_since_poll: u32,
    rester: Rester,
    spinning_idle: bool,
    /// The last call that was due has left, and every session knows it.
    lines_finished: bool,
    idle_nanos: u64,
    cpu_at_start: u64,
    busy_nanos: u64,
    started: Moment,
    ended_at: Moment,
    published: LiveCounts,
}

impl<'a, S: Session, M: Fn(u32) -> S> Worker<'a, S, M> {
    /// Ready to [`run`](Self::run). Everything of a fixed size is reserved here.
    pub(crate) fn new(task: Task, make: M, watch: Watch<'a>) -> Result<Self, Errno> {
        let timeline = Timeline::new(task.start, task.duration_nanos);
        let (next_due, mean_gap) = match &task.pacer {
            Pacer::Open { schedule, mean_gap_nanos } => (task.start.plus(schedule.due()), *mean_gap_nanos),
            Pacer::Closed => (Moment::NEVER, u64::MAX),
        };
        let places = task.shape.connections as usize;
        Ok(Self {
            make,
            watch,
            stage: Stage::Waiting,
            now: Moment::now(),
            next_mark: Moment(0),
            next_upkeep: Moment(0),
            next_due,
            pool: Pool::new(task.shape.pool, task.shape.connections),
            flights: Flights::new(task.shape.max_in_flight),
            tally: Tally::new(timeline.start(), timeline.end(), task.drain_nanos),
            timeline,
            lines: std::iter::repeat_with(|| None).take(places).collect(),
            turn: 0,
            to_write: VecDeque::with_capacity(places),
            to_read: VecDeque::with_capacity(places),
            poll: Poll::new()?,
            buffer: vec![0; READ_AT_ONCE],
            ended: Vec::with_capacity(1024),
            writes_in_a_row: 0,
            turns_since_poll: 0,
            rester: Rester::new(task.idle, mean_gap),
            spinning_idle: false,
            lines_finished: false,
            idle_nanos: 0,
            cpu_at_start: 0,
            busy_nanos: 0,
            started: task.start,
            ended_at: task.start,
            published: LiveCounts::default(),
            task,
        })
    }

    /// Makes the calls. Returns when the last has ended or the drain is over.
    pub(crate) fn run(mut self) -> Report {
        loop {
            self.look_at_the_clock();
            if self.now >= self.next_mark || self.stage == Stage::Draining {
                self.pass_marks();
                if self.stage == Stage::Over {
                    return self.report();
                }
            }
            self.admit();
            if !self.exchange() {
                self.rest();
            }
        }
    }

    #[inline]
    fn look_at_the_clock(&mut self) {
        let now = Moment::now();
        if self.spinning_idle {
            self.idle_nanos += now.since(self.now);
            self.spinning_idle = false;
        }
        self.now = now;
    }

    fn pass_marks(&mut self) {
        self.pass_timeline();
        if self.now >= self.next_upkeep {
            self.upkeep();
        }
        if self.stage == Stage::Draining {
            self.wind_up();
        }
        self.next_mark = self.timeline.next().min(self.next_upkeep);
    }

    /// Closes the lines in good order once the last call that was due has left, and waits for what is awaited.
    fn wind_up(&mut self) {
        if self.next_due == Moment::NEVER && !self.lines_finished {
            self.lines_finished = true;
            self.finish_lines();
        }
        if self.is_drained() {
            self.stage = Stage::Over;
        }
    }

    fn pass_timeline(&mut self) {
        while let Some(mark) = self.timeline.pass(self.now) {
            match mark {
                Mark::Start => self.begin(),
                Mark::Second(index) => self.second_over(index),
                Mark::Half => self.tally.in_flight_half = self.flights.awaited(),
                Mark::End => self.end(),
            }
        }
    }

    fn begin(&mut self) {
        self.stage = Stage::Running;
        self.started = self.now;
        self.cpu_at_start = thread_cpu_nanos();
        self.idle_nanos = 0;
    }

    fn second_over(&mut self, index: usize) {
        self.tally.second_over(index, self.flights.awaited());
        let p99 = self.tally.take_recent_p99();
        self.publish(p99);
    }

    fn end(&mut self) {
        self.stage = Stage::Draining;
        self.ended_at = self.now;
        self.tally.in_flight_end = self.flights.awaited();
        let idle = match self.task.idle {
            Idle::Spin => self.idle_nanos,
            // What is spun just before a call is due is part of what sleeping costs.
            Idle::Sleep => 0,
        };
        self.busy_nanos = (thread_cpu_nanos() - self.cpu_at_start).saturating_sub(idle);
        if self.next_due >= self.timeline.end() {
            self.next_due = Moment::NEVER;
        }
    }

    /// Time-outs, lost connections, the wish to stop, the live counts.
    fn upkeep(&mut self) {
        let far = self.now.plus(OPEN_BEFORE + FAR_UPKEEP) < self.timeline.start();
        self.next_upkeep = self.now.plus(if far { FAR_UPKEEP } else { UPKEEP });
        if self.watch.stop.is_ended() && matches!(self.stage, Stage::Waiting | Stage::Running) {
            self.cut();
        }
        let due_before = Moment(self.now.0.saturating_sub(self.task.timeout_nanos));
        while let Some(due) = self.flights.time_out_oldest(due_before) {
            self.tally.failed(ErrorKind::TimeOut, due, self.now);
        }
        self.keep_lines();
        self.publish(self.published.p99_nanos);
    }

    fn cut(&mut self) {
        self.timeline.cut(self.now);
        self.tally.cut(self.timeline.end());
        self.pass_timeline();
    }

    fn is_drained(&self) -> bool {
        let drained_by = self.timeline.end().plus(self.task.drain_nanos);
        if self.now >= drained_by || self.watch.stop.is_abandoned() {
            return self.next_due == Moment::NEVER;
        }
        self.next_due == Moment::NEVER && self.flights.awaited() == 0 && self.streams_are_closed()
    }

    fn publish(&mut self, p99_nanos: u64) {
        let counts = self.tally.live(self.flights.awaited(), p99_nanos);
        self.watch.live.publish(self.task.worker, &self.published, &counts);
        self.published = counts;
    }

    /// Nothing to do: waits for the next thing, as the idle strategy says.
    fn rest(&mut self) {
        let rest = if self.stage == Stage::Waiting {
            self.rest_before_the_start()
        } else if self.next_due < self.next_mark {
            self.rester.until_due(self.next_due.since(self.now))
        } else {
            self.rester.until_mark(self.next_mark.since(self.now))
        };
        match rest {
            Rest::Look => self.spinning_idle = self.news(Duration::ZERO) == 0,
            Rest::Wait(nanos) => {
                if self.news(Duration::from_nanos(nanos)) == 0 {
                    let asked = self.now.plus(nanos);
                    self.rester.woke_late(Moment::now().since(asked));
                }
            }
        }
    }

    fn rest_before_the_start(&self) -> Rest {
        let awake_at = Moment(self.timeline.start().0.saturating_sub(AWAKE_BEFORE));
        match awake_at.min(self.next_mark).since(self.now) {
            0 => Rest::Look,
            nanos => Rest::Wait(nanos),
        }
    }

    fn report(mut self) -> Report {
        self.tally.in_flight = self.flights.awaited();
        self.tally.close(self.now);
        self.close_lines();
        self.publish(self.published.p99_nanos);
        let Self { tally, started, ended_at, now, busy_nanos, .. } = self;
        Report { tally, started, ended: ended_at, drained: now, busy_nanos }
    }
}
