//! The way to the cluster, found as `kubectl` finds it: flags, then `KUBECONFIG`, then the file in the home folder, then
//! the pod's own account. In go flags; out come clients for the namespace that is meant.

use std::{path::PathBuf, time::Duration};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::{
    Api, Client, Config,
    api::{ListParams, ObjectList},
    config::{KubeConfigOptions, Kubeconfig, KubeconfigError},
    core::NamespaceResourceScope,
};
use serde::de::DeserializeOwned;
use soak_crds::SoakCampaign;

use crate::fault::Fault;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(60);
/// Campaigns that a message names.
const MOST_NAMES: usize = 10;

/// Which cluster, as whom, and where in it.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Connection {
    /// The namespace. Default: that of the context.
    #[arg(long, short, global = true, value_name = "NAMESPACE", value_parser = label, help_heading = "Cluster")]
    pub namespace: Option<String>,
    /// The context of the kubeconfig. Default: the current one.
    #[arg(long, global = true, value_name = "CONTEXT", help_heading = "Cluster")]
    pub context: Option<String>,
    /// The kubeconfig. Default: what KUBECONFIG names, else ~/.kube/config.
    #[arg(long, global = true, value_name = "FILE", help_heading = "Cluster")]
    pub kubeconfig: Option<PathBuf>,
}

/// A cluster, and a namespace of it.
#[derive(Clone)]
pub struct Cluster {
    /// The way to it.
    pub client: Client,
    /// The namespace.
    pub namespace: String,
    /// The API server's address.
    pub server: String,
}

impl Cluster {
    /// Finds the cluster; nothing is asked of it yet.
    pub async fn find(connection: &Connection) -> Result<Self, Fault> {
        let mut config = config(connection).await?;
        config.connect_timeout = Some(CONNECT);
        config.read_timeout = Some(ANSWER);
        let server = config.cluster_url.to_string();
        let namespace = connection.namespace.clone().unwrap_or_else(|| config.default_namespace.clone());
        let client = Client::try_from(config).map_err(|error| Fault::NoCluster(error.to_string()))?;
        Ok(Self { client, namespace, server })
    }

    /// The objects of a kind in the namespace.
    pub fn api<K>(&self) -> Api<K>
    where
        K: kube_client::Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    /// What the client says of a request, as a fault.
    pub fn fault(&self, error: kube_client::Error) -> Fault {
        Fault::of(&self.server, error)
    }

    /// A campaign; `None` where there is none of this name.
    pub async fn campaign_if_any(&self, name: &str) -> Result<Option<SoakCampaign>, Fault> {
        match self.api::<SoakCampaign>().get(name).await {
            Ok(campaign) => Ok(Some(campaign)),
            Err(kube_client::Error::Api(status)) if status.code == 404 && status.reason == "NotFound" => {
                // Served, and not there: or not served at all.
                self.campaigns(&ListParams::default().limit(1)).await.map(|_| None)
            }
            Err(error) => Err(self.fault(error)),
        }
    }

    /// A campaign.
    pub async fn campaign(&self, name: &str) -> Result<SoakCampaign, Fault> {
        match self.campaign_if_any(name).await? {
            Some(campaign) => Ok(campaign),
            None => Err(self.no_campaign(name).await),
        }
    }

    /// That there is no such campaign, with those that there are.
    pub async fn no_campaign(&self, name: &str) -> Fault {
        let all = self.campaigns(&ListParams::default()).await;
        let known = all.into_iter().flat_map(|list| list.items).filter_map(|known| known.metadata.name);
        let known = known.take(MOST_NAMES).collect();
        Fault::NoCampaign { name: name.to_owned(), namespace: self.namespace.clone(), known }
    }

    /// The campaigns of the namespace.
    pub async fn campaigns(&self, wanted: &ListParams) -> Result<ObjectList<SoakCampaign>, Fault> {
        self.api::<SoakCampaign>().list(wanted).await.map_err(|error| self.fault(error))
    }

    /// Every object of a kind that these labels select, page by page.
    pub async fn all<K>(&self, api: &Api<K>, labels: &str) -> Result<Vec<K>, kube_client::Error>
    where
        K: Clone + DeserializeOwned + std::fmt::Debug,
    {
        let mut wanted = ListParams::default().labels(labels).limit(50);
        let mut found = Vec::new();
        loop {
            let page = api.list(&wanted).await?;
            found.extend(page.items);
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => wanted = wanted.continue_token(&token),
                None => return Ok(found),
            }
        }
    }

    /// The ConfigMaps of the namespace that these labels select.
    pub async fn maps(&self, labels: &str) -> Result<Vec<ConfigMap>, Fault> {
        self.all(&self.api::<ConfigMap>(), labels).await.map_err(|error| self.fault(error))
    }
}

async fn config(connection: &Connection) -> Result<Config, Fault> {
    let options = KubeConfigOptions { context: connection.context.clone(), ..KubeConfigOptions::default() };
    let asked = connection.kubeconfig.is_some() || connection.context.is_some();
    let read = match &connection.kubeconfig {
        Some(path) => match Kubeconfig::read_from(path) {
            Ok(kubeconfig) => Config::from_custom_kubeconfig(kubeconfig, &options).await,
            Err(error) => Err(error),
        },
        None => Config::from_kubeconfig(&options).await,
    };
    match read {
        Ok(config) => Ok(config),
        Err(error) if asked || std::env::var_os("KUBECONFIG").is_some() => Err(Fault::NoCluster(words(&error))),
        Err(error) => Config::incluster_env().map_err(|_| Fault::NoCluster(words(&error))),
    }
}

fn words(error: &KubeconfigError) -> String {
    match error {
        KubeconfigError::ReadConfig(source, path) => {
            format!("the kubeconfig {} cannot be read: {source}", path.display())
        }
        KubeconfigError::Parse(source) => format!("the kubeconfig is not valid: {source}"),
        KubeconfigError::CurrentContextNotSet => "the kubeconfig names no current context".to_owned(),
        KubeconfigError::LoadContext(name) => format!("the kubeconfig has no context {name}"),
        other => other.to_string(),
    }
}

/// A name as the API server takes it: a label of DNS.
fn label(text: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let ends = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if text.is_empty()
        || text.len() > 63
        || !text.chars().all(allowed)
        || !text.starts_with(ends)
        || !text.ends_with(ends)
    {
        return Err("must be 1 to 63 of a–z, 0–9 and -, with a letter or digit at both ends".to_owned());
    }
    Ok(text.to_owned())
}

/// A campaign's name as the API server takes it: labels of DNS with dots between them.
pub fn name(text: &str) -> Result<String, String> {
    if text.len() <= 253 && text.split('.').all(|part| label(part).is_ok()) {
        return Ok(text.to_owned());
    }
    Err("is no name of a campaign: at most 253 of a–z, 0–9, - and ., with a letter or digit at both ends".to_owned())
}
