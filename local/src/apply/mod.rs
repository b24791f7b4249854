//! Does what was decided, one action at a time. In go actions; out come processes, orders and durable records, or why
//! not. It must not decide: where something fails, the engine sees it at the next look.

mod begin;
mod levers;
mod load;

use soak_campaign::step::{Action, AttemptKey, Record, StartFailure, Storage};

use crate::{
    clock::unix_nanos,
    driver_control::ControlError,
    execute::Executor,
    ledger::{OutputError, durable::DurableError},
    watch::Event,
};

/// Why an action was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApplyError {
    /// Results cannot be stored.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The driver does not do what it is told.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// Arm and driver cannot be made.
    #[error("{words}")]
    Start {
        /// Of which attempt.
        attempt: AttemptKey,
        /// Why.
        words: String,
    },
    /// There is nothing to do it to: the processes have gone meanwhile.
    #[error("the processes have gone")]
    Gone,
}

impl From<DurableError> for ApplyError {
    fn from(error: DurableError) -> Self {
        Self::Output(error.into())
    }
}

impl Executor<'_> {
    /// Does these in order; where one fails, the rest is left and what failed is remembered for the next look.
    pub(crate) fn apply(&mut self, actions: Vec<Action>) {
        for action in actions {
            if let Err(error) = self.one(action) {
                self.remember(error);
                return;
            }
        }
    }

    fn one(&mut self, action: Action) -> Result<(), ApplyError> {
        match action {
            Action::BeginPart { part, processes, cause } => self.begin(&part, processes, cause),
            Action::ProveLevers { part, when } => self.prove(&part, when),
            Action::PlaceOrder(order) => self.place(*order),
            Action::StoreStep { key } => self.store(&key),
            Action::Acknowledge { order } | Action::Disarm { order } => self.forget(&order),
            Action::AddStep { attempt, step } => Ok(self.ledger.record(&Record::StepAdded { attempt, step })?),
            Action::EndAttempt { attempt, end } => {
                self.watch.see(&Event::AttemptEnded { attempt: &attempt, end: &end });
                let run = attempt.run.clone();
                self.ledger.record(&Record::AttemptEnded { attempt, at_unix_nanos: unix_nanos(), end })?;
                self.ledger.write_run(&run)?;
                Ok(())
            }
            Action::StopProcesses { part: _ } => {
                self.stop_site();
                Ok(())
            }
        }
    }

    fn remember(&mut self, error: ApplyError) {
        match error {
            ApplyError::Output(error) => self.storage = Storage::Lost { words: error.to_string() },
            ApplyError::Start { attempt, words } => self.start_failed = Some(StartFailure { attempt, words }),
            // The next look at the driver, or at the processes, tells the engine.
            ApplyError::Control(_) | ApplyError::Gone => {}
        }
    }
}
