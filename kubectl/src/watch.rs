//! `kubectl soak watch NAME`: a line at each change until the campaign is over; then what each arm gave.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use soak_cli::Exit;
use soak_crds::{SoakCampaign, Span, UnitError};
use tokio::time::{Instant, sleep};

use crate::{
    cluster::{self, Cluster},
    fault::Fault,
    line, print,
};

/// How often the campaign is looked at.
const LOOK: Duration = Duration::from_secs(2);
/// How long the API server may stay away before the watch is given up.
const AWAY: Duration = Duration::from_secs(60);

/// Prints how a campaign goes until it is over, and ends as it does.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The campaign.
    #[arg(value_name = "NAME", value_parser = cluster::name)]
    name: String,
    /// How long at most, such as 90m. Default: until it is over.
    #[arg(long, value_name = "DURATION", value_parser = span)]
    timeout: Option<Duration>,
}

fn span(text: &str) -> Result<Duration, String> {
    let span: Span = text.parse().map_err(|error: UnitError| error.to_string())?;
    Ok(Duration::from_millis(span.millis().unsigned_abs()))
}

/// Watches it. Exit: as the campaign ended.
pub async fn run(cluster: &Cluster, args: &Args) -> Result<Exit, Fault> {
    let begun = Instant::now();
    let mut campaign = cluster.campaign(&args.name).await?;
    let mut said = String::new();
    loop {
        let words = line::progress(&campaign);
        if words != said {
            print(&format!("{}  {words}\n", clock(Timestamp::now())))?;
            said = words;
        }
        if line::is_over(&campaign) {
            return ended(&campaign);
        }
        if line::is_refused(&campaign) {
            return Ok(Exit::Usage);
        }
        if let Some(limit) = args.timeout.filter(|limit| begun.elapsed() >= *limit) {
            return Err(Fault::TimeOut(format!("{} is not over within {limit:?}", args.name)));
        }
        let left = args.timeout.map(|limit| limit.saturating_sub(begun.elapsed()));
        sleep(left.map_or(LOOK, |left| LOOK.min(left))).await;
        campaign = look(cluster, &args.name).await?;
    }
}

/// Looks at it; an API server that is away for a moment is waited for.
async fn look(cluster: &Cluster, name: &str) -> Result<SoakCampaign, Fault> {
    let since = Instant::now();
    loop {
        match cluster.campaign_if_any(name).await {
            Ok(Some(campaign)) => return Ok(campaign),
            Ok(None) => {
                return Err(Fault::NoResults(format!(
                    "{name} was deleted; what it has measured stays: kubectl soak results {name}"
                )));
            }
            Err(fault @ Fault::Unreachable { .. }) if since.elapsed() >= AWAY => return Err(fault),
            Err(Fault::Unreachable { .. }) => sleep(LOOK).await,
            Err(fault) => return Err(fault),
        }
    }
}

fn ended(campaign: &SoakCampaign) -> Result<Exit, Fault> {
    let status = campaign.status.clone().unwrap_or_default();
    print(&line::arms(&status).iter().flat_map(|arm| [arm.as_str(), "\n"]).collect::<String>())?;
    let name = campaign.metadata.name.as_deref().unwrap_or_default();
    print(&format!("results: kubectl soak results {name}\n"))?;
    Ok(line::exit(campaign))
}

/// The time of day, UTC.
fn clock(now: Timestamp) -> String {
    let text = now.to_string();
    text.get(11..19).unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_written_as_in_a_campaign() {
        assert_eq!(span("90m"), Ok(Duration::from_secs(5400)));
        assert!(span("soon").is_err());
    }

    #[test]
    fn a_line_begins_with_the_time_of_day() {
        assert_eq!(clock(Timestamp::UNIX_EPOCH), "00:00:00");
    }
}
