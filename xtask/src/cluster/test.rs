//! Starts the cluster, brings it the images, runs the tests that need one, and removes it whatever they said. With
//! `KUBECONFIG` set the tests run on the cluster that it names, which has afterwards what it had before.

use std::{env, ffi::OsString, process::Command};

use super::{
    build::{self, Binaries},
    control_plane, foreign,
    layout::{self, Layout},
    load, ready, start, teardown,
};
use crate::{
    Fault,
    images::{self, Images},
    program, root,
};

const NODES: u8 = 2;
const DEFINITION: &str = "soakcampaigns.soak.dev";
/// What is run, and with which Helm where it is ours.
const SUITES: [(&[&str], &str); 2] =
    [(&["--test", "cluster", "--test", "helm", "--test", "registry"], "helm3"), (&["--test", "helm"], "helm4")];

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
    let said = start::up(layout, NODES, &binaries).and_then(|()| on_ours(layout, &binaries, &images));
    teardown::down(layout)?;
    said
}

fn on_ours(layout: &Layout, binaries: &Binaries, images: &Images) -> Result<(), Fault> {
    for archive in &images.archives {
        load::load(layout, archive)?;
    }
    let paths = env::var_os("PATH").unwrap_or_default();
    let paths = env::join_paths([layout.programs()].into_iter().chain(env::split_paths(&paths)));
    let argocd = binaries.folder("argocd").map(|folder| folder.join("argocd")).unwrap_or_default();
    let ours = [
        ("SOAK_ARGOCD", argocd.into()),
        ("SOAK_ARGOCD_CRDS", build::source("argocd", "github.com/argoproj/argo-cd/v3")?.join("manifests/crds").into()),
        ("KUBECONFIG", layout.kubeconfig().into()),
        ("PATH", paths.unwrap_or_default()),
        ("SOAK_IMAGES", images.values.clone().into()),
        ("SOAK_REGISTRY", format!("{}:{}", layout::CONTROL_PLANE, control_plane::REGISTRY_PORT).into()),
    ];
    SUITES.iter().try_for_each(|(suite, helm)| tests(suite, &[&ours[..], &[("HELM", helm.into())]].concat()))
}

/// The definition goes again where it was not there before.
fn on_foreign() -> Result<(), Fault> {
    let had = program::run("kubectl", &["get", "customresourcedefinition", DEFINITION]).is_ok();
    let said = tests(SUITES[0].0, &[]);
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

fn tests(suite: &[&str], with: &[(&str, OsString)]) -> Result<(), Fault> {
    let mut command = Command::new(env!("CARGO"));
    // The whole workspace, so that crates are the same as in the tests without a cluster and are not compiled again.
    command.args(["test", "--workspace", "--locked"]).args(suite).envs(with.iter().cloned()).current_dir(root());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Fault::Failed(format!("the tests on the cluster ended with {status}"))),
        Err(error) => Err(Fault::Failed(format!("cargo cannot be run: {error}"))),
    }
}
