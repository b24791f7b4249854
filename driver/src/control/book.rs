//! The orders a driver holds: placed, carried out on a thread each, kept until acknowledged. Knows no HTTP.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
};

use serde::Serialize;
use soak_sample::{DriverWindow, HeldOrder, LoadOrder, OrderState as State};

use crate::{Live, LiveCounts, Moment, Pairing, Stop, run_order};

/// The most orders held at once: the one at hand, the next, and those whose windows were not fetched.
const MOST: usize = 64;

/// An order as its executor sees it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    /// Where it stands.
    pub(super) state: State,
    /// What it has done.
    pub(super) live: Counts,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// Running counts of a step.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Counts {
    due: u64,
    ok: u64,
    failed: u64,
    never_sent: u64,
    in_flight: u64,
    p99_nanos: u64,
}

/// What became of a placed order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placed {
    /// It is armed.
    New,
    /// It was there already, the same.
    Same,
    /// Another order has this id.
    Other,
    /// There are too many orders.
    Full,
}

/// What is there to fetch.
#[derive(Debug)]
pub(super) enum Fetched {
    /// The window as JSON.
    Window(serde_json::Result<Vec<u8>>),
    /// The order has not finished, or failed.
    Unfinished,
    /// It was never there, or has been forgotten.
    Unknown,
}

/// What became of an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forgotten {
    /// It is gone.
    Gone,
    /// Its step is on.
    Running,
    /// It was never there, or has been forgotten.
    Unknown,
}

/// One order and what has become of it.
#[derive(Debug)]
struct Job {
    order: LoadOrder,
    start: Moment,
    live: Live,
    stop: Stop,
    outcome: OnceLock<Result<DriverWindow, String>>,
}

impl Job {
    fn held(&self) -> HeldOrder {
        let LoadOrder { id, start_unix_nanos, duration_nanos, .. } = &self.order;
        HeldOrder {
            id: id.clone(),
            state: self.state(),
            start_unix_nanos: *start_unix_nanos,
            end_unix_nanos: start_unix_nanos.saturating_add(*duration_nanos),
            error: self.error(),
        }
    }

    /// Why it failed.
    fn error(&self) -> Option<String> {
        self.outcome.get().and_then(|outcome| outcome.as_ref().err().cloned())
    }

    fn state(&self) -> State {
        match self.outcome.get() {
            Some(Ok(_)) => State::Finished,
            Some(Err(_)) => State::Failed,
            None if Moment::now() < self.start => State::Armed,
            None => State::Running,
        }
    }
}

/// All orders of a driver, by id.
#[derive(Debug, Default)]
pub(super) struct Book {
    jobs: Mutex<BTreeMap<String, Arc<Job>>>,
}

impl Book {
    /// Takes an order in and starts its thread, which sleeps until shortly before the order's start.
    pub(super) fn place(&self, order: LoadOrder) -> io::Result<Placed> {
        let mut jobs = self.jobs();
        if let Some(known) = jobs.get(&order.id) {
            return Ok(if known.order == order { Placed::Same } else { Placed::Other });
        }
        if jobs.len() >= MOST {
            return Ok(Placed::Full);
        }
        let job = Arc::new(Job {
            start: Pairing::read().moment(order.start_unix_nanos),
            order,
            live: Live::new(),
            stop: Stop::new(),
            outcome: OnceLock::new(),
        });
        let carried = Arc::clone(&job);
        thread::Builder::new().name("driver-order".to_owned()).spawn(move || {
            let outcome = run_order(&carried.order, &carried.live, &carried.stop).map_err(|error| error.to_string());
            // The only writer: the cell is empty.
            let _ = carried.outcome.set(outcome);
        })?;
        jobs.insert(job.order.id.clone(), job);
        Ok(Placed::New)
    }

    /// Where an order stands.
    pub(super) fn report(&self, id: &str) -> Option<Report> {
        let job = self.job(id)?;
        let LiveCounts { due, ok, failed, never_sent, in_flight, p99_nanos } = job.live.read();
        Some(Report {
            state: job.state(),
            live: Counts { due, ok, failed, never_sent, in_flight, p99_nanos },
            error: job.error(),
        })
    }

    /// Every order, in the order of their start.
    pub(super) fn held(&self) -> Vec<HeldOrder> {
        let jobs = self.jobs();
        let mut held: Vec<HeldOrder> = jobs.values().map(|job| job.held()).collect();
        held.sort_by_key(|order| order.start_unix_nanos);
        held
    }

    /// The window of an order.
    pub(super) fn window(&self, id: &str) -> Fetched {
        let Some(job) = self.job(id) else { return Fetched::Unknown };
        match job.outcome.get() {
            Some(Ok(window)) => Fetched::Window(serde_json::to_vec(window)),
            Some(Err(_)) | None => Fetched::Unfinished,
        }
    }

    /// Forgets an order that has ended, or drops one that has not begun.
    pub(super) fn forget(&self, id: &str) -> Forgotten {
        let mut jobs = self.jobs();
        let Some(job) = jobs.get(id) else {
            return Forgotten::Unknown;
        };
        if job.state() == State::Running {
            return Forgotten::Running;
        }
        job.stop.abandon();
        jobs.remove(id);
        Forgotten::Gone
    }

    /// Ends the running step at once, awaiting nothing, and drops armed ones.
    pub(super) fn stop(&self) {
        for job in self.jobs().values() {
            job.stop.abandon();
        }
        self.drop_armed();
    }

    /// Drops orders that have not begun.
    pub(super) fn drop_armed(&self) {
        self.jobs().retain(|_, job| {
            let armed = job.state() == State::Armed;
            if armed {
                job.stop.abandon();
            }
            !armed
        });
    }

    fn job(&self, id: &str) -> Option<Arc<Job>> {
        self.jobs().get(id).cloned()
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Job>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
