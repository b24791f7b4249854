//! Whether an operator is at work here: asked by a pod of `helm test` with the operator's own settings and rights. Out:
//! what was found, or what is wrong.

use std::time::Duration;

use crate::{
    config::Config,
    leader::Leader,
    run::{RunError, client, may_begin},
};

/// How long an operator may take to be elected and to renew once.
const WITHIN: Duration = Duration::from_secs(45);

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// No operator can work here.
    #[error(transparent)]
    Begin(#[from] RunError),
    /// None does.
    #[error("no operator has renewed the lease {lease} within {} s", WITHIN.as_secs())]
    Idle {
        /// The Lease.
        lease: String,
    },
}

/// Who leads here, once it is seen to live.
pub async fn check(config: &Config) -> Result<String, CheckError> {
    let client = client().await.map_err(RunError::Client)?;
    may_begin(&client, config).await?;
    let leader = Leader::new(client, &config.own_namespace, config.lease.clone(), config.own_name.clone());
    let seen = tokio::time::timeout(WITHIN, leader.renewed_by()).await;
    seen.map_err(|_| CheckError::Idle { lease: config.lease.clone() })
}
