//! `cargo xtask crds`: writes the resource's definition; with `--check` only says whether the committed one differs.

use std::{fs, io, path::PathBuf};

use crate::{Fault, root};

/// What is done with the definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// The committed file is written anew.
    Write,
    /// The committed file is compared.
    Check,
}

/// Writes or checks `crds/soakcampaigns.yaml`.
pub fn run(what: Definition) -> Result<(), Fault> {
    let path = path();
    match what {
        Definition::Write => fs::write(&path, soak_crds::definition_yaml()).map_err(|error| Fault::file(&path, error)),
        Definition::Check => check(&path),
    }
}

fn check(path: &PathBuf) -> Result<(), Fault> {
    let committed = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Fault::file(path, error)),
    };
    if committed == soak_crds::definition_yaml() {
        return Ok(());
    }
    Err(Fault::Failed(
        "crds/soakcampaigns.yaml differs from the types: run `cargo xtask crds` and commit it".to_owned(),
    ))
}

fn path() -> PathBuf {
    root().join("crds/soakcampaigns.yaml")
}
