//! A campaign from a git repository, by a real Argo CD that prunes and heals. Wanted besides: `SOAK_ARGOCD`, the program of
//! `tests/cluster/modules/argocd`, and `SOAK_ARGOCD_CRDS`, the folder of its definitions; git and redis-server.

mod argo;

use std::{fs, path::Path, time::Duration};

use serde_json::{Value, json};

use crate::place::{Place, campaign, run};
use argo::Argo;

const SOON: Duration = Duration::from_secs(120);

/// A git repository with one campaign in it.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let one = Self { folder };
        one.git(&["init", "--quiet", "--initial-branch=main"]);
        one
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn commit(&self, campaign: &Value) {
        fs::write(self.path().join("campaign.json"), campaign.to_string()).unwrap();
        self.git(&["add", "."]);
        self.git(&["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message=campaign"]);
    }

    fn git(&self, arguments: &[&str]) {
        run("git", &[&["-C", self.path().to_str().unwrap()], arguments].concat(), "").unwrap();
    }
}

fn short(name: &str) -> Value {
    campaign(
        name,
        &json!({"ramp": {
            "warmup": {"rate": 50, "duration": "2s"},
            "steps": {"from": 50, "to": 150, "by": 50},
            "stepDuration": "3s",
        }}),
    )
}

/// What a campaign has made, and what version its resource has.
fn traces(place: &Place, name: &str) -> (Value, Vec<String>) {
    let version = place.get(&["soakcampaign", name])["metadata"]["resourceVersion"].clone();
    (version, results(place))
}

fn results(place: &Place) -> Vec<String> {
    let maps = place.get(&["configmaps", "--selector=soak.dev/campaign"]);
    let name = |map: &Value| map["metadata"]["name"].as_str().unwrap().to_owned();
    maps["items"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn a_campaign_comes_from_git_runs_once_and_again_only_under_a_new_name() {
    let Some(place) = Place::install("argocd") else { return };
    let repository = Repository::new();
    repository.commit(&short("first"));
    let Some(argo) = Argo::start(&place, repository.path()) else { return };

    place.until("it is synced and goes on", SOON, || argo.is("Synced", "Progressing").then_some(()));
    place.finished("first");
    let succeeded = place.condition("first", "Succeeded").is_some_and(|condition| condition["status"] == "True");
    let expected = if succeeded { "Healthy" } else { "Degraded" };
    place.until("its end is seen", SOON, || {
        argo.refresh();
        argo.is("Synced", expected).then_some(())
    });

    let before = traces(&place, "first");
    for _ in 0..20 {
        argo.sync();
    }
    assert_eq!(traces(&place, "first"), before, "twenty syncs change nothing and prune nothing");

    repository.commit(&short("second"));
    argo.refresh();
    place.until("the campaign of the new name runs", SOON, || {
        place
            .kubectl(&["get", "soakcampaign", "second"])
            .ok()
            .and_then(|_| place.status("second")["started"].as_str().map(drop))
    });
    place.until("the campaign of the old name is pruned", SOON, || {
        place.kubectl(&["get", "soakcampaign", "first"]).is_err().then_some(())
    });
    let after = results(&place);
    assert!(before.1.iter().all(|name| after.contains(name)), "its results stay: {after:?}");
    place.finished("second");
}
