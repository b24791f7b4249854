//! `cargo xtask`: the project's own chores. One file a command; a command returns a fault or nothing.

mod cluster;
mod crds;
mod gate;
mod images;
mod packages;
mod program;
mod tidy;

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

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
    /// Makes a container image of each program that runs in a pod.
    Images(images::Args),
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
        Command::Crds { check: false } => crds::run(crds::Definition::Write),
        Command::Crds { check: true } => crds::run(crds::Definition::Check),
        Command::Images(args) => images::run(args),
        Command::Tidy => tidy::run(),
        Command::Test => gate::run(),
    }
}

/// The workspace's root folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}
