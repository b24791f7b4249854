//! The network policies against the pods that the operator makes, as the golden files of `build` have them: every flow
//! that a campaign needs is let through, and no other.

use serde_json::{Value, json};

use crate::render::{Helm, named, of_kind};

const GOLDEN: [(&str, &str); 3] = [
    ("own-arm", include_str!("../../src/build/pods/golden/own-arm.json")),
    ("preset-arm", include_str!("../../src/build/pods/golden/preset-arm.json")),
    ("driver", include_str!("../../src/build/pods/golden/driver.json")),
];

/// A pod: the namespace that it is in, its labels, and its ports by name.
struct Peer {
    namespace: &'static str,
    pod: Value,
}

impl Peer {
    fn golden(name: &str) -> Self {
        let (_, text) = GOLDEN.iter().find(|(known, _)| *known == name).unwrap();
        Self { namespace: "home", pod: serde_json::from_str(text).unwrap() }
    }

    fn of(namespace: &'static str, labels: &Value) -> Self {
        Self { namespace, pod: json!({"metadata": {"labels": labels}}) }
    }

    fn labels(&self) -> &Value {
        &self.pod["metadata"]["labels"]
    }

    fn port(&self, name: &str) -> u64 {
        let containers = self.pod["spec"]["containers"].as_array().unwrap().iter();
        let mut ports = containers.flat_map(|container| container["ports"].as_array().into_iter().flatten());
        ports.find(|port| port["name"] == name).unwrap()["containerPort"].as_u64().unwrap()
    }
}

fn selects(selector: &Value, labels: &Value) -> bool {
    let wanted = selector["matchLabels"].as_object().into_iter().flatten().all(|(name, value)| labels[name] == *value);
    let expressions = selector["matchExpressions"].as_array().into_iter().flatten();
    wanted
        && expressions.into_iter().all(|expression| {
            assert_eq!(expression["operator"], "In", "the only operator that is read here");
            expression["values"].as_array().unwrap().contains(&labels[expression["key"].as_str().unwrap()])
        })
}

/// Whether a peer of a rule, seen from a policy's namespace, is this pod.
fn is_peer(rule: &Value, home: &Value, pod: &Peer) -> bool {
    let place = match rule.get("namespaceSelector") {
        Some(selector) => selects(selector, &json!({"kubernetes.io/metadata.name": pod.namespace})),
        None => *home == pod.namespace,
    };
    place && rule.get("podSelector").is_none_or(|selector| selects(selector, pod.labels()))
}

/// Whether one direction of a flow is let through: by no policy at all, or by a rule of one.
fn lets(objects: &[Value], (direction, side): (&str, &str), own: &Peer, other: Option<&Peer>, port: u64) -> bool {
    let policies = of_kind(objects, "NetworkPolicy").into_iter().filter(|policy| {
        policy["metadata"]["namespace"] == own.namespace
            && selects(&policy["spec"]["podSelector"], own.labels())
            && policy["spec"]["policyTypes"].as_array().unwrap().contains(&json!(direction))
    });
    let mut policies = policies.peekable();
    if policies.peek().is_none() {
        return true;
    }
    policies.any(|policy| {
        let key = direction.to_lowercase();
        policy["spec"][key].as_array().into_iter().flatten().any(|rule| {
            let ports = rule["ports"].as_array();
            let on = ports.is_none_or(|ports| ports.iter().any(|allowed| allowed["port"] == port));
            let peers = rule[side].as_array();
            let home = &policy["metadata"]["namespace"];
            on && peers
                .is_none_or(|peers| peers.iter().any(|peer| other.is_some_and(|other| is_peer(peer, home, other))))
        })
    })
}

fn flows(objects: &[Value], from: &Peer, to: &Peer, port: u64) -> bool {
    lets(objects, ("Egress", "to"), from, Some(to), port) && lets(objects, ("Ingress", "from"), to, Some(from), port)
}

