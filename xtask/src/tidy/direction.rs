//! Imports point one way, along the path of the data.

use super::{
    Finding,
    metadata::{Metadata, Use},
};

/// A room, and the rooms its product may use. Tests may use any room that is not at the end of the path.
const ROOMS: [(&str, &[&str]); 12] = [
    ("soak-crds", &[]),
    ("soak-sample", &[]),
    ("soak-campaign", &["soak-crds", "soak-sample"]),
    ("soak-driver", &["soak-sample"]),
    ("soak-witness", &["soak-sample"]),
    ("soak-arms", &[]),
    ("soak-local", &["soak-crds", "soak-campaign", "soak-sample", "soak-driver", "soak-witness"]),
    ("soak-operator", &["soak-crds", "soak-campaign", "soak-sample"]),
    (
        "soak-cli",
        &["soak-crds", "soak-campaign", "soak-sample", "soak-driver", "soak-witness", "soak-arms", "soak-local"],
    ),
    ("soak-kubectl", &["soak-crds", "soak-campaign", "soak-sample", "soak-local", "soak-operator", "soak-cli"]),
    ("soak-xtask", &["soak-crds"]),
    ("soak-e2e", &[]),
];

/// Rooms at the end of the path: no test uses them, nor any product but one that the table allows it.
const ENDS: [&str; 5] = ["soak-operator", "soak-cli", "soak-kubectl", "soak-xtask", "soak-e2e"];
/// Rooms that are built without Kubernetes, and without async where load is made or truth is read.
const WITHOUT: [(&str, &[&str]); 3] =
    [("soak-driver", KUBERNETES), ("soak-witness", KUBERNETES_AND_ASYNC), ("soak-arms", KUBERNETES)];
const KUBERNETES: &[&str] = &["kube", "kube-core", "kube-client", "kube-runtime", "k8s-openapi"];
const KUBERNETES_AND_ASYNC: &[&str] = &["kube", "kube-core", "kube-client", "kube-runtime", "k8s-openapi", "tokio"];
/// The command line types resources and applies none.
const NO_CLIENT: [&str; 2] = ["kube-client", "kube-runtime"];

/// What points the wrong way.
pub(super) fn findings(metadata: &Metadata) -> Vec<Finding> {
    let mut found = Vec::new();
    for member in metadata.members() {
        match ROOMS.iter().find(|(name, _)| *name == member.name) {
            Some((_, allowed)) => found.extend(wrong_way(metadata, member.name, allowed)),
            None => {
                found.push(Finding::new(member.name, "is in no line of the table of rooms (xtask, tidy/direction.rs)"));
            }
        }
    }
    for (name, without) in WITHOUT.into_iter().chain([("soak-cli", NO_CLIENT.as_slice())]) {
        let closure = metadata.closure(name);
        found.extend(without.iter().filter(|other| closure.contains(*other)).map(|other| {
            Finding::new(name, format!("is built with {other}, and must not be: see `cargo tree -p {name} -i {other}`"))
        }));
    }
    found
}

fn wrong_way(metadata: &Metadata, name: &str, allowed: &[&str]) -> Vec<Finding> {
    let ours = metadata.uses(name).into_iter().filter(|(_, used)| used.starts_with("soak-"));
    let wrong = ours.filter(|(kind, used)| !may_use(*kind, used, allowed));
    wrong.map(|(_, used)| Finding::new(name, format!("uses {used}: imports point one way, along the path"))).collect()
}

fn may_use(kind: Use, used: &str, allowed: &[&str]) -> bool {
    match kind {
        Use::Normal | Use::Build => allowed.contains(&used),
        Use::Test => !ENDS.contains(&used),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_uses_only_what_lies_before_it_and_a_test_anything_but_the_ends() {
        let check = |kind, used, expected| assert_eq!(may_use(kind, used, &["soak-sample"]), expected, "{used}");
        check(Use::Normal, "soak-sample", true);
        check(Use::Normal, "soak-local", false);
        check(Use::Build, "soak-local", false);
        check(Use::Test, "soak-local", true);
        check(Use::Test, "soak-cli", false);
    }

    #[test]
    fn the_table_has_no_circle() {
        for (at, (name, allowed)) in ROOMS.iter().enumerate() {
            let before: Vec<&str> = ROOMS[..at].iter().map(|(name, _)| *name).collect();
            assert!(allowed.iter().all(|used| before.contains(used)), "{name} uses what comes after it");
        }
    }
}
