//! Which of several operators carries campaigns out: the one that holds a Lease, which it renews while it lives. This saves
//! the others' work and nothing depends on it: a record's number is taken once, whoever writes. In: the Lease; out: the
//! moments at which this operator leads and no longer does.

mod term;

use std::time::Duration;

use k8s_openapi::{api::coordination::v1::Lease, jiff::Timestamp};
use kube_client::{
    Client,
    api::{Api, ObjectMeta, PostParams},
};
use tokio::time::{Instant, sleep, timeout};

use crate::names::MANAGER;
use term::{Held, LOOK, Next, RENEW};

/// How long the API server is waited for.
const PATIENCE: Duration = Duration::from_secs(4);

/// This operator's part in the election.
pub(crate) struct Leader {
    leases: Api<Lease>,
    name: String,
    own: String,
    seen: Option<(Held, Instant)>,
}

impl Leader {
    /// The operator of this name, and the Lease of this name in a namespace.
    pub fn new(client: Client, namespace: &str, name: String, own: String) -> Self {
        Self { leases: Api::namespaced(client, namespace), name, own, seen: None }
    }

    /// Ends once this operator leads.
    pub async fn elected(&mut self) {
        let mut other = None;
        loop {
            match self.attempt().await {
                Ok(None) => break tracing::info!(lease = self.name, "leads"),
                Ok(Some(holder)) if other.as_ref() != Some(&holder) => {
                    tracing::info!(lease = self.name, holder, "waits: another operator leads");
                    other = Some(holder);
                }
                Ok(Some(_)) => {}
                Err(words) => tracing::warn!(lease = self.name, error = words, "the lease was not read or written"),
            }
            sleep(LOOK).await;
        }
    }

    /// Renews, and ends once another operator leads. An API server that does not answer ends nothing: nobody else gets
    /// an answer to take over with, or its records find the numbers taken.
    pub async fn deposed(&mut self) {
        loop {
            sleep(RENEW).await;
            match self.attempt().await {
                Ok(None) => {}
                Ok(Some(holder)) => break tracing::warn!(lease = self.name, holder, "another operator has taken over"),
                Err(words) => tracing::warn!(lease = self.name, error = words, "the lease was not renewed"),
            }
        }
    }

    /// Who leads, once its Lease is seen to be renewed.
    pub async fn renewed_by(&self) -> String {
        let mut before: Option<Held> = None;
        loop {
            match bounded(self.leases.get_opt(&self.name)).await {
                Ok(known) => {
                    let held = known.as_ref().map(Held::of).unwrap_or_default();
                    if before.as_ref().is_some_and(|before| term::is_renewal(before, &held)) {
                        return held.holder;
                    }
                    before = Some(held);
                }
                Err(words) => tracing::warn!(lease = self.name, error = words, "the lease was not read"),
            }
            sleep(LOOK).await;
        }
    }

    /// Gives the Lease up, so that another operator need not wait for it to run out.
    pub async fn step_down(&mut self) {
        match bounded(self.give_up()).await {
            Ok(()) => tracing::info!(lease = self.name, "no longer leads"),
            Err(words) => tracing::warn!(lease = self.name, error = words, "the lease was not given up: it runs out"),
        }
    }

    /// Takes or renews the Lease where that is this operator's to do; else the holder.
    async fn attempt(&mut self) -> Result<Option<String>, String> {
        let known = bounded(self.leases.get_opt(&self.name)).await?;
        let held = known.as_ref().map(Held::of).unwrap_or_default();
        let now = Instant::now();
        let since = self.seen.as_ref().filter(|(before, _)| *before == held).map_or(now, |(_, since)| *since);
        self.seen = Some((held.clone(), since));
        match term::next(&self.own, &held, now.duration_since(since)) {
            Next::Wait => Ok(Some(held.holder)),
            Next::Write => bounded(self.write(known)).await.map(|ours| if ours { None } else { Some(held.holder) }),
        }
    }

    /// Whether it was written: of two that try at the same time one is told no.
    async fn write(&self, known: Option<Lease>) -> Result<bool, kube_client::Error> {
        let before = known.as_ref().and_then(|lease| lease.spec.as_ref());
        let spec = Some(term::renewed(before, &self.own, Timestamp::now()));
        let written = if let Some(known) = known {
            self.leases.replace(&self.name, &params(), &Lease { spec, ..known }).await
        } else {
            let metadata = ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() };
            self.leases.create(&params(), &Lease { metadata, spec }).await
        };
        match written {
            Ok(_) => Ok(true),
            Err(kube_client::Error::Api(status)) if status.code == 409 => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn give_up(&self) -> Result<(), kube_client::Error> {
        let Some(known) = self.leases.get_opt(&self.name).await? else { return Ok(()) };
        if Held::of(&known).holder != self.own {
            return Ok(());
        }
        let spec = known.spec.as_ref().map(|spec| term::given_up(spec, Timestamp::now()));
        match self.leases.replace(&self.name, &params(), &Lease { spec, ..known }).await {
            Err(kube_client::Error::Api(status)) if status.code == 409 => Ok(()),
            written => written.map(drop),
        }
    }
}

fn params() -> PostParams {
    PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() }
}

async fn bounded<T>(asked: impl Future<Output = Result<T, kube_client::Error>>) -> Result<T, String> {
    match timeout(PATIENCE, asked).await {
        Ok(answer) => answer.map_err(|error| crate::reconcile::chain(&error)),
        Err(_) => Err(format!("no answer from the api server within {} s", PATIENCE.as_secs())),
    }
}