#[test]
fn every_flow_of_a_campaign_is_let_through_and_no_other() {
    let Some(helm) = Helm::named() else { return };
    let objects = helm.objects(&["--set", "networkPolicy.enabled=true"]);
    let labels = &named(&objects, "Deployment", "soak-operator")["spec"]["template"]["metadata"]["labels"];
    let operator = Peer::of("home", labels);
    let (own, preset, driver) = (Peer::golden("own-arm"), Peer::golden("preset-arm"), Peer::golden("driver"));
    let stranger = Peer::of("home", &json!({"app": "x"}));
    let elsewhere = Peer { namespace: "elsewhere", ..Peer::golden("driver") };
    let check = |from: &Peer, to: &Peer, port: u64, expected: bool| {
        assert_eq!(flows(&objects, from, to, port), expected, "{} to {} on {port}", from.labels(), to.labels());
    };
    check(&operator, &driver, driver.port("control"), true);
    for arm in [&own, &preset] {
        check(&operator, arm, arm.port("control"), true);
        check(&driver, arm, arm.port("load"), true);
        check(&stranger, arm, arm.port("control"), false);
        check(&stranger, arm, arm.port("load"), false);
        check(&elsewhere, arm, arm.port("load"), false);
    }
    check(&operator, &preset, preset.port("load"), false);
    check(&stranger, &driver, driver.port("control"), false);
    check(&own, &driver, driver.port("control"), false);
    check(&driver, &stranger, 80, false);
    check(&driver, &operator, 8080, false);
    check(&stranger, &operator, 8080, true);
    check(&stranger, &operator, 9090, false);
    check(&operator, &stranger, 80, false);
    for port in [443, 6443] {
        assert!(lets(&objects, ("Egress", "to"), &operator, None, port), "the API server on {port}");
    }
    assert!(!lets(&objects, ("Egress", "to"), &driver, None, 443), "a driver has nothing to ask outside");
}

#[test]
fn the_operators_own_port_is_the_policys() {
    let Some(helm) = Helm::named() else { return };
    let objects = helm.objects(&["--set", "networkPolicy.enabled=true"]);
    let container = &named(&objects, "Deployment", "soak-operator")["spec"]["template"]["spec"]["containers"][0];
    let policy = named(&objects, "NetworkPolicy", "soak-operator");
    assert_eq!(container["ports"][0]["containerPort"], policy["spec"]["ingress"][0]["ports"][0]["port"]);
}

#[test]
fn policies_are_made_where_campaigns_are_and_the_api_server_can_be_named() {
    let Some(helm) = Helm::named() else { return };
    let places = |values: &str| -> Vec<String> {
        let objects = helm.objects(&["--set", values]);
        let all = of_kind(&objects, "NetworkPolicy").into_iter();
        let mut places: Vec<_> = all
            .map(|one| {
                format!(
                    "{}/{}",
                    one["metadata"]["namespace"].as_str().unwrap(),
                    one["metadata"]["name"].as_str().unwrap()
                )
            })
            .collect();
        places.sort();
        places
    };
    assert_eq!(places("networkPolicy.enabled=false"), Vec::<String>::new());
    let named_ones = places("networkPolicy.enabled=true,namespaces={a,b}");
    assert_eq!(
        named_ones,
        [
            "a/soak-operator-arms",
            "a/soak-operator-drivers",
            "b/soak-operator-arms",
            "b/soak-operator-drivers",
            "home/soak-operator"
        ]
    );
    assert_eq!(places("networkPolicy.enabled=true,clusterWide=true"), ["home/soak-operator"]);
    let objects = helm.objects(&["--set", "networkPolicy.enabled=true,networkPolicy.apiServer.cidrs={10.0.0.1/32}"]);
    let operator =
        Peer::of("home", &named(&objects, "Deployment", "soak-operator")["spec"]["template"]["metadata"]["labels"]);
    assert!(!lets(&objects, ("Egress", "to"), &operator, None, 443), "no longer anywhere");
    let policy = named(&objects, "NetworkPolicy", "soak-operator");
    assert_eq!(policy["spec"]["egress"][0]["to"][0]["ipBlock"]["cidr"], "10.0.0.1/32");
}
