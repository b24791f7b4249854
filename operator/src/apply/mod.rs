//! Carries out decisions: pods made and ended, levers proven, orders placed, windows made durable. In go actions; out
//! come pods, load and records. It must not decide which action follows.

mod begin;
mod end;
mod levers;
mod load;
mod results;
mod taking_back;

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_client::{ResourceExt as _, api::Api};
use soak_campaign::step::{Action, AttemptKey, PartKey, Progress, Record, StartFailure};
use soak_crds::SoakCampaign;

use crate::{
    accept,
    context::Context,
    desk::Desk,
    events,
    ledger::{Besides, Store, StoreError},
    observe::{self, CONTROL_PORTS, PartPods, Place},
    remote::{Remote, RemoteError},
    token::token,
};

/// Why an action was not carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApplyError {
    /// The API server refused, or cannot be reached.
    #[error(transparent)]
    Kube(#[from] kube_client::Error),
    /// The ledger cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A pod does not do what is asked.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The pods of a part could not be made; what was made is removed again.
    #[error("{attempt}: {words}")]
    Start {
        /// Of which attempt.
        attempt: AttemptKey,
        /// What failed.
        words: String,
    },
    /// A document cannot be written.
    #[error("a document cannot be written: {0}")]
    Document(#[from] serde_json::Error),
    /// What the action is about is not there any more, or not yet.
    #[error("not yet: {0}")]
    NotYet(String),
}

impl ApplyError {
    /// The API server's words where it takes no more results: a quota, or a policy.
    pub fn storage_refusal(&self) -> Option<String> {
        match self {
            Self::Store(StoreError::Kube(kube_client::Error::Api(status))) if matches!(status.code, 403 | 413) => {
                Some(status.message.clone())
            }
            _ => None,
        }
    }
}

/// What carries out the decisions of one campaign.
pub(crate) struct Hands<'a> {
    pub context: &'a Context,
    pub campaign: &'a SoakCampaign,
    pub desk: &'a mut Desk,
    pub store: Store,
    /// The pods as they were seen last.
    pub found: Vec<PartPods>,
}

impl<'a> Hands<'a> {
    /// Hands for a campaign.
    pub fn new(context: &'a Context, campaign: &'a SoakCampaign, desk: &'a mut Desk) -> Self {
        let store = accept::store(context, campaign, &desk.base);
        Self { context, campaign, desk, store, found: Vec::new() }
    }

    /// Carries out actions in order; the first that fails ends it. Where somebody else has gone on since the ledger was
    /// read, none is carried out: what they follow from is not so any more.
    pub async fn apply(&mut self, actions: Vec<Action>) -> Result<(), ApplyError> {
        self.not_overtaken().await?;
        for action in actions {
            match self.act(action).await {
                Err(ApplyError::Start { attempt, words }) => {
                    self.desk.start_failed = Some(StartFailure { attempt, words });
                    return Ok(());
                }
                done => done?,
            }
        }
        Ok(())
    }

    /// The next record of the run at hand is not there yet.
    async fn not_overtaken(&self) -> Result<(), ApplyError> {
        let at_hand = Progress::of(&self.desk.plan, &self.desk.ledger).at_hand;
        if let Some(place) = at_hand.and_then(|at_hand| self.desk.place(&at_hand.run)) {
            self.store.is_next(place, self.desk.next_record(place)).await?;
        }
        Ok(())
    }

    async fn act(&mut self, action: Action) -> Result<(), ApplyError> {
        tracing::debug!(?action, "acts");
        match action {
            Action::BeginPart { part, processes, cause } => self.begin(&part, processes, cause).await,
            Action::ProveLevers { part, when } => self.prove(&part, when).await,
            Action::PlaceOrder(order) => self.place(*order).await,
            Action::StoreStep { key } => self.store_step(&key).await,
            Action::Acknowledge { order } | Action::Disarm { order } => self.forget(&order).await,
            Action::AddStep { attempt, step } => {
                let run = attempt.run.clone();
                self.record(&run, Record::StepAdded { attempt, step }, Besides::Nothing).await
            }
            Action::EndAttempt { attempt, end } => {
                let run = attempt.run.clone();
                let record = Record::AttemptEnded { attempt, at_unix_nanos: self.context.now(), end };
                self.record(&run, record, Besides::Nothing).await
            }
            Action::StopProcesses { part: _ } => self.stop_all().await,
        }
    }

    /// Makes a record durable, then remembers it as it will be read back.
    async fn record(
        &mut self,
        run: &soak_campaign::plan::RunId,
        record: Record,
        besides: Besides<'_>,
    ) -> Result<(), ApplyError> {
        let place = self.desk.place(run).ok_or_else(|| ApplyError::NotYet(format!("no run {run} in the plan")))?;
        let number = self.desk.next_record(place);
        let read_back = record.as_read_back()?;
        self.store.append(place, number, &record, besides).await?;
        let told = events::of_record(&self.desk.plan, &read_back);
        self.desk.ledger.apply(read_back).map_err(StoreError::from)?;
        self.desk.records.insert(place, number + 1);
        events::tell(self.context, self.campaign, told).await;
        Ok(())
    }

    /// The pods of the campaign's namespace.
    pub fn pods(&self) -> Api<Pod> {
        Api::namespaced(self.context.client.clone(), &self.campaign.namespace().unwrap_or_default())
    }

    /// The driver at hand, where it has an address.
    pub fn driver(&self) -> Option<Remote> {
        let found = self.found.first()?;
        self.remote(found, found.driver.as_ref()?, CONTROL_PORTS[0])
    }

    /// The witness at hand, where it has an address.
    fn witness(&self, port: u16) -> Option<Remote> {
        let found = self.found.first()?;
        self.remote(found, found.arm.as_ref()?, port)
    }

    fn remote(&self, made_for: &PartPods, pod: &Pod, port: u16) -> Option<Remote> {
        let address = observe::pod_ip(pod)?;
        Some(Remote::new((address, port).into(), self.token(made_for.place), Arc::clone(&self.context.world)))
    }

    /// The token of the pods made for a part.
    fn token(&self, (run, attempt, part): Place) -> String {
        let campaign = self.campaign.metadata.uid.as_deref().unwrap_or_default();
        token(self.context.config.key.as_bytes(), &format!("{campaign}/{run}.{attempt}.{part}"))
    }

    /// The part and place of the pods at hand.
    fn place_of(&self, part: &PartKey) -> Option<Place> {
        Some((self.desk.place(&part.attempt.run)?, part.attempt.attempt, part.part))
    }
}
