//! A cluster in memory: API server, scheduler, kubelet, the pods' drivers and witnesses, all on one virtual clock; and
//! operators that live and die on it.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use soak_operator::{
    Context, carry_out,
    config::{Config, Images},
    metrics::Metrics,
    world::{Stream, World},
};
use tokio::{
    task::JoinHandle,
    time::{sleep, timeout},
};

use crate::{
    api::{Api, Key},
    clock::VirtualClock,
    faults::{Faults, Life},
    hosts::{Hosts, Samples},
    kubelet,
};

/// The campaigns' namespace.
pub const NAMESPACE: &str = "load";
/// How long a campaign may take.
const PATIENCE: Duration = Duration::from_secs(3600);

/// The cluster.
#[derive(Debug, Clone)]
pub struct Cluster {
    pub api: Arc<Api>,
    pub hosts: Arc<Hosts>,
    pub faults: Arc<Faults>,
    pub clock: VirtualClock,
}

/// An operator's process.
#[derive(Debug)]
pub struct Operator {
    pub life: Arc<Life>,
    task: JoinHandle<()>,
}

/// The world as one operator reaches it.
struct Reach {
    cluster: Cluster,
    life: Arc<Life>,
}

impl World for Reach {
    fn unix_nanos(&self) -> i64 {
        self.cluster.clock.unix_nanos()
    }

    fn connect(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        let connected = self.cluster.hosts.connect(to, &self.life);
        Box::pin(async move { connected.map(|stream| Box::new(stream) as Box<dyn Stream>) })
    }
}

impl Cluster {
    /// A cluster whose clock shows this instant now, nanoseconds since the epoch. Time must be paused.
    pub fn at(began_unix_nanos: i64, samples: Box<dyn Samples>) -> Self {
        let clock = VirtualClock::at(began_unix_nanos);
        let faults = Arc::new(Faults::default());
        let api = Api::new(clock, Arc::clone(&faults));
        let hosts = Hosts::new(clock, Arc::clone(&faults), samples);
        tokio::spawn(kubelet::run(Arc::clone(&api), Arc::clone(&hosts)));
        Self { api, hosts, faults, clock }
    }

    /// Starts an operator.
    pub fn start(&self) -> Operator {
        self.start_away(Duration::ZERO)
    }

    /// Starts an operator that the API server is this far away from.
    pub fn start_away(&self, away: Duration) -> Operator {
        let life = Arc::new(Life::new(away));
        let image = |name: &str, digit: char| format!("registry.test/{name}@sha256:{}", digit.to_string().repeat(64));
        let config = Config {
            namespaces: vec![NAMESPACE.to_owned()],
            own_namespace: "soak".to_owned(),
            own_name: "soak-operator-0".to_owned(),
            lease: "soak-operator".to_owned(),
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            key: "0123456789abcdef0123456789abcdef".to_owned(),
            images: Images { arm: image("arm", 'a'), driver: image("driver", 'd'), witness: image("witness", 'e') },
        };
        let world = Arc::new(Reach { cluster: self.clone(), life: Arc::clone(&life) });
        let context = Context::new(self.api.client(&life), config, Arc::new(Metrics::default()), world);
        Operator { life, task: tokio::spawn(carry_out(Arc::new(context))) }
    }

    /// Makes a campaign.
    pub fn campaign(&self, name: &str, spec: &Value) {
        let key = key("soakcampaigns", name);
        let object = json!({"apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": {}, "spec": spec});
        self.api.with(|store| store.create(&key, object)).unwrap();
    }

    /// Sets a field of a campaign's spec, as a user does.
    pub fn wish(&self, name: &str, field: &str, value: &Value) {
        let set = |campaign: &mut Value| {
            campaign["spec"][field] = value.clone();
            campaign["metadata"]["generation"] = json!(campaign["metadata"]["generation"].as_i64().unwrap() + 1);
        };
        self.api.with(|store| store.edit(&key("soakcampaigns", name), set));
    }

    /// A campaign's status.
    pub fn status(&self, name: &str) -> Value {
        self.api.get("soakcampaigns", NAMESPACE, name).map_or(Value::Null, |campaign| campaign["status"].clone())
    }

    /// Whether a condition of a campaign is true.
    pub fn is(&self, name: &str, condition: &str) -> bool {
        let status = self.status(name);
        let mut conditions = status["conditions"].as_array().into_iter().flatten();
        conditions.any(|known| known["type"] == condition && known["status"] == "True")
    }

    /// Waits until something is so.
    pub async fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let mut changes = self.api.changes();
        let waits = async {
            while !holds() {
                changes.changed().await.unwrap();
            }
        };
        if timeout(PATIENCE, waits).await.is_err() {
            let pods = self.api.all("pods");
            let all = self.api.all("soakcampaigns");
            panic!("{what}: not within {PATIENCE:?}\n{:#?}\n{pods:#?}\n{all:#?}", self.faults.writes());
        }
    }

    /// Waits until a campaign is over.
    pub async fn over(&self, name: &str) {
        self.until(&format!("{name} is over"), || self.is(name, "Finished")).await;
    }

    /// Lets everything come to rest.
    pub async fn rest(&self) {
        sleep(Duration::from_secs(30)).await;
    }
}

impl Operator {
    /// Ends it as `kill -9` does.
    pub async fn kill(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}

/// The place of an object in the campaigns' namespace.
pub fn key(resource: &str, name: &str) -> Key {
    Key { resource: resource.to_owned(), namespace: NAMESPACE.to_owned(), name: name.to_owned() }
}
