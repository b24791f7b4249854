//! `cargo xtask publish` beside a real registry. Wanted: `SOAK_REGISTRY`, one that speaks plain HTTP and takes pushes, and a Helm.
//! `cargo test -p soak-xtask --test registry`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::{
    env, fs,
    path::Path,
    process::{self, Command, Output},
};

const XTASK: &str = env!("CARGO_BIN_EXE_soak-xtask");
const PROGRAMS: [&str; 4] = ["soak-operator", "soak-driver", "soak-witness", "soak-arm"];
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Publishes what is in a folder.
fn publish(registry: &str, programs: &Path) -> Output {
    Command::new(XTASK).args(["publish", registry, "--plain-http", "--from"]).arg(programs).output().unwrap()
}

/// The manifest that the registry has of an artifact.
fn manifest(registry: &str, name: &str) -> String {
    let reference = format!("docker://{registry}/{name}:{VERSION}");
    let output = Command::new("skopeo").args(["inspect", "--raw", "--tls-verify=false", &reference]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn all(registry: &str) -> Vec<String> {
    ["operator", "driver", "witness", "arm", "charts/soak"].iter().map(|name| manifest(registry, name)).collect()
}

#[test]
fn a_version_is_published_once_again_only_with_the_same_bytes_and_never_in_part() {
    let Ok(registry) = env::var("SOAK_REGISTRY") else {
        assert!(env::var_os("CI").is_none(), "SOAK_REGISTRY names no registry");
        eprintln!("SKIPPED: SOAK_REGISTRY names no registry");
        return;
    };
    let registry = format!("{registry}/published-{}", process::id());
    let folder = tempfile::tempdir().unwrap();
    for name in PROGRAMS {
        fs::copy(XTASK, folder.path().join(name)).unwrap();
    }

    let first = publish(&registry, folder.path());
    let said = String::from_utf8_lossy(&first.stdout);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert_eq!(said.lines().filter(|line| line.ends_with(" pushed")).count(), 5, "{said}");
    let there = all(&registry);

    let again = publish(&registry, folder.path());
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(said.lines().filter(|line| line.ends_with(" is there already")).count(), 5, "{said}");

    let mut other = fs::read(XTASK).unwrap();
    other.push(0);
    fs::write(folder.path().join("soak-arm"), other).unwrap();
    let refused = publish(&registry, folder.path());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success());
    assert!(said.contains("arm is published as sha256:") && said.contains("charts/soak is published as"), "{said}");
    assert!(!said.contains("driver is published"), "{said}");
    assert_eq!(all(&registry), there);
    is_rendered(&registry, &folder.path().join("pulled"));
}

/// Helm pulls the chart, and what it renders names the images that were pushed with it.
fn is_rendered(registry: &str, folder: &Path) {
    let helm = env::var("HELM").unwrap_or_else(|_| "helm".to_owned());
    let chart = format!("oci://{registry}/charts/soak");
    let template = ["template", "soak", &chart, "--version", VERSION, "--plain-http", "--kube-version=1.34.0"];
    let output = Command::new(&helm).args(template).env("HELM_CACHE_HOME", folder).output().unwrap();
    let rendered = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for name in ["operator", "driver", "witness", "arm"] {
        assert!(rendered.contains(&format!("{registry}/{name}@sha256:")), "{name}: {rendered}");
    }
}
