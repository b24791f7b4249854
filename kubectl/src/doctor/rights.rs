//! What the user may do, as the API server answers each question of it.

use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec, SubjectAccessReviewStatus,
};
use kube_client::{Api, api::PostParams};

use super::{Check, State, seen};
use crate::{cluster::Cluster, fault::Fault};

/// What a right is for.
struct Right {
    group: &'static str,
    resource: &'static str,
    verbs: &'static [&'static str],
    lets: &'static str,
    /// Whether nothing works without it.
    needed: bool,
}

const RIGHTS: [Right; 6] = [
    Right {
        group: "soak.dev",
        resource: "soakcampaigns",
        verbs: &["get", "list"],
        lets: "read campaigns",
        needed: true,
    },
    Right { group: "soak.dev", resource: "soakcampaigns", verbs: &["create"], lets: "begin campaigns", needed: false },
    Right {
        group: "soak.dev",
        resource: "soakcampaigns",
        verbs: &["patch"],
        lets: "suspend, resume, cancel, withdraw",
        needed: false,
    },
    Right { group: "", resource: "configmaps", verbs: &["list"], lets: "copy results", needed: true },
    Right { group: "", resource: "pods", verbs: &["list"], lets: "see what pods wait for", needed: false },
    Right { group: "", resource: "events", verbs: &["list"], lets: "see Events", needed: false },
];

/// Asks for each right.
pub async fn check(cluster: &Cluster) -> Result<Vec<Check>, Fault> {
    let mut lacking = Vec::new();
    let mut held = Vec::new();
    for right in &RIGHTS {
        for verb in right.verbs {
            match seen(cluster, ask(cluster, right, verb).await)? {
                Ok(true) => held.push(right.lets),
                Ok(false) => lacking.push((right, *verb)),
                Err(words) => return Ok(vec![Check::new("rights", State::Unknown, words)]),
            }
        }
    }
    held.dedup();
    let namespace = &cluster.namespace;
    let mut checks: Vec<Check> = lacking.iter().map(|(right, verb)| lacks(right, verb, namespace)).collect();
    if !held.is_empty() {
        let words = format!("in namespace {namespace} you may {}", held.join("; "));
        checks.insert(0, Check::new("rights", State::Ok, words));
    }
    Ok(checks)
}

fn lacks(right: &Right, verb: &str, namespace: &str) -> Check {
    let group = if right.group.is_empty() { String::new() } else { format!(".{}", right.group) };
    let words = format!(
        "you may not {verb} {}{group} in namespace {namespace}, which it takes to {}; the chart's roles view and edit grant it",
        right.resource, right.lets
    );
    Check::new("rights", if right.needed { State::Failed } else { State::Note }, words)
}

async fn ask(cluster: &Cluster, right: &Right, verb: &str) -> Result<bool, kube_client::Error> {
    let attributes = ResourceAttributes {
        namespace: Some(cluster.namespace.clone()),
        group: Some(right.group.to_owned()),
        resource: Some(right.resource.to_owned()),
        verb: Some(verb.to_owned()),
        ..ResourceAttributes::default()
    };
    let spec =
        SelfSubjectAccessReviewSpec { resource_attributes: Some(attributes), ..SelfSubjectAccessReviewSpec::default() };
    let review = SelfSubjectAccessReview { spec, ..SelfSubjectAccessReview::default() };
    let reviews: Api<SelfSubjectAccessReview> = Api::all(cluster.client.clone());
    let answer = reviews.create(&PostParams::default(), &review).await?;
    Ok(answer.status.is_some_and(|status: SubjectAccessReviewStatus| status.allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_that_lacks_is_named_with_what_it_is_for() {
        let check = lacks(&RIGHTS[0], "get", "web");
        assert_eq!(check.state, State::Failed);
        assert!(check.words.contains("may not get soakcampaigns.soak.dev in namespace web"), "{check:?}");
        assert_eq!(lacks(&RIGHTS[4], "list", "web").state, State::Note);
    }
}
