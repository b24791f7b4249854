//! Starts the cluster, runs the tests that need one, and removes it whatever they said. With `KUBECONFIG` set the tests
//! run on the cluster that it names.

use std::{env, process::Command};

use super::{as_root, foreign, layout::Layout, ready, start, teardown};
use crate::{Fault, root};

const NODES: u8 = 2;

/// Runs them.
pub(super) fn run(layout: &Layout) -> Result<(), Fault> {
    if foreign(layout).is_some() {
        return tests(Command::new(env!("CARGO")));
    }
    if let Err(fault) = as_root() {
        return skipped(fault);
    }
    ready()?;
    start::up(layout, NODES)?;
    let mut command = Command::new(env!("CARGO"));
    let path = env::join_paths(
        [layout.programs()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    command.env("KUBECONFIG", layout.kubeconfig()).env("PATH", path.unwrap_or_default());
    let said = tests(command);
    teardown::down(layout)?;
    said
}

fn skipped(fault: Fault) -> Result<(), Fault> {
    if env::var_os("CI").is_some() {
        return Err(fault);
    }
    eprintln!("   skipped: {fault}");
    Ok(())
}

fn tests(mut command: Command) -> Result<(), Fault> {
    command.args(["test", "--package", "soak-e2e", "--locked"]).current_dir(root());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Fault::Failed(format!("the tests on the cluster ended with {status}"))),
        Err(error) => Err(Fault::Failed(format!("cargo cannot be run: {error}"))),
    }
}
