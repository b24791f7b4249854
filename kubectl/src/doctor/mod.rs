//! `kubectl soak doctor [NAME]`: looks at everything that a campaign needs, and at what one waits for; says each by name.
//! What may not be seen is unknown, never fine.

mod campaign;
mod check;
mod definition;
mod events;
mod nodes;
mod operator;
mod rights;

use std::io::{self, IsTerminal as _};

use clap::ValueEnum;
use k8s_openapi::api::core::v1::Pod;
use kube_client::{Api, api::ListParams};
use soak_cli::Exit;
use soak_crds::SoakCampaign;

use check::{Check, State};

use crate::{
    cluster::{self, Cluster},
    fault::Fault,
    print,
};

/// Says what keeps campaigns from going: definition, operator, rights, nodes; and of a campaign its pods and Events.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The campaign.
    #[arg(value_name = "NAME", value_parser = cluster::name)]
    name: Option<String>,
    /// How the checks are printed. Default: a line each.
    #[arg(long, short, value_enum)]
    output: Option<Output>,
}

/// How the checks are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// As JSON.
    Json,
    /// As YAML.
    Yaml,
}

/// Looks at everything. Exit: an error where a check failed.
pub async fn run(cluster: &Cluster, args: &Args) -> Result<Exit, Fault> {
    let mut checks = vec![server(cluster).await?, definition::check(cluster).await?];
    let served = checks.iter().all(|check| check.state != State::Failed);
    let campaign = match &args.name {
        Some(name) if served => Some(cluster.campaign(name).await?),
        Some(_) | None => None,
    };
    checks.push(operator::check(cluster).await?);
    checks.extend(rights::check(cluster).await?);
    checks.push(nodes::check(cluster, campaign.as_ref()).await?);
    if let Some(campaign) = &campaign {
        checks.extend(of_campaign(cluster, campaign).await?);
    }
    let failed = |error: String| Fault::Document(error);
    let text = match args.output {
        None => check::text(&checks, io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()),
        Some(Output::Json) => serde_json::to_string_pretty(&checks).map_err(|error| failed(error.to_string()))? + "\n",
        Some(Output::Yaml) => serde_saphyr::to_string(&checks).map_err(|error| failed(error.to_string()))?,
    };
    print(&text)?;
    Ok(check::exit(&checks))
}

/// The API server: that it answers, and its version.
async fn server(cluster: &Cluster) -> Result<Check, Fault> {
    let version = cluster.client.apiserver_version().await.map_err(|error| cluster.fault(error))?;
    let words = format!("{} at {}", version.git_version, cluster.server);
    let number = |text: &str| text.trim_end_matches('+').parse::<u32>().ok();
    let old = number(&version.major).zip(number(&version.minor)).is_some_and(|found| found < OLDEST);
    Ok(if old {
        Check::new("api server", State::Failed, format!("{words}: {}.{} or later is needed", OLDEST.0, OLDEST.1))
    } else {
        Check::new("api server", State::Ok, words)
    })
}

/// The oldest Kubernetes.
const OLDEST: (u32, u32) = (1, 30);

async fn of_campaign(cluster: &Cluster, campaign: &SoakCampaign) -> Result<Vec<Check>, Fault> {
    let mut checks = vec![campaign::state(campaign)];
    let label = soak_operator::base(campaign);
    let wanted = ListParams::default().labels(&format!("{}={}", soak_operator::names::CAMPAIGN, label.label()));
    let pods: Api<Pod> = cluster.api();
    let pods = match seen(cluster, pods.list(&wanted).await)? {
        Ok(list) => list.items,
        Err(words) => {
            checks.push(Check::new("pods", State::Unknown, words));
            return Ok(checks);
        }
    };
    checks.extend(campaign::pods(campaign, &pods));
    checks.extend(events::check(cluster, campaign, &pods).await?);
    Ok(checks)
}

/// What was read, or the API server's words where it may not be read; everything else ends the command.
fn seen<T>(cluster: &Cluster, read: Result<T, kube_client::Error>) -> Result<Result<T, String>, Fault> {
    match read {
        Ok(found) => Ok(Ok(found)),
        Err(error) => match cluster.fault(error) {
            Fault::Forbidden { words } | Fault::Refused { words } => Ok(Err(words)),
            fault => Err(fault),
        },
    }
}
