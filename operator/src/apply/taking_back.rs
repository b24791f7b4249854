//! Records the withdrawals of the spec that are not on record yet. Which can be is the engine's word.

use soak_campaign::{plan::RunId, status::withdrawals, step::Record};

use super::{ApplyError, Hands};
use crate::ledger::Besides;

impl Hands<'_> {
    /// Records what can be taken back.
    pub(crate) async fn take_back(&mut self, is_over: bool) -> Result<(), ApplyError> {
        let due = withdrawals(&self.desk.plan, &self.desk.ledger, &self.campaign.spec.withdrawn, is_over).due;
        for withdrawal in due {
            let run = RunId(withdrawal.run.clone());
            let record = Record::Withdrawn { at_unix_nanos: self.context.now(), withdrawal };
            self.record(&run, record, Besides::Nothing).await?;
        }
        Ok(())
    }
}
