//! The rights that the chart asks for.

use serde_json::Value;

use crate::render::{Helm, named, of_kind};

/// What no rule may hold.
const FORBIDDEN: [&str; 10] = [
    "*",
    "secrets",
    "nodes",
    "nodes/proxy",
    "pods/exec",
    "pods/attach",
    "pods/proxy",
    "serviceaccounts/token",
    "pods/ephemeralcontainers",
    "pods/portforward",
];
const FORBIDDEN_VERBS: [&str; 4] = ["*", "escalate", "bind", "impersonate"];

fn words<'a>(rule: &'a Value, key: &str) -> Vec<&'a str> {
    rule[key].as_array().into_iter().flatten().map(|word| word.as_str().unwrap()).collect()
}

fn rules<'a>(objects: &'a [Value], kind: &str) -> Vec<(&'a Value, &'a Value)> {
    let roles = of_kind(objects, kind);
    roles.into_iter().flat_map(|role| role["rules"].as_array().unwrap().iter().map(move |rule| (role, rule))).collect()
}

#[test]
fn no_role_holds_a_power_that_is_not_used() {
    let Some(helm) = Helm::named() else { return };
    for values in ["clusterWide=false", "clusterWide=true", "namespaces={a,b}", "networkPolicy.enabled=true"] {
        let objects = helm.objects(&["--set", values]);
        let all = [rules(&objects, "Role"), rules(&objects, "ClusterRole")].concat();
        assert!(!all.is_empty());
        for (role, rule) in all {
            let place = &role["metadata"]["name"];
            for word in words(rule, "resources") {
                assert!(!FORBIDDEN.contains(&word), "{values}: {place} grants {word}");
            }
            for verb in words(rule, "verbs") {
                assert!(!FORBIDDEN_VERBS.contains(&verb), "{values}: {place} grants {verb}");
            }
            assert!(!words(rule, "apiGroups").contains(&"*"), "{values}: {place} is for every group");
            assert!(rule["nonResourceURLs"].is_null(), "{values}: {place} grants paths");
        }
    }
}

#[test]
fn leases_are_written_by_name_alone_and_the_operators_own_is_among_them() {
    let Some(helm) = Helm::named() else { return };
    let objects = helm.objects(&[]);
    let role = named(&objects, "Role", "soak-operator-leases");
    let writes = |rule: &&Value| !words(rule, "verbs").contains(&"create");
    let by_name = role["rules"].as_array().unwrap().iter().find(writes).unwrap();
    assert_eq!(words(by_name, "resourceNames"), ["soak-turn", "soak-operator"]);
}

#[test]
fn a_release_has_rights_in_its_own_namespace_or_in_those_it_names_or_in_all() {
    let Some(helm) = Helm::named() else { return };
    let places = |objects: &[Value], kind: &str| -> Vec<String> {
        let bound = of_kind(objects, kind).into_iter().filter(|one| one["metadata"]["name"] != "soak-operator-leases");
        bound.map(|one| one["metadata"]["namespace"].as_str().unwrap_or("all").to_owned()).collect()
    };
    let check = |values: &str, namespaces: &[&str], cluster: &[&str]| {
        let objects = helm.objects(&["--set", values]);
        assert_eq!(places(&objects, "RoleBinding"), namespaces, "{values}");
        assert_eq!(places(&objects, "ClusterRoleBinding"), cluster, "{values}");
        for binding in [of_kind(&objects, "RoleBinding"), of_kind(&objects, "ClusterRoleBinding")].concat() {
            named(&objects, binding["roleRef"]["kind"].as_str().unwrap(), binding["roleRef"]["name"].as_str().unwrap());
            assert_eq!(binding["subjects"][0]["namespace"], "home");
        }
    };
    check("clusterWide=false", &["home"], &[]);
    check("namespaces={a,b}", &["a", "b"], &[]);
    check("clusterWide=true", &[], &["all"]);
    check("rbac.create=false", &[], &[]);
}

#[test]
fn cluster_wide_the_rules_are_the_same() {
    let Some(helm) = Helm::named() else { return };
    let (narrow, wide) = (helm.objects(&[]), helm.objects(&["--set", "clusterWide=true"]));
    let own = named(&narrow, "Role", "soak-operator");
    assert_eq!(own["rules"], named(&wide, "ClusterRole", "home-soak-operator")["rules"]);
}

#[test]
fn users_get_campaigns_by_the_clusters_own_roles_and_never_their_status() {
    let Some(helm) = Helm::named() else { return };
    let objects = helm.objects(&[]);
    let (view, edit) = (
        named(&objects, "ClusterRole", "home-soak-operator-view"),
        named(&objects, "ClusterRole", "home-soak-operator-edit"),
    );
    let label = |role: &Value, to: &str| {
        role["metadata"]["labels"][format!("rbac.authorization.k8s.io/aggregate-to-{to}")].clone()
    };
    assert_eq!(
        (label(view, "view"), label(edit, "edit"), label(edit, "admin")),
        ("true".into(), "true".into(), "true".into())
    );
    for role in [view, edit] {
        for rule in role["rules"].as_array().unwrap() {
            let is_status = words(rule, "resources").contains(&"soakcampaigns/status");
            assert!(!is_status || words(rule, "verbs") == ["get"], "{rule}");
        }
    }
    let without = helm.objects(&["--set", "rbac.aggregate=false"]);
    assert_eq!(of_kind(&without, "ClusterRole"), Vec::<&Value>::new());
}
