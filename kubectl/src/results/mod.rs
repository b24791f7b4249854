//! `kubectl soak results NAME`: the campaign's ConfigMaps as the folder that `soak run` writes, proven as it is copied. Its
//! documents are made from the ledger by the same function, so that `soak verify`, `judge`, `report` and `withdraw` take it.

mod assemble;
mod find;
mod index;
mod write;

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use clap::ValueEnum;
use soak_cli::{Exit, documents::Documents};

pub use assemble::{Assembled, assemble};
pub use find::{Found, find};
pub use write::{CopiedFolder, write};

use crate::{cluster, cluster::Cluster, fault::Fault};

/// Copies a campaign's results into the folder that `soak run` writes, and proves them.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The campaign; it may be deleted, its ConfigMaps are enough.
    #[arg(value_name = "NAME", value_parser = cluster::name)]
    name: String,
    /// The folder; it must not exist, be empty, or hold an earlier copy of the same results. Default: soak-NAME in the
    /// current folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Which results, where several campaigns had this name: the value of the label soak.dev/campaign.
    #[arg(long, value_name = "LABEL")]
    base: Option<String>,
    /// What is printed.
    #[arg(long, short, value_enum, default_value_t = Output::Text)]
    output: Output,
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// The tables.
    Text,
    /// The summary as JSON.
    Json,
    /// The summary as YAML.
    Yaml,
}

/// Copies, proves and prints. Exit: as the campaign ended; incomplete where it has not, or anything is missing.
pub async fn run(cluster: &Cluster, args: &Args) -> Result<Exit, Fault> {
    let found = find(cluster, &args.name, args.base.as_deref()).await?;
    let assembled = of(cluster, &found).await?;
    let root = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("soak-{}", args.name)));
    let copy = write(&root, &assembled)?;
    print(&copy.documents, args.output).map_err(|source| Fault::Io { what: "standard output".to_owned(), source })?;
    let mut said = copy.words(&root);
    said.extend(found.not_recorded(&assembled.withdrawals));
    for line in said {
        let _ = writeln!(io::stderr(), "{line}");
    }
    Ok(copy.exit())
}

/// The results that were found, assembled.
pub async fn of(cluster: &Cluster, found: &Found) -> Result<Assembled, Fault> {
    let label = found.base.label();
    let maps = cluster.maps(&format!("{}={label}", soak_operator::names::CAMPAIGN)).await?;
    assemble(&cluster.namespace, label, &maps)
}

fn print(documents: &Documents, output: Output) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match output {
        Output::Text => out.write_all(documents.tables.as_bytes()),
        Output::Json => writeln!(out, "{}", serde_json::to_string_pretty(&documents.status)?),
        Output::Yaml => {
            write!(out, "{}", serde_saphyr::to_string(&documents.status).map_err(io::Error::other)?)
        }
    }
}
