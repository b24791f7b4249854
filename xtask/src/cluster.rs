//! `cargo xtask cluster`: a real Kubernetes on this machine, for the tests. Its control plane and each of its nodes is a
//! cell with process ids, mounts and a network of its own; pods run on real kubelets, containerd and runc.
//! With `KUBECONFIG` set the tests use the cluster that it names, and nothing here is started.

mod build;
mod cell;
mod cgroup;
mod control_plane;
mod keys;
mod layout;
mod load;
mod network;
mod node;
mod start;
mod status;
mod teardown;
mod test;
mod wait;

use std::{env, fs, path::PathBuf};

use crate::{Fault, packages};
use build::Binaries;
use layout::{Layout, MOST_NODES};

/// What is done with the cluster.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Starts it; what an earlier one left is removed first.
    Up {
        /// How many nodes.
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=i64::from(MOST_NODES)))]
        nodes: u8,
    },
    /// Removes it, and says what is left if anything is.
    Down,
    /// Brings image archives to every node.
    Load {
        /// OCI archives.
        #[arg(required = true)]
        archives: Vec<PathBuf>,
    },
    /// Says what runs.
    Status,
    /// Starts it, runs the tests that need it, and removes it.
    Test,
    /// A stage of starting a cell.
    #[command(hide = true, subcommand)]
    Cell(cell::Stage),
}

/// Does it.
pub fn run(action: &Action) -> Result<(), Fault> {
    let layout = Layout::here();
    match action {
        Action::Cell(stage) => cell::run(stage),
        Action::Test => test::run(&layout),
        Action::Status => status::print(&layout),
        Action::Up { .. } | Action::Down | Action::Load { .. } if foreign(&layout).is_some() => {
            let path = foreign(&layout).unwrap_or_default();
            eprintln!("KUBECONFIG names a cluster of your own ({}): nothing is done", path.display());
            Ok(())
        }
        Action::Up { nodes } => {
            start::up(&layout, *nodes, &ready()?)?;
            status::print(&layout)
        }
        Action::Down => {
            as_root()?;
            teardown::down(&layout)
        }
        Action::Load { archives } => {
            as_root()?;
            for archive in archives {
                let archive = fs::canonicalize(archive).map_err(|error| Fault::file(archive, error))?;
                load::load(&layout, &archive)?.iter().for_each(|name| println!("{name}"));
            }
            Ok(())
        }
    }
}

/// The configuration of a cluster of the user's own.
fn foreign(layout: &Layout) -> Option<PathBuf> {
    let set = env::var_os("KUBECONFIG").filter(|value| !value.is_empty()).map(PathBuf::from)?;
    (set != layout.kubeconfig()).then_some(set)
}

fn as_root() -> Result<(), Fault> {
    if rustix::process::geteuid().is_root() {
        return Ok(());
    }
    Err(Fault::Failed("the test cluster needs root: it makes namespaces, control groups and mounts".to_owned()))
}

/// Everything that a cluster needs of this machine; a fault where it cannot be had.
fn ready() -> Result<Binaries, Fault> {
    as_root()?;
    packages::for_cluster()?;
    Binaries::ready()
}
