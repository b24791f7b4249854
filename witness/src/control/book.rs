//! The watches that a witness holds: told, carried out on a thread each, kept until acknowledged. Knows no HTTP.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use soak_sample::{WatchOrder, WatchReport, WitnessWindow};

use super::arm::{self, ArmError};
use crate::{Root, Sampler, SamplerError, Watch, admin::at_loopback};

/// The most watches held at once: the one at hand, the next, and those whose windows were not fetched.
const MOST: usize = 64;

/// What became of a watch that was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placed {
    /// It is on.
    New,
    /// It was there already, the same.
    Same,
    /// Another watch has this id.
    Other,
    /// There are too many.
    Full,
}

/// Why a watch is not on.
#[derive(Debug, thiserror::Error)]
pub(super) enum PlaceError {
    /// The arm is not found.
    #[error(transparent)]
    Arm(#[from] ArmError),
    /// There is no thread for it.
    #[error(transparent)]
    Sampler(#[from] SamplerError),
}

/// What is there to fetch.
#[derive(Debug)]
pub(super) enum Fetched {
    /// The window.
    Window(Box<WitnessWindow>),
    /// The step is not over.
    Unfinished,
    /// Its thread was lost.
    Lost,
    /// It was never there, or has been forgotten.
    Unknown,
}

/// How far a watch is.
#[derive(Debug)]
enum Stage {
    On(Sampler),
    Over(Box<WitnessWindow>),
    Lost,
}

#[derive(Debug)]
struct Job {
    order: WatchOrder,
    stage: Stage,
}

impl Job {
    /// Takes the window from a sampler that has finished.
    fn settle(&mut self) {
        let finished = matches!(&self.stage, Stage::On(sampler) if sampler.is_finished());
        if !finished {
            return;
        }
        if let Stage::On(sampler) = std::mem::replace(&mut self.stage, Stage::Lost)
            && let Ok(window) = sampler.join()
        {
            let WatchOrder { clock_offset_nanos, clock_offset_error_nanos, .. } = self.order;
            self.stage =
                Stage::Over(Box::new(WitnessWindow { clock_offset_nanos, clock_offset_error_nanos, ..window }));
        }
    }
}

/// All watches of a witness, by id.
#[derive(Debug, Default)]
pub(super) struct Book {
    jobs: Mutex<BTreeMap<String, Job>>,
}

impl Book {
    /// Starts a watch on the arm that is there now.
    pub fn place(&self, root: &Root, order: WatchOrder) -> Result<Placed, PlaceError> {
        let mut jobs = self.jobs();
        if let Some(known) = jobs.get(&order.order) {
            return Ok(if known.order == order { Placed::Same } else { Placed::Other });
        }
        if jobs.len() >= MOST {
            return Ok(Placed::Full);
        }
        let sampler = Sampler::start(root.clone(), watch(root, &order)?)?;
        jobs.insert(order.order.clone(), Job { order, stage: Stage::On(sampler) });
        Ok(Placed::New)
    }

    /// Where a watch stands.
    pub fn report(&self, id: &str) -> Option<WatchReport> {
        let mut jobs = self.jobs();
        let job = jobs.get_mut(id)?;
        job.settle();
        Some(WatchReport { finished: !matches!(job.stage, Stage::On(_)) })
    }

    /// The window of a watch.
    pub fn window(&self, id: &str) -> Fetched {
        let mut jobs = self.jobs();
        let Some(job) = jobs.get_mut(id) else { return Fetched::Unknown };
        job.settle();
        match &job.stage {
            Stage::On(_) => Fetched::Unfinished,
            Stage::Over(window) => Fetched::Window(window.clone()),
            Stage::Lost => Fetched::Lost,
        }
    }

    /// Ends a watch that is on, and forgets it; false where it is not known.
    pub fn forget(&self, id: &str) -> bool {
        let Some(job) = self.jobs().remove(id) else { return false };
        if let Stage::On(sampler) = &job.stage {
            sampler.stop();
        }
        true
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<String, Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn watch(root: &Root, order: &WatchOrder) -> Result<Watch, ArmError> {
    Ok(Watch {
        order: order.order.clone(),
        start_unix_nanos: order.start_unix_nanos,
        end_unix_nanos: order.end_unix_nanos,
        arm: Some(arm::find(root, std::process::id(), order.arm)?.group),
        driver: None,
        admin: order.arm.admin.map(at_loopback),
        heap_budget: Duration::from_millis(order.heap_budget_millis),
    })
}
