//! `cargo xtask`: the project's own chores. One file a command; a command returns a fault or nothing.

mod cluster;
mod crds;
mod docs;
mod gate;
mod generated;
mod images;
mod packages;
mod program;
mod publish;
mod tidy;

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, Subcommand};
use generated::Committed;

/// The project's own chores.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// A real Kubernetes on this machine, for the tests.
    #[command(subcommand)]
    Cluster(cluster::Action),
    /// Writes the resource's definition from the types.
    Crds {
        /// Only compares, and fails where it differs.
        #[arg(long)]
        check: bool,
    },
    /// Writes the pages of docs/ that are made from the types.
    Docs {
        /// Only compares, and fails where one differs.
        #[arg(long)]
        check: bool,
    },
    /// Makes a container image of each program that runs in a pod.
    Images(images::Args),
    /// Pushes images and chart of this version to a registry; refuses to replace what is there.
    Publish(publish::Args),
    /// Checks what the compiler does not: import direction, purity, sizes, headers, licences.
    Tidy,
    /// Runs everything that must hold before a change is taken.
    Test,
}

/// Why a chore failed.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A file could not be read or written.
    #[error("{path}: {error}", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A check failed.
    #[error("{0}")]
    Failed(String),
}

impl Fault {
    fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }
}

/// Runs the chore that the process's arguments name.
pub fn main() -> ExitCode {
    match dispatch(&Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("xtask: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: &Command) -> Result<(), Fault> {
    match command {
        Command::Cluster(action) => cluster::run(action),
        Command::Crds { check } => crds::run(generated(*check)),
        Command::Docs { check } => docs::run(generated(*check)),
        Command::Images(args) => images::run(args),
        Command::Publish(args) => publish::run(args),
        Command::Tidy => tidy::run(),
        Command::Test => gate::run(),
    }
}

fn generated(check: bool) -> Committed {
    if check { Committed::Check } else { Committed::Write }
}

/// The workspace's root folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}
