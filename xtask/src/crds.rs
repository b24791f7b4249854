//! `cargo xtask crds`: writes the resource's definition, beside the types and into the chart; with `--check` only says whether the committed one differs.

use crate::{Fault, generated::Committed};

/// The committed files: the plain one, and the one that the chart installs.
const FILES: [&str; 2] = ["crds/soakcampaigns.yaml", "chart/crd/soakcampaigns.yaml"];

/// Writes or checks the committed files.
pub fn run(what: Committed) -> Result<(), Fault> {
    FILES.iter().try_for_each(|file| what.file(file, &soak_crds::definition_yaml(), "crds"))
}
