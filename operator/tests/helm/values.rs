//! What values do, and which are refused.

use serde_json::Value;

use crate::render::{CHART, Helm, named, of_kind};

#[test]
fn the_chart_renders_by_digest_and_refuses_what_it_does_not_know() {
    let Some(helm) = Helm::named() else { return };
    let text = helm.text(&[]).unwrap();
    assert!(text.contains("image: soak.dev/operator@sha256:000"), "{text}");
    let refused = |more: &[&str], words: &str| {
        let error = helm.text(more).unwrap_err();
        assert!(error.contains(words), "{more:?}: {error}");
    };
    refused(&["--set", "replica=2"], "replica");
    refused(&["--set", "networkPolicy.on=true"], "'on' not allowed");
    refused(&["--set", "images.arm.digest=latest"], "digest");
    refused(&["--set", "replicas=-1"], "replicas");
    refused(&["--set", "networkPolicy.apiServer.ports={0}"], "ports");
    refused(&["--set", "clusterWide=true,namespaces={a}"], "exclude each other");
    for boolean in ["crds.install", "rbac.create", "rbac.aggregate", "clusterWide", "networkPolicy.enabled"] {
        refused(&["--set-string", &format!("{boolean}=false")], "boolean");
    }
    refused(&["--set-string", "replicas=2"], "integer");
    let without = helm.run(&["template", "soak", CHART, "--kube-version=1.34"]).unwrap_err();
    assert!(without.contains("needs a digest or a tag"), "{without}");
}

#[test]
fn helm_finds_nothing_to_say_about_the_chart() {
    let Some(helm) = Helm::named() else { return };
    let images = ["operator", "driver", "witness", "arm"].map(|name| format!("images.{name}.tag=v1")).join(",");
    helm.run(&["lint", CHART, "--strict", "--set", &images]).unwrap();
}

#[test]
fn the_definition_stays_when_the_release_goes_and_is_left_out_where_asked() {
    let Some(helm) = Helm::named() else { return };
    let objects = helm.objects(&[]);
    let definition = named(&objects, "CustomResourceDefinition", "soakcampaigns.soak.dev");
    assert_eq!(definition["metadata"]["annotations"]["helm.sh/resource-policy"], "keep");
    let fields = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
    assert!(fields["arms"].is_object());
    let objects = helm.objects(&["--set", "crds.install=false"]);
    assert_eq!(of_kind(&objects, "CustomResourceDefinition"), Vec::<&Value>::new());
}

/// A container's variable.
fn variable<'a>(container: &'a Value, name: &str) -> &'a Value {
    let mut all = container["env"].as_array().unwrap().iter();
    all.find(|variable| variable["name"] == name).unwrap_or_else(|| panic!("{name} is not set"))
}

#[test]
fn the_operator_and_its_check_are_told_the_same_and_are_restricted() {
    let Some(helm) = Helm::named() else { return };
    let objects = helm.objects(&["--set", "namespaces={a,b},replicas=2"]);
    let deployment = named(&objects, "Deployment", "soak-operator");
    assert_eq!(deployment["spec"]["replicas"], 2);
    let check = named(&objects, "Pod", "soak-operator-check");
    assert_eq!(check["metadata"]["annotations"]["helm.sh/hook"], "test");
    let operator = &deployment["spec"]["template"]["spec"];
    let selected = deployment["spec"]["selector"]["matchLabels"].as_object().unwrap();
    let is_selected = |labels: &Value| selected.iter().all(|(name, value)| labels[name] == *value);
    assert!(is_selected(&deployment["spec"]["template"]["metadata"]["labels"]));
    assert!(!is_selected(&check["metadata"]["labels"]), "a check is no operator");
    for pod in [operator, &check["spec"]] {
        let container = &pod["containers"][0];
        assert_eq!(variable(container, "SOAK_NAMESPACES")["value"], "a,b");
        assert_eq!(variable(container, "SOAK_LEASE")["value"], "soak-operator");
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
        assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
        assert_eq!(container["securityContext"]["capabilities"]["drop"][0], "ALL");
    }
    assert_eq!(operator["containers"][0]["env"], check["spec"]["containers"][0]["env"]);
    let wide = helm.objects(&["--set", "clusterWide=true"]);
    let deployment = named(&wide, "Deployment", "soak-operator");
    assert_eq!(variable(&deployment["spec"]["template"]["spec"]["containers"][0], "SOAK_NAMESPACES")["value"], "");
}
