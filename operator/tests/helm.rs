//! The chart as Helm renders it: by digest, and refused where a value is not known or not of its type. `HELM` names the Helm.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::{
    env,
    process::{Command, Output},
};

const CHART: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../chart");

fn helm(arguments: &[&str]) -> Option<Output> {
    let Some(helm) = env::var_os("HELM") else {
        assert!(env::var_os("CI").is_none(), "HELM names no Helm");
        eprintln!("SKIPPED: HELM names no Helm");
        return None;
    };
    let mut command = Command::new(helm);
    Some(command.args(arguments).output().expect("helm can be run"))
}

fn render(more: &[&str]) -> Option<Output> {
    let digest = format!("sha256:{}", "0".repeat(64));
    let images =
        ["operator", "driver", "witness", "arm"].map(|name| format!("images.{name}.digest={digest}")).join(",");
    helm(&[&["template", "soak", CHART, "--kube-version=1.34", "--set", &images], more].concat())
}

#[test]
fn the_chart_renders_by_digest_and_refuses_what_it_does_not_know() {
    let Some(rendered) = render(&[]) else { return };
    let text = String::from_utf8(rendered.stdout).unwrap();
    assert!(rendered.status.success(), "{}", String::from_utf8_lossy(&rendered.stderr));
    assert!(text.contains("image: soak.dev/operator@sha256:000"), "{text}");
    assert!(text.contains("helm.sh/resource-policy: keep"));
    let refused = |more: &[&str], words: &str| {
        let said = render(more).unwrap();
        let error = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(!said.status.success() && error.contains(words), "{more:?}: {error}");
    };
    refused(&["--set", "replicas=2"], "replicas");
    refused(&["--set-string", "crds.install=false"], "boolean");
    refused(&["--set", "images.arm.digest=latest"], "digest");
    let without = helm(&["template", "soak", CHART, "--kube-version=1.34"]).unwrap();
    assert!(String::from_utf8_lossy(&without.stderr).contains("needs a digest or a tag"));
}
