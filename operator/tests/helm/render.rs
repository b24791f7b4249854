//! Runs the Helm that is named, and reads what it renders.

use std::{env, process::Command};

use serde_json::Value;

pub const CHART: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../chart");

/// The Helm that `HELM` names.
pub struct Helm(std::ffi::OsString);

impl Helm {
    /// `None`, with words, where none is named. With `CI` set that fails the test.
    pub fn named() -> Option<Self> {
        let named = env::var_os("HELM").map(Self);
        if named.is_none() {
            assert!(env::var_os("CI").is_none(), "HELM names no Helm");
            eprintln!("SKIPPED: HELM names no Helm");
        }
        named
    }

    /// Runs it; its standard output, or its standard error.
    pub fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new(&self.0).args(arguments).output().expect("helm can be run");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// The chart's text with digests and these flags, as release `soak` of the namespace `home`.
    pub fn text(&self, more: &[&str]) -> Result<String, String> {
        let digest = format!("sha256:{}", "0".repeat(64));
        let images =
            ["operator", "driver", "witness", "arm"].map(|name| format!("images.{name}.digest={digest}")).join(",");
        let all = ["template", "soak", CHART, "--namespace=home", "--kube-version=1.34", "--set", &images];
        self.run(&[&all, more].concat())
    }

    /// The chart's objects with digests and these flags.
    pub fn objects(&self, more: &[&str]) -> Vec<Value> {
        let text = self.text(more).unwrap();
        serde_saphyr::from_multiple::<Value>(&text).unwrap().into_iter().filter(|object| !object.is_null()).collect()
    }
}

/// Those of a kind.
pub fn of_kind<'a>(objects: &'a [Value], kind: &str) -> Vec<&'a Value> {
    objects.iter().filter(|object| object["kind"] == kind).collect()
}

/// The one of this kind and name.
#[track_caller]
pub fn named<'a>(objects: &'a [Value], kind: &str, name: &str) -> &'a Value {
    let mut found = objects.iter().filter(|object| object["kind"] == kind && object["metadata"]["name"] == name);
    found.next().unwrap_or_else(|| panic!("there is no {kind} {name}"))
}
