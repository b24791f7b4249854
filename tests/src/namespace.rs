//! A namespace of a test's own, removed with everything in it when the test ends, however it ends.

use std::{process, time::Duration};

use crate::{Cluster, until};

const LIMIT: Duration = Duration::from_secs(30);

/// A namespace that lives as long as this.
#[derive(Debug)]
pub struct Namespace {
    cluster: Cluster,
    name: String,
}

impl Namespace {
    /// Makes one; `what` becomes part of its name.
    pub fn new(cluster: &Cluster, what: &str) -> Self {
        let name = format!("soak-e2e-{what}-{}", process::id());
        cluster.kubectl(&["create", "namespace", &name]).unwrap();
        let made = Self { cluster: cluster.clone(), name };
        // A pod is refused before its namespace has this.
        until("the default service account", LIMIT, || {
            cluster.kubectl(&["get", "serviceaccount", "default", "--namespace", &made.name]).ok()
        });
        made
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        if let Err(words) = self.cluster.kubectl(&["delete", "namespace", &self.name, "--wait=false"]) {
            eprintln!("namespace {} is left behind: {words}", self.name);
        }
    }
}
