//! `kubectl soak suspend|resume|cancel NAME`: edits the fields of the spec that stay open.

use std::io::{self, Write as _};

use kube_client::api::{Patch, PatchParams};
use serde_json::json;
use soak_cli::Exit;
use soak_crds::SoakCampaign;

use crate::{
    cluster::{self, Cluster},
    fault::Fault,
    line, print,
};

/// The one field manager.
pub const MANAGER: &str = "kubectl-soak";

/// Which campaign.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The campaign.
    #[arg(value_name = "NAME", value_parser = cluster::name)]
    name: String,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The step at hand ends, then it holds.
    Suspend,
    /// It goes on.
    Resume,
    /// It ends.
    Cancel,
}

impl Change {
    fn patch(self) -> serde_json::Value {
        match self {
            Self::Suspend => json!({"spec": {"suspend": true}}),
            Self::Resume => json!({"spec": {"suspend": false}}),
            Self::Cancel => json!({"spec": {"cancel": true}}),
        }
    }

    /// Whether the spec says so already.
    fn is_done(self, campaign: &SoakCampaign) -> bool {
        match self {
            Self::Suspend => campaign.spec.suspend,
            Self::Resume => !campaign.spec.suspend,
            Self::Cancel => campaign.spec.cancel,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Suspend => "suspended",
            Self::Resume => "resumed",
            Self::Cancel => "cancelled",
        }
    }
}

/// Edits the spec. Exit: usage where the campaign is over.
pub async fn run(cluster: &Cluster, args: &Args, change: Change) -> Result<Exit, Fault> {
    let campaign = cluster.campaign(&args.name).await?;
    let shown = format!("soakcampaign.soak.dev/{}", args.name);
    if change.is_done(&campaign) {
        print(&format!("{shown} {} (unchanged)\n", change.words()))?;
        return Ok(Exit::Completed);
    }
    if line::is_over(&campaign) {
        return Err(Fault::Usage(format!("{} is over: it cannot be {}", args.name, change.words())));
    }
    if change == Change::Resume && campaign.spec.cancel {
        return Err(Fault::Usage(format!("{} is cancelled: a campaign with a new name runs anew", args.name)));
    }
    let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
    let patched = cluster.api::<SoakCampaign>().patch(&args.name, &params, &Patch::Merge(change.patch())).await;
    patched.map_err(|error| cluster.fault(error))?;
    print(&format!("{shown} {}\n", change.words()))?;
    if change == Change::Suspend {
        let _ = writeln!(io::stderr(), "the step at hand ends first; kubectl soak watch {} tells", args.name);
    }
    Ok(Exit::Completed)
}
