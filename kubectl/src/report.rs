//! `kubectl soak report NAME`: the HTML report of a campaign, made from its ConfigMaps as `soak report` makes it from a
//! folder.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use soak_cli::Exit;

use crate::{
    cluster::{self, Cluster},
    fault::Fault,
    results::{self, find, write},
};

/// Makes the HTML report of a campaign.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The campaign; it may be deleted, its ConfigMaps are enough.
    #[arg(value_name = "NAME", value_parser = cluster::name)]
    name: String,
    /// Where the report goes; `-` is standard output. Default: soak-NAME.html in the current folder.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Which results, where several campaigns had this name: the value of the label soak.dev/campaign.
    #[arg(long, value_name = "LABEL")]
    base: Option<String>,
}

/// Makes it. Exit: as of `results`; usage where the file holds something else.
pub async fn run(cluster: &Cluster, args: &Args) -> Result<Exit, Fault> {
    let found = find(cluster, &args.name, args.base.as_deref()).await?;
    let assembled = results::of(cluster, &found).await?;
    let place = tempfile::tempdir().map_err(|source| Fault::Io { what: "a temporary folder".to_owned(), source })?;
    let copy = write(&place.path().join("copy"), &assembled)?;
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("soak-{}.html", args.name)));
    let text = copy.documents.report();
    if path == Path::new("-") {
        let printed = io::stdout().lock().write_all(text);
        printed.map_err(|source| Fault::Io { what: "standard output".to_owned(), source })?;
        return Ok(copy.exit());
    }
    let failed = |source| Fault::Io { what: path.display().to_string(), source };
    match fs::read(&path) {
        Ok(found) if found == text => {}
        Ok(_) => {
            let words =
                format!("{} holds something else; nothing is overwritten, name another with --out", path.display());
            return Err(Fault::Usage(words));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::write(&path, text).map_err(failed)?,
        Err(error) => return Err(failed(error)),
    }
    let _ = writeln!(io::stderr(), "report: {}", path.display());
    Ok(copy.exit())
}
