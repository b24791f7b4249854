//! The operator's life: client, health, one controller for each namespace, until it is told to end. Out: campaigns
//! carried out.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
};

use futures_util::{StreamExt as _, future::join_all};
use k8s_openapi::api::core::v1::Pod;
use kube_client::{Api, Client, Config};
use kube_runtime::{Controller, controller, watcher};
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    config,
    context::Context,
    health::{self, Health},
    names::CAMPAIGN,
    reconcile::{after_failure, campaigns, chain, reconcile},
    world::Host,
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
    let context = Arc::new(Context::new(client, config, Arc::clone(&health.metrics), Arc::new(Host)));
    health.ready.store(true, Ordering::Relaxed);
    health.metrics.leader.set(1);
    tokio::select! {
        () = carry_out(context) => Ok(()),
        failed = served => match failed {
            Ok(Err(error)) => Err(RunError::Health(error)),
            Ok(Ok(never)) => match never {},
            Err(error) => Err(RunError::Health(io::Error::other(error))),
        },
        ended = told_to_end() => ended.map_err(RunError::Signals),
    }
}

/// In a pod, by the variables that the kubelet sets, whether or not the cluster has DNS; else by kubeconfig. A request
/// that fails is not made again by itself, each time later: the next look makes it, and that is soon.
async fn client() -> Result<Client, kube_client::Error> {
    let mut config = match Config::incluster_env() {
        Ok(config) => config,
        Err(_) => Config::infer().await.map_err(kube_client::Error::InferConfig)?,
    };
    config.default_retry = false;
    Client::try_from(config)
}

/// Carries out the campaigns of every namespace that is looked at, without end.
pub async fn carry_out(context: Arc<Context>) {
    let watched = context.config.watched();
    let controllers = watched.iter().map(|namespace| control(Arc::clone(&context), *namespace));
    join_all(controllers).await;
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
