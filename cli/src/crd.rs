//! `soak crd`: prints the definition of the resource, for `kubectl apply -f -`.

use std::io::{self, Write as _};

use crate::Exit;

/// Prints the custom resource definition as YAML.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {}

/// Prints the definition.
pub fn run(Args {}: &Args) -> Exit {
    let written = io::stdout().lock().write_all(soak_crds::definition_yaml().as_bytes());
    written.map_or(Exit::Internal, |()| Exit::Completed)
}
