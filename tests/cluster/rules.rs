//! The rules between fields on a real API server say what they say in process: same fields, same messages.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use soak_crds::{BrokenRule, STAYS_OPEN, broken_rules};
use soak_e2e::{Answer, Api, Cluster, Namespace};

use crate::definition;

#[path = "../../crds/tests/cases/broken.rs"]
mod broken;
#[path = "../../crds/tests/cases/frozen.rs"]
mod frozen;

/// What is refused: the field and why.
type Refused = BTreeSet<(String, String)>;

/// A namespace's campaigns.
struct Campaigns {
    api: Api,
    namespace: Namespace,
}

impl Campaigns {
    fn open(what: &str) -> Option<Self> {
        let cluster = Cluster::named()?;
        definition::applied(&cluster);
        Some(Self { api: Api::open(), namespace: Namespace::new(&cluster, what) })
    }

    fn path(&self, below: &str) -> String {
        format!("/apis/soak.dev/v1alpha1/namespaces/{}/soakcampaigns{below}", self.namespace.name())
    }

    fn create(&self, campaign: &Value) -> Answer {
        self.api.send("POST", &self.path(""), campaign)
    }

    fn try_to_create(&self, campaign: &Value) -> Answer {
        self.api.send("POST", &self.path("?dryRun=All"), campaign)
    }

    /// Tries to change the campaign `x` to what is given.
    fn try_to_change(&self, campaign: &Value) -> Answer {
        let mut next = campaign.clone();
        let now = self.api.send("GET", &self.path("/x"), &Value::Null);
        next["metadata"]["resourceVersion"] = now.body["metadata"]["resourceVersion"].clone();
        self.api.send("PUT", &self.path("/x?dryRun=All"), &next)
    }

    fn write_status(&self, status: &Value) -> Answer {
        let mut next = self.api.send("GET", &self.path("/x"), &Value::Null).body;
        next["status"] = status.clone();
        self.api.send("PUT", &self.path("/x/status"), &next)
    }
}

/// What the API server refuses, in the words of the rules: it puts "Invalid value" and the like before them.
fn refused(answer: &Answer) -> Refused {
    let causes = answer.body["details"]["causes"].as_array();
    let each = causes.into_iter().flatten().map(|cause| {
        let message = cause["message"].as_str().unwrap();
        (cause["field"].as_str().unwrap().to_owned(), message.to_owned())
    });
    each.collect()
}

#[track_caller]
fn check(answer: &Answer, expected: &[BrokenRule]) {
    let said = refused(answer);
    assert_eq!(answer.code, 422, "{}", answer.body);
    let fields = |refused: &Refused| refused.iter().map(|(field, _)| field.clone()).collect::<Vec<_>>();
    let ours: Refused = expected.iter().map(|rule| (rule.field.clone(), rule.message.clone())).collect();
    assert_eq!(fields(&said), fields(&ours), "{said:#?}\n{ours:#?}");
    for ((field, theirs), (_, words)) in said.iter().zip(&ours) {
        assert!(theirs.ends_with(words.as_str()), "{field}: {theirs:?} is not {words:?}");
    }
}

#[test]
fn a_sound_campaign_is_accepted() {
    let Some(campaigns) = Campaigns::open("sound") else { return };
    let answer = campaigns.create(&broken::sound());
    assert_eq!(answer.code, 201, "{}", answer.body);
    let again = campaigns.api.send("GET", &campaigns.path("/x"), &Value::Null);
    assert_eq!(again.body["spec"]["arms"][0]["name"], "rest");
}

#[test]
fn each_case_is_refused_with_the_words_of_the_rules_in_process() {
    let Some(campaigns) = Campaigns::open("rules") else { return };
    for (at, value, _) in broken::cases() {
        let campaign = broken::changed(at, &value);
        println!("{at} = {value}");
        check(&campaigns.try_to_create(&campaign), &broken_rules(&campaign, None));
    }
}

#[test]
fn once_load_has_been_sent_the_spec_is_frozen_but_for_the_fields_that_stay_open() {
    let Some(campaigns) = Campaigns::open("frozen") else { return };
    let answer = campaigns.create(&frozen::full());
    assert_eq!(answer.code, 201, "{}", answer.body);
    for field in frozen::fields() {
        let answer = campaigns.try_to_change(&frozen::with(&field, frozen::changed(&field)));
        assert_eq!(answer.code, 200, "spec.{field} before load: {}", answer.body);
    }
    let answer = campaigns.write_status(&json!({"started": "2026-01-01T00:00:00Z"}));
    assert_eq!(answer.code, 200, "{}", answer.body);
    for field in frozen::fields() {
        let next = frozen::with(&field, frozen::changed(&field));
        let answer = campaigns.try_to_change(&next);
        if STAYS_OPEN.contains(&field.as_str()) {
            assert_eq!(answer.code, 200, "spec.{field} stays open: {}", answer.body);
        } else {
            let old = frozen::started(frozen::full());
            check(&answer, &broken_rules(&frozen::started(next), Some(&old)));
        }
    }
}
