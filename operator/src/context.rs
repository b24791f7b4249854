//! What every look needs: the way to the API server and to the world, the settings, and what is remembered of each
//! campaign.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use kube_client::Client;
use soak_crds::SoakCampaign;

use crate::{config::Config, desk::Desk, metrics::Metrics, world::World};

/// What every look needs.
pub struct Context {
    pub(crate) client: Client,
    pub(crate) config: Config,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) world: Arc<dyn World>,
    desks: Mutex<HashMap<String, Desk>>,
}

impl Context {
    /// Of an operator that has not looked at anything yet.
    pub fn new(client: Client, config: Config, metrics: Arc<Metrics>, world: Arc<dyn World>) -> Self {
        Self { client, config, metrics, world, desks: Mutex::new(HashMap::new()) }
    }

    /// This host's time, nanoseconds since the epoch.
    pub(crate) fn now(&self) -> i64 {
        self.world.unix_nanos()
    }

    /// Takes out what is remembered of a campaign.
    pub(crate) fn take(&self, campaign: &SoakCampaign) -> Option<Desk> {
        self.metrics.looks.inc();
        self.desks().remove(campaign.metadata.uid.as_deref()?)
    }

    /// Remembers a campaign.
    pub(crate) fn keep(&self, campaign: &SoakCampaign, desk: Desk) {
        if let Some(uid) = &campaign.metadata.uid {
            self.desks().insert(uid.clone(), desk);
        }
    }

    /// Forgets a campaign.
    pub(crate) fn forget(&self, campaign: &SoakCampaign) {
        if let Some(uid) = &campaign.metadata.uid {
            self.desks().remove(uid);
        }
    }

    /// Forgets all: whoever leads next has gone on meanwhile.
    pub(crate) fn forget_all(&self) {
        self.desks().clear();
    }

    fn desks(&self) -> MutexGuard<'_, HashMap<String, Desk>> {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
