//! The loop: observe, decide, apply, wait. In go a plan, a ledger, this machine and a watcher; out comes how it ended.
//! The decisions are the engine's; this loop may die at any point and go on from the ledger.

use std::{
    thread,
    time::{Duration, Instant},
};

use soak_campaign::{
    plan::{PlannedArm, PlannedRun, PlannedStep, RunId, StepKind},
    step::{Decision, End, Observed, Progress, StartFailure, StepKey, Storage, Wait, WaitReason, Wish, decide},
};

use crate::{
    apply::ApplyError,
    clock::unix_nanos,
    isolation,
    ledger::OutputLedger,
    means::Means,
    observe,
    signal::Interrupt,
    site::Site,
    watch::{Event, Live, Watch},
};

/// While load is on, driver and processes are looked at this often: each look costs the driver's core a moment.
const LOOK_UNDER_LOAD: Duration = Duration::from_secs(1);
/// … and otherwise this often.
const LOOK: Duration = Duration::from_millis(100);
/// How long the user's stop may go unnoticed.
const BLINK: Duration = Duration::from_millis(25);

/// Carries out a plan on this machine.
pub struct Executor<'a> {
    pub(crate) ledger: &'a mut OutputLedger,
    pub(crate) means: &'a Means,
    pub(crate) watch: &'a mut dyn Watch,
    pub(crate) interrupt: Interrupt,
    pub(crate) site: Option<Site>,
    pub(crate) start_failed: Option<StartFailure>,
    pub(crate) storage: Storage,
}

impl<'a> Executor<'a> {
    /// An executor that goes on where the ledger ends.
    pub fn new(ledger: &'a mut OutputLedger, means: &'a Means, watch: &'a mut dyn Watch, interrupt: Interrupt) -> Self {
        Self { ledger, means, watch, interrupt, site: None, start_failed: None, storage: Storage::Works }
    }

    /// Goes on until the engine has nothing left to do. No process is left when this returns.
    pub fn execute(mut self) -> End {
        let end = loop {
            let observed = self.observe();
            match decide(&self.ledger.campaign().plan, self.ledger.state(), &observed, unix_nanos()) {
                Decision::Act(actions) => self.apply(actions),
                Decision::Wait(wait) => self.wait(&wait),
                Decision::Finished(end) => break end,
            }
        };
        self.stop_site();
        // What follows, such as sums over files, may use every CPU again.
        let _ = isolation::pin_this_thread(&self.means.machine().cpus_allowed);
        end
    }

    fn observe(&mut self) -> Observed {
        Observed {
            part: self.site.as_mut().map(observe::part),
            start_failed: self.start_failed.clone(),
            storage: self.storage.clone(),
            wish: if self.interrupt.is_set() { Wish::Interrupt } else { Wish::GoOn },
        }
    }

    /// Tells the watcher, then waits: not past the instant given, nor past the next look, nor past the user's stop or
    /// the end of a process.
    fn wait(&mut self, wait: &Wait) {
        self.watch.see(&Event::Waits(&wait.reason));
        self.tell_live(&wait.reason);
        let look = match wait.reason {
            WaitReason::StepRunning(_) => LOOK_UNDER_LOAD,
            WaitReason::ArmStarting { .. }
            | WaitReason::DriverStarting { .. }
            | WaitReason::StepArmed(_)
            | WaitReason::StepDraining(_)
            | WaitReason::NextAttempt(_)
            | WaitReason::Unseen { .. }
            | WaitReason::StorageRefused { .. }
            | WaitReason::Suspended => LOOK,
        };
        let left = wait.until_unix_nanos.map(|until| until.saturating_sub(unix_nanos()).max(0).unsigned_abs());
        let until = Instant::now() + left.map_or(look, |nanos| look.min(Duration::from_nanos(nanos)));
        while !self.interrupt.is_set() && !self.somebody_died() {
            match until.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => thread::sleep(left.min(BLINK)),
                Some(_) | None => return,
            }
        }
    }

    fn somebody_died(&mut self) -> bool {
        self.site.as_mut().is_some_and(Site::somebody_died)
    }

    fn tell_live(&mut self, reason: &WaitReason) {
        let WaitReason::StepRunning(key) = reason else { return };
        let Some(run) = self.run(&key.part.attempt.run) else { return };
        let (number, of) = self.place_of(key, &run);
        let placed = self.site.as_ref().and_then(|site| site.orders.iter().find(|placed| placed.order.key == *key));
        let Some(placed) = placed else { return };
        let Some(((offered, delivered), counts)) =
            placed.pace.per_second(placed.order.start_unix_nanos).zip(placed.pace.counts())
        else {
            return;
        };
        let live = Live {
            run: &run,
            step: &placed.order.step,
            number,
            of,
            offered,
            delivered,
            p99_millis: counts.p99_nanos.filter(|nanos| *nanos > 0).map(|nanos| nanos as f64 / 1e6),
            never_sent: counts.never_sent,
            left_millis: self.left_millis() - (unix_nanos() - placed.order.start_unix_nanos).max(0) / 1_000_000,
        };
        self.watch.see(&Event::Live(&live));
    }

    /// Time left for all runs, milliseconds, the step at hand counted whole.
    pub(crate) fn left_millis(&self) -> i64 {
        Progress::of(&self.ledger.campaign().plan, self.ledger.state()).remaining_millis
    }

    pub(crate) fn site_mut(&mut self) -> Result<&mut Site, ApplyError> {
        self.site.as_mut().ok_or(ApplyError::Gone)
    }

    pub(crate) fn run(&self, id: &RunId) -> Option<PlannedRun> {
        self.ledger.campaign().plan.runs.iter().find(|run| run.id == *id).cloned()
    }

    pub(crate) fn arm(&self, name: &str) -> Option<PlannedArm> {
        self.ledger.campaign().plan.arms.iter().find(|arm| arm.name == name).cloned()
    }

    /// A step's place among its run's, from 1, and their number, added ones counted and the warm-up not: it is 0.
    pub(crate) fn place_of(&self, key: &StepKey, run: &PlannedRun) -> (usize, usize) {
        let added = self.ledger.state().attempt(&key.part.attempt).map_or(&[][..], |attempt| &attempt.added);
        let steps: Vec<&PlannedStep> =
            run.steps.iter().chain(added).filter(|step| step.kind != StepKind::Warmup).collect();
        let at = steps.iter().position(|step| step.index == key.step).map_or(0, |at| at + 1);
        (at, steps.len())
    }
}
