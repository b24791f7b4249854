//! Faults placed exactly: at the write of a number, before it is committed or after. A write is whatever changes
//! something: on the API server, on a driver, on a witness. In: what is about to be written; out: what becomes of it.

use std::{
    future::pending,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{sync::Notify, time::sleep};

/// On which side of its being committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}

/// What becomes of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Whoever writes is killed.
    Kill,
    /// The connection fails.
    Cut,
    /// Answered with this status instead.
    Answer(u16),
    /// It arrives so much later.
    Late(Duration),
}

/// What a server does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suffered {
    Nothing,
    Cut,
    Answer(u16),
}

/// One in so many requests to the API server, read or write, fails: which, is scattered, so that it is not always the same one of a look.
#[derive(Debug, Clone, Copy)]
pub struct Storm {
    pub one_in: usize,
    pub effect: Effect,
}

#[derive(Debug, Default)]
struct State {
    writes: Vec<String>,
    requests: usize,
    at: Option<(usize, Side, Effect)>,
    storm: Option<Storm>,
}

/// The faults of a cluster, and every write on it.
#[derive(Debug, Default)]
pub struct Faults(Mutex<State>);

impl Faults {
    /// Places one fault: at the write of this number, from 0.
    pub fn place(&self, number: usize, side: Side, effect: Effect) {
        self.state().at = Some((number, side, effect));
    }

    /// Begins a storm, or ends it.
    pub fn storm(&self, storm: Option<Storm>) {
        self.state().storm = storm;
    }

    /// Every write so far.
    pub fn writes(&self) -> Vec<String> {
        self.state().writes.clone()
    }

    /// Counts a write.
    pub fn count(&self, what: String) -> usize {
        let mut state = self.state();
        state.writes.push(what);
        state.writes.len() - 1
    }

    /// What a request to the API server meets before it is looked at.
    pub async fn request(&self, life: &Life) -> Suffered {
        life.way().await;
        life.must_live().await;
        match self.storm_hits() {
            Some(storm) => life.suffer(storm.effect).await,
            None => Suffered::Nothing,
        }
    }

    fn storm_hits(&self) -> Option<Storm> {
        let mut state = self.state();
        state.requests += 1;
        let requests = state.requests;
        state.storm.filter(|storm| scattered(requests).is_multiple_of(storm.one_in))
    }

    /// What a write meets on this side.
    pub async fn write(&self, number: usize, side: Side, life: &Life) -> Suffered {
        let at = self.state().at.filter(|(at, on, _)| (*at, *on) == (number, side));
        match at {
            Some((_, _, effect)) => life.suffer(effect).await,
            None => Suffered::Nothing,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

/// A number that follows from another and looks like chance.
fn scattered(number: usize) -> usize {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32
}

/// One operator's life. Once it is dead nobody answers it any more.
#[derive(Debug)]
pub struct Life {
    dead: AtomicBool,
    died: Notify,
    away: Duration,
}

impl Life {
    /// A life that the API server is this far away from: a request takes as long on its way, and so does its answer.
    pub fn new(away: Duration) -> Self {
        Self { dead: AtomicBool::new(false), died: Notify::new(), away }
    }

    /// Whoever is dead is not answered.
    pub async fn must_live(&self) {
        if self.dead.load(Ordering::Relaxed) {
            pending::<()>().await;
        }
    }

    /// The way there, or back.
    pub async fn way(&self) {
        if !self.away.is_zero() {
            sleep(self.away).await;
        }
    }

    /// Waits for its death.
    pub async fn death(&self) {
        self.died.notified().await;
    }

    async fn suffer(&self, effect: Effect) -> Suffered {
        match effect {
            Effect::Kill => {
                self.dead.store(true, Ordering::Relaxed);
                self.died.notify_one();
                pending().await
            }
            Effect::Cut => Suffered::Cut,
            Effect::Answer(code) => Suffered::Answer(code),
            Effect::Late(by) => {
                sleep(by).await;
                Suffered::Nothing
            }
        }
    }
}
