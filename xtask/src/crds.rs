//! `cargo xtask crds`: writes the resource's definition, beside the types and into the chart; with `--check` only says whether the committed one differs.

use std::{fs, io, path::Path};

use crate::{Fault, root};

/// What is done with the definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// The committed file is written anew.
    Write,
    /// The committed file is compared.
    Check,
}

/// The committed files: the plain one, and the one that the chart installs.
const FILES: [&str; 2] = ["crds/soakcampaigns.yaml", "chart/crd/soakcampaigns.yaml"];

/// Writes or checks the committed files.
pub fn run(what: Definition) -> Result<(), Fault> {
    FILES.iter().try_for_each(|file| one(what, file))
}

fn one(what: Definition, file: &str) -> Result<(), Fault> {
    let path = root().join(file);
    match what {
        Definition::Write => fs::write(&path, soak_crds::definition_yaml()).map_err(|error| Fault::file(&path, error)),
        Definition::Check => check(&path, file),
    }
}

fn check(path: &Path, file: &str) -> Result<(), Fault> {
    let committed = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Fault::file(path, error)),
    };
    if committed == soak_crds::definition_yaml() {
        return Ok(());
    }
    Err(Fault::Failed(format!("{file} differs from the types: run `cargo xtask crds` and commit it")))
}
