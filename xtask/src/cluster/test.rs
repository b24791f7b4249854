//! Starts the cluster, brings it the images, runs the tests that need one, and removes it whatever they said. With
//! `KUBECONFIG` set the tests run on the cluster that it names, which has afterwards what it had before.

use std::{env, process::Command};

use super::{foreign, layout::Layout, load, ready, start, teardown};
use crate::{
    Fault,
    images::{self, Images},
    program, root,
};

const NODES: u8 = 2;
const DEFINITION: &str = "soakcampaigns.soak.dev";

/// Runs them.
pub(super) fn run(layout: &Layout) -> Result<(), Fault> {
    if foreign(layout).is_some() {
        return on_foreign();
    }
    let binaries = match ready() {
        Ok(binaries) => binaries,
        Err(fault) => return skipped(fault),
    };
    let images = images::make()?;
    let said = start::up(layout, NODES, &binaries).and_then(|()| on_ours(layout, &images));
    teardown::down(layout)?;
    said
}

fn on_ours(layout: &Layout, images: &Images) -> Result<(), Fault> {
    for archive in &images.archives {
        load::load(layout, archive)?;
    }
    let paths = env::var_os("PATH").unwrap_or_default();
    let paths = env::join_paths([layout.programs()].into_iter().chain(env::split_paths(&paths)));
    let mut command = Command::new(env!("CARGO"));
    command.env("KUBECONFIG", layout.kubeconfig()).env("PATH", paths.unwrap_or_default());
    tests(command.env("SOAK_IMAGES", &images.values))
}

/// The definition goes again where it was not there before.
fn on_foreign() -> Result<(), Fault> {
    let had = program::run("kubectl", &["get", "customresourcedefinition", DEFINITION]).is_ok();
    let said = tests(&mut Command::new(env!("CARGO")));
    if !had {
        program::run("kubectl", &["delete", "customresourcedefinition", DEFINITION, "--ignore-not-found"])?;
    }
    said
}

fn skipped(fault: Fault) -> Result<(), Fault> {
    if env::var_os("CI").is_some() {
        return Err(fault);
    }
    eprintln!("   skipped: {fault}");
    Ok(())
}

fn tests(command: &mut Command) -> Result<(), Fault> {
    command.args(["test", "--package", "soak-e2e", "--test", "*", "--locked"]).current_dir(root());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Fault::Failed(format!("the tests on the cluster ended with {status}"))),
        Err(error) => Err(Fault::Failed(format!("cargo cannot be run: {error}"))),
    }
}
