//! The workspace and everything it depends on, as `cargo metadata` tells it.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use serde_json::Value;

use crate::{Fault, root};

/// What `cargo metadata` tells.
#[derive(Debug, Clone)]
pub(super) struct Metadata(Value);

/// A crate of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member<'a> {
    pub name: &'a str,
    /// Its folder below the workspace's root.
    pub folder: &'a str,
}

/// How a crate uses another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Use {
    /// In the product.
    Normal,
    /// To build the product.
    Build,
    /// In tests.
    Test,
}

impl Metadata {
    /// Asks cargo, about Linux: nothing is built for another system.
    pub fn read() -> Result<Self, Fault> {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version=1", "--locked", "--filter-platform=x86_64-unknown-linux-gnu"])
            .current_dir(root())
            .output()
            .map_err(|error| Fault::Failed(format!("cargo metadata cannot be run: {error}")))?;
        if !output.status.success() {
            return Err(Fault::Failed(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim())));
        }
        let parsed = serde_json::from_slice(&output.stdout);
        parsed.map(Self).map_err(|error| Fault::Failed(format!("cargo metadata cannot be read: {error}")))
    }

    /// The crates of the workspace.
    pub fn members(&self) -> impl Iterator<Item = Member<'_>> {
        let root = self.0["workspace_root"].as_str().unwrap_or_default();
        self.packages().filter(|package| package["source"].is_null()).filter_map(move |package| {
            let manifest = package["manifest_path"].as_str()?.strip_prefix(root)?.trim_start_matches('/');
            Some(Member { name: package["name"].as_str()?, folder: manifest.strip_suffix("/Cargo.toml")? })
        })
    }

    /// What a member of the workspace names in its own manifest.
    pub fn uses(&self, member: &str) -> BTreeSet<(Use, &str)> {
        let package = self.packages().find(|package| package["name"] == member);
        let listed = package.and_then(|package| package["dependencies"].as_array());
        listed.into_iter().flatten().filter_map(|used| Some((kind(&used["kind"])?, used["name"].as_str()?))).collect()
    }

    /// Every crate that ends up in a member or in its build, tests apart.
    pub fn closure(&self, member: &str) -> BTreeSet<&str> {
        let nodes: BTreeMap<&str, &Value> =
            self.nodes().filter_map(|node| Some((node["id"].as_str()?, node))).collect();
        let names: BTreeMap<&str, &str> =
            self.packages().filter_map(|package| Some((package["id"].as_str()?, package["name"].as_str()?))).collect();
        let start = names.iter().find(|(_, name)| **name == member).map(|(id, _)| *id);
        let mut open: Vec<&str> = start.into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                let deps = nodes.get(id).and_then(|node| node["deps"].as_array());
                open.extend(
                    deps.into_iter().flatten().filter(|dep| is_product(dep)).filter_map(|dep| dep["pkg"].as_str()),
                );
            }
        }
        seen.into_iter().filter_map(|id| names.get(id).copied()).collect()
    }

    /// Every package of the lock file that is used on any platform.
    pub fn packages(&self) -> impl Iterator<Item = &Value> {
        self.0["packages"].as_array().into_iter().flatten()
    }

    fn nodes(&self) -> impl Iterator<Item = &Value> {
        self.0["resolve"]["nodes"].as_array().into_iter().flatten()
    }
}

fn kind(kind: &Value) -> Option<Use> {
    match kind.as_str() {
        None => Some(Use::Normal),
        Some("build") => Some(Use::Build),
        Some("dev") => Some(Use::Test),
        Some(_) => None,
    }
}

fn is_product(dep: &Value) -> bool {
    dep["dep_kinds"].as_array().into_iter().flatten().any(|used| used["kind"] != "dev")
}
