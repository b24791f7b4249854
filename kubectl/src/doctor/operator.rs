//! Whether an operator is there, ready, and looks at the namespace.

use k8s_openapi::api::apps::v1::Deployment;
use kube_client::{Api, ResourceExt as _};

use super::{Check, State, seen};
use crate::{cluster::Cluster, fault::Fault};

const WHAT: &str = "operator";
/// How the chart labels the operator's Deployment.
const LABELS: &str = "app.kubernetes.io/name=soak,app.kubernetes.io/component=operator";
/// The variable that tells the operator its namespaces.
const NAMESPACES: &str = "SOAK_NAMESPACES";

/// Looks for its Deployment in all namespaces, or where that is forbidden, in this one.
pub async fn check(cluster: &Cluster) -> Result<Check, Fault> {
    let everywhere: Api<Deployment> = Api::all(cluster.client.clone());
    if let Ok(found) = seen(cluster, cluster.all(&everywhere, LABELS).await)? {
        return Ok(judge(&found, &cluster.namespace, "any namespace"));
    }
    let place = format!("namespace {}; others may not be seen", cluster.namespace);
    Ok(match seen(cluster, cluster.all(&cluster.api::<Deployment>(), LABELS).await)? {
        Ok(found) if found.is_empty() => Check::new(WHAT, State::Unknown, format!("none in {place}")),
        Ok(found) => judge(&found, &cluster.namespace, &place),
        Err(words) => Check::new(WHAT, State::Unknown, words),
    })
}

fn judge(found: &[Deployment], namespace: &str, place: &str) -> Check {
    let ours: Vec<&Deployment> = found.iter().filter(|deployment| looks_at(deployment, namespace)).collect();
    let Some(best) = ours.iter().find(|deployment| ready(deployment) > 0).or(ours.first()) else {
        let others: Vec<String> = found.iter().map(name).collect();
        let words = if others.is_empty() {
            format!("no operator in {place}: helm install soak chart --namespace {namespace}")
        } else {
            let others = others.join(", ");
            format!("{others} does not look at namespace {namespace}: add it to the value namespaces of the chart")
        };
        return Check::new(WHAT, State::Failed, words);
    };
    let image = image(best).unwrap_or_default();
    match (ready(best), ours.len()) {
        (0, _) => Check::new(WHAT, State::Failed, format!("{} is not ready: {}", name(best), why(best))),
        (ready, 1) => Check::new(WHAT, State::Ok, format!("{}: {ready} ready, image {image}", name(best))),
        (_, several) => {
            let names: Vec<String> = ours.iter().map(|deployment| name(deployment)).collect();
            let words = format!("{several} operators look at namespace {namespace}: {}", names.join(", "));
            Check::new(WHAT, State::Note, words)
        }
    }
}

fn looks_at(deployment: &Deployment, namespace: &str) -> bool {
    let template = deployment.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    let variables =
        template.into_iter().flat_map(|pod| &pod.containers).flat_map(|container| container.env.iter().flatten());
    let named = variables.filter(|variable| variable.name == NAMESPACES).find_map(|variable| variable.value.as_deref());
    let mut watched = named.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty()).peekable();
    watched.peek().is_none() || watched.any(|name| name == namespace || name == "*")
}

fn ready(deployment: &Deployment) -> i32 {
    deployment.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or_default()
}

/// Why it is not ready, in its own words.
fn why(deployment: &Deployment) -> String {
    let conditions = deployment.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let words =
        conditions.filter(|condition| condition.status == "False").filter_map(|condition| condition.message.clone());
    let words: Vec<String> = words.collect();
    if words.is_empty() { "it has no ready pod; look at its pods' logs".to_owned() } else { words.join("; ") }
}

fn image(deployment: &Deployment) -> Option<&str> {
    deployment.spec.as_ref()?.template.spec.as_ref()?.containers.first()?.image.as_deref()
}

fn name(deployment: &Deployment) -> String {
    format!("{}/{}", deployment.namespace().unwrap_or_default(), deployment.name_any())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::json;

    use super::*;

    fn deployment(namespaces: &str, ready: i32) -> Deployment {
        serde_json::from_value(json!({
            "metadata": {"name": "soak-operator", "namespace": "soak"},
            "spec": {"selector": {}, "template": {"spec": {"containers": [{
                "name": "operator", "image": "r/o@sha256:1", "env": [{"name": NAMESPACES, "value": namespaces}],
            }]}}},
            "status": {"readyReplicas": ready, "conditions": [
                {"type": "Available", "status": "False", "message": "does not have minimum availability"},
            ]},
        }))
        .unwrap()
    }

    #[test]
    fn an_operator_must_be_ready_and_look_at_the_namespace() {
        let check = |found: &[Deployment], state, words: &str| {
            let check = judge(found, "web", "any namespace");
            assert_eq!(check.state, state, "{check:?}");
            assert!(check.words.contains(words), "{check:?}");
        };
        check(&[], State::Failed, "helm install");
        check(&[deployment("soak", 1)], State::Failed, "does not look at namespace web");
        check(&[deployment("soak,web", 0)], State::Failed, "minimum availability");
        check(&[deployment("soak, web", 1)], State::Ok, "1 ready, image r/o@sha256:1");
        check(&[deployment("", 1)], State::Ok, "soak/soak-operator");
        check(&[deployment("web", 1), deployment("*", 1)], State::Note, "2 operators");
    }
}
