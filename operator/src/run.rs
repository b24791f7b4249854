//! The operator's life: client, health, and while it leads one controller for each namespace, until it is told to end.
//! Out: campaigns carried out.

use std::{
    future::pending,
    io,
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures_util::{StreamExt as _, future::join_all};
use k8s_openapi::api::core::v1::Pod;
use kube_client::{Api, Client, Config};
use kube_runtime::{Controller, controller, watcher};
use tokio::{
    signal::unix::{SignalKind, signal},
    time::{Instant, sleep, timeout},
};

use crate::{
    config,
    context::Context,
    health::{self, Health},
    leader::Leader,
    names::CAMPAIGN,
    reconcile::{after_failure, campaigns, chain, reconcile},
    served::{self, ServedError},
    stop::{self, Stop},
    world::Host,
};

/// Campaigns looked at at the same time.
const AT_ONCE: u16 = 8;
/// How long the looks at hand may take to end.
const AT_HAND: Duration = Duration::from_secs(15);
/// How long the definition is waited for: an API server publishes a new one within seconds.
const SERVED_WITHIN: Duration = Duration::from_secs(20);
/// How often it is asked for.
const LOOK_SERVED: Duration = Duration::from_secs(2);

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
    #[error(transparent)]
    Served(#[from] ServedError),
    /// Campaigns may not be read.
    #[error("soakcampaigns of the namespace {namespace} cannot be read: {source}")]
    Forbidden {
        /// Where; `*` for all.
        namespace: String,
        /// What the API server said.
        source: kube_client::Error,
    },
}

/// Runs until the process is told to end; then what is at hand is ended and the Lease given up.
pub async fn run(config: config::Config) -> Result<(), RunError> {
    let client = client().await.map_err(RunError::Client)?;
    let health = Arc::new(Health::default());
    let served = tokio::spawn(health::serve(config.listen, Arc::clone(&health)));
    let (teller, stop) = stop::pair();
    let mut work = pin!(operate(client, config, &health, &stop));
    tokio::select! {
        done = &mut work => return done,
        failed = served => return match failed {
            Ok(Err(error)) => Err(RunError::Health(error)),
            Ok(Ok(never)) => match never {},
            Err(error) => Err(RunError::Health(io::Error::other(error))),
        },
        told = told_to_end() => told.map_err(RunError::Signals)?,
    }
    tracing::info!("is told to end");
    teller.tell();
    work.await
}

/// Carries campaigns out whenever this operator leads.
async fn operate(client: Client, config: config::Config, health: &Health, stop: &Stop) -> Result<(), RunError> {
    tokio::select! {
        checked = checked(&client, &config) => checked?,
        () = stop.told() => return Ok(()),
    }
    health.ready.store(true, Ordering::Relaxed);
    let mut leader = Leader::new(client.clone(), &config.own_namespace, config.lease.clone(), config.own_name.clone());
    let context = Arc::new(Context::new(client, config, Arc::clone(&health.metrics), Arc::new(Host)));
    loop {
        let goes_on = tokio::select! {
            () = leader.elected() => {
                health.metrics.leader.set(1);
                term(&context, &mut leader, stop).await
            }
            () = stop.told() => false,
        };
        health.metrics.leader.set(0);
        context.forget_all();
        if !goes_on {
            leader.step_down().await;
            return Ok(());
        }
    }
}

/// The resource is served with every field, and may be read; it is asked again while whoever installs this is at it.
async fn checked(client: &Client, config: &config::Config) -> Result<(), RunError> {
    let begun = Instant::now();
    loop {
        match may_begin(client, config).await {
            Err(error) if begun.elapsed() < SERVED_WITHIN => {
                tracing::warn!(error = %chain(&error), "cannot begin yet");
                sleep(LOOK_SERVED).await;
            }
            answer => return answer,
        }
    }
}

/// Whether campaigns can be carried out here: in one namespace at least. The roles of a namespace that was removed went
/// with it, and the others' campaigns go on.
pub(crate) async fn may_begin(client: &Client, config: &config::Config) -> Result<(), RunError> {
    served::check(client).await?;
    let watched = config.watched();
    let mut left = watched.len();
    for namespace in watched {
        let limit = kube_client::api::ListParams::default().limit(1);
        let Err(source) = campaigns(client, namespace).list(&limit).await else { continue };
        let is_refused = matches!(&source, kube_client::Error::Api(status) if status.code == 403);
        let error = RunError::Forbidden { namespace: namespace.unwrap_or("*").to_owned(), source };
        left -= 1;
        if !is_refused || left == 0 {
            return Err(error);
        }
        tracing::warn!(error = %chain(&error), "goes on without it");
    }
    Ok(())
}

/// Leads until another operator does or the process is told to end; whether to stand for election again.
async fn term(context: &Arc<Context>, leader: &mut Leader, stop: &Stop) -> bool {
    let (teller, ended) = stop::pair();
    let mut work = pin!(controllers(context, &ended));
    let goes_on = tokio::select! {
        () = &mut work => return false,
        () = leader.deposed() => true,
        () = stop.told() => false,
    };
    teller.tell();
    let renewed = async {
        leader.deposed().await;
        pending::<()>().await;
    };
    tokio::select! {
        ended = timeout(AT_HAND, &mut work) => if ended.is_err() {
            tracing::warn!("looks at hand did not end in time: they go on from what is durable");
        },
        () = renewed => {}
    }
    goes_on
}

/// In a pod, by the variables that the kubelet sets, whether or not the cluster has DNS; else by kubeconfig. A request
/// that fails is not made again by itself, each time later: the next look makes it, and that is soon.
pub(crate) async fn client() -> Result<Client, kube_client::Error> {
    let mut config = match Config::incluster_env() {
        Ok(config) => config,
        Err(_) => Config::infer().await.map_err(kube_client::Error::InferConfig)?,
    };
    config.default_retry = false;
    Client::try_from(config)
}

/// Carries out the campaigns of every namespace that is looked at, without end.
pub async fn carry_out(context: Arc<Context>) {
    let (_teller, never) = stop::pair();
    controllers(&context, &never).await;
}

/// A controller for each namespace; they end once they are told to and their looks at hand have ended.
async fn controllers(context: &Arc<Context>, ended: &Stop) {
    let watched = context.config.watched();
    let controllers = watched.iter().map(|namespace| control(Arc::clone(context), *namespace, ended.clone()));
    join_all(controllers).await;
}

async fn control(context: Arc<Context>, namespace: Option<&str>, ended: Stop) {
    let pods: Api<Pod> = match namespace {
        Some(namespace) => Api::namespaced(context.client.clone(), namespace),
        None => Api::all(context.client.clone()),
    };
    Controller::new(campaigns(&context.client, namespace), watcher::Config::default())
        .owns(pods, watcher::Config::default().labels(CAMPAIGN))
        .with_config(controller::Config::default().concurrency(AT_ONCE))
        .graceful_shutdown_on(async move { ended.told().await })
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
