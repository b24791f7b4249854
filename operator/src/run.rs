//! The operator's life: client, health, one controller for each namespace, until it is told to end. Out: campaigns
//! carried out.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use futures_util::{StreamExt as _, future::join_all};
use k8s_openapi::api::core::v1::Pod;
use kube_client::{Api, Client, Config};
use kube_runtime::{Controller, controller, watcher};
use soak_crds::SoakCampaign;
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    config,
    desk::Desk,
    health::{self, Health},
    metrics::Metrics,
    names::CAMPAIGN,
    reconcile::{after_failure, campaigns, chain, reconcile},
};

/// Campaigns looked at at the same time.
const AT_ONCE: u16 = 8;

/// Why the operator ended.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no way to the API server.
    #[error("no way to the api server: {0}")]
    Client(#[source] kube_client::Error),
    /// Health cannot be served.
    #[error("health cannot be served: {0}")]
    Health(#[source] io::Error),
    /// Signals cannot be listened for.
    #[error("signals cannot be listened for: {0}")]
    Signals(#[source] io::Error),
    /// The resource is not served, or not with every field.
    #[error("soakcampaigns are not served here: {0}; apply the chart's crd first")]
    Definition(#[source] kube_client::Error),
}

/// What every look needs.
pub(crate) struct Context {
    pub client: Client,
    pub config: config::Config,
    pub metrics: Arc<Metrics>,
    desks: Mutex<HashMap<String, Desk>>,
}

impl Context {
    /// Takes out what is remembered of a campaign.
    pub fn take(&self, campaign: &SoakCampaign) -> Option<Desk> {
        self.metrics.looks.inc();
        self.desks().remove(campaign.metadata.uid.as_deref()?)
    }

    /// Remembers a campaign.
    pub fn keep(&self, campaign: &SoakCampaign, desk: Desk) {
        if let Some(uid) = &campaign.metadata.uid {
            self.desks().insert(uid.clone(), desk);
        }
    }

    /// Forgets a campaign.
    pub fn forget(&self, campaign: &SoakCampaign) {
        if let Some(uid) = &campaign.metadata.uid {
            self.desks().remove(uid);
        }
    }

    fn desks(&self) -> std::sync::MutexGuard<'_, HashMap<String, Desk>> {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs until the process is told to end.
pub async fn run(config: config::Config) -> Result<(), RunError> {
    let client = client().await.map_err(RunError::Client)?;
    let health = Arc::new(Health::default());
    let served = tokio::spawn(health::serve(config.listen, Arc::clone(&health)));
    for namespace in config.watched() {
        let limit = kube_client::api::ListParams::default().limit(1);
        let found = campaigns(&client, namespace).list(&limit).await;
        found.map_err(RunError::Definition)?;
    }
    let context =
        Arc::new(Context { client, config, metrics: Arc::clone(&health.metrics), desks: Mutex::new(HashMap::new()) });
    health.ready.store(true, Ordering::Relaxed);
    health.metrics.leader.set(1);
    let watched = context.config.watched();
    let controllers = watched.iter().map(|namespace| control(Arc::clone(&context), *namespace));
    tokio::select! {
        () = async { drop(join_all(controllers).await) } => Ok(()),
        failed = served => match failed {
            Ok(Err(error)) => Err(RunError::Health(error)),
            Ok(Ok(never)) => match never {},
            Err(error) => Err(RunError::Health(io::Error::other(error))),
        },
        ended = told_to_end() => ended.map_err(RunError::Signals),
    }
}

/// In a pod, by the variables that the kubelet sets, whether or not the cluster has DNS; else by kubeconfig.
async fn client() -> Result<Client, kube_client::Error> {
    match Config::incluster_env() {
        Ok(config) => Client::try_from(config),
        Err(_) => Client::try_default().await,
    }
}

async fn control(context: Arc<Context>, namespace: Option<&str>) {
    let pods: Api<Pod> = match namespace {
        Some(namespace) => Api::namespaced(context.client.clone(), namespace),
        None => Api::all(context.client.clone()),
    };
    Controller::new(campaigns(&context.client, namespace), watcher::Config::default())
        .owns(pods, watcher::Config::default().labels(CAMPAIGN))
        .with_config(controller::Config::default().concurrency(AT_ONCE))
        .run(reconcile, after_failure, context)
        .for_each(|looked| async move {
            if let Err(error) = looked {
                tracing::debug!(error = %chain(&error), "a look was not completed");
            }
        })
        .await;
}

async fn told_to_end() -> io::Result<()> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

/// This host's time, nanoseconds since the epoch.
pub(crate) fn unix_nanos() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
