//! `cargo xtask publish`: images and chart of this version to a registry. In: what was made of the sources, and what the
//! registry has. Out: pushed artifacts. A version that is there is never replaced: unless it has the very same bytes,
//! nothing at all is pushed.

mod chart;
mod registry;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    Fault,
    images::{self, archive::Archive},
    packages, root,
};
use registry::Registry;

/// Where to.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The registry and the path in it that names begin with, as in `registry.example.com/soak`.
    registry: String,
    /// The registry speaks plain HTTP.
    #[arg(long)]
    plain_http: bool,
    /// Takes the programs from this folder instead of building them: for trying.
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
}

/// What is published under one name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Artifact {
    /// Its path in the registry.
    name: String,
    archive: Archive,
}

/// Publishes what the workspace makes.
pub fn run(args: &Args) -> Result<(), Fault> {
    let registry = Registry { path: args.registry.trim_end_matches('/').to_owned(), plain_http: args.plain_http };
    let made = images::archives(args.from.as_deref())?;
    publish(&registry, env!("CARGO_PKG_VERSION"), made, &root().join("chart"))?
        .iter()
        .for_each(|line| println!("{line}"));
    Ok(())
}

/// Publishes images and the chart that names them by digest; a line for each artifact.
fn publish(
    registry: &Registry,
    version: &str,
    images: Vec<(&'static str, Archive)>,
    chart: &Path,
) -> Result<Vec<String>, Fault> {
    packages::for_publishing()?;
    let digests: Vec<(&str, &str)> = images.iter().map(|(name, archive)| (*name, archive.digest.as_str())).collect();
    let chart = chart::package(chart, version, &registry.path, &digests)?;
    let images = images.into_iter().map(|(name, archive)| Artifact { name: name.to_owned(), archive });
    // The chart goes last: what it names is there before it.
    let all: Vec<Artifact> = images.chain([Artifact { name: chart::NAME.to_owned(), archive: chart }]).collect();
    let found: Vec<Option<String>> =
        all.iter().map(|artifact| registry.digest(&artifact.name, version)).collect::<Result<_, _>>()?;
    let mut lines = Vec::new();
    for (artifact, is_there) in all.iter().zip(compare(&all, &found, version)?) {
        let Artifact { name, archive } = artifact;
        if !is_there {
            registry.push(name, version, &written(artifact)?)?;
        }
        let word = if is_there { "is there already" } else { "pushed" };
        lines.push(format!("{}/{name}:{version} {} {word}", registry.path, archive.digest));
    }
    Ok(lines)
}

/// Whether each is there already; a fault that names every one that is there with other bytes.
fn compare(all: &[Artifact], found: &[Option<String>], version: &str) -> Result<Vec<bool>, Fault> {
    let differs = |(artifact, found): (&Artifact, &Option<String>)| {
        let found = found.as_ref().filter(|found| **found != artifact.archive.digest)?;
        Some(format!("{} is published as {found} and would be {}", artifact.name, artifact.archive.digest))
    };
    let differing: Vec<String> = all.iter().zip(found).filter_map(differs).collect();
    if differing.is_empty() {
        return Ok(found.iter().map(Option::is_some).collect());
    }
    let differing = differing.join("; ");
    Err(Fault::Failed(format!("version {version} differs from what is published: {differing}. Nothing was pushed")))
}

fn written(artifact: &Artifact) -> Result<PathBuf, Fault> {
    let folder = images::target().join("published");
    fs::create_dir_all(&folder).map_err(|error| Fault::file(&folder, error))?;
    let file = folder.join(format!("{}.tar", artifact.name.replace('/', "-")));
    fs::write(&file, &artifact.archive.bytes).map_err(|error| Fault::file(&file, error))?;
    Ok(file)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
