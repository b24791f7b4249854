//! What the tests look at besides the status: Events, ConfigMaps, rows, pods; and what they do to an operator.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use crate::place::Place;

/// Within this a pod or a condition follows.
pub const SOON: Duration = Duration::from_secs(90);

/// A ramp of a few seconds.
pub fn short() -> Value {
    json!({"ramp": {
        "warmup": {"rate": 50, "duration": "2s"}, "steps": {"rates": [50, 100]}, "stepDuration": "3s",
    }})
}

/// These fields over those.
pub fn over(below: Value, above: &Value) -> Value {
    let mut all = below;
    all.as_object_mut().unwrap().extend(above.as_object().unwrap().clone());
    all
}

impl Place {
    /// How many steps have their row, the warm-up included; absent before the first status with a step.
    pub fn steps_done(&self, name: &str) -> Option<u32> {
        let step = self.status(name)["step"].as_str()?.to_owned();
        step.split('/').next()?.parse::<u32>().ok()?.checked_sub(1)
    }

    /// Waits until so many steps have their row.
    #[track_caller]
    pub fn until_steps(&self, name: &str, least: u32) {
        self.until("load has begun", SOON, || self.steps_done(name).filter(|done| *done >= least));
    }

    /// A campaign's pods.
    pub fn pods(&self) -> Vec<Value> {
        self.get(&["pods", "--selector=soak.dev/campaign"])["items"].as_array().unwrap().clone()
    }

    /// The name of the pod of this role.
    pub fn pod(&self, role: &str) -> Option<String> {
        let pods = self.get(&["pods", &format!("--selector=soak.dev/campaign,soak.dev/role={role}")]);
        Some(pods["items"][0]["metadata"]["name"].as_str()?.to_owned())
    }

    /// Names and resource versions of a campaign's ConfigMaps, and of nothing else.
    pub fn maps(&self, name: &str) -> BTreeMap<String, String> {
        let maps = self.get(&["configmaps", &format!("--selector=soak.dev/name={name}")]);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let named = |map: &Value| (text(&map["metadata"]["name"]), text(&map["metadata"]["resourceVersion"]));
        maps["items"].as_array().unwrap().iter().map(named).collect()
    }

    /// A document of the first run's results, as the newest index names them.
    pub fn document(&self, name: &str, document: &str) -> Value {
        let index = self.status(name)["results"].as_str().unwrap().to_owned();
        let index: Value = json_of(&self.get(&["configmap", &index]), "index.json");
        let documents = index["documents"].as_array().unwrap();
        let mut maps = documents.iter().filter(|one| one["key"] == document);
        let map = maps.next().unwrap()["configMap"].as_str().unwrap().to_owned();
        json_of(&self.get(&["configmap", &map]), document)
    }

    /// The rates of the judged rows, in the order in which they were made.
    pub fn judged_rates(&self, name: &str) -> Vec<i64> {
        let rows = self.document(name, "rows.json");
        let judged = rows.as_array().unwrap().iter().filter(|row| row["warmup"] == false);
        judged.map(|row| row["planned"].as_i64().unwrap()).collect()
    }

    /// Reasons and notes of a campaign's Events, in the order of their making.
    pub fn events(&self, name: &str) -> Vec<(String, String)> {
        let all = self.get(&["events.events.k8s.io"]);
        let own = all["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["regarding"]["kind"] == "SoakCampaign" && event["regarding"]["name"] == name);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut told: Vec<_> =
            own.map(|event| (text(&event["eventTime"]), text(&event["reason"]), text(&event["note"]))).collect();
        told.sort();
        told.into_iter().map(|(_, reason, note)| (reason, note)).collect()
    }

    /// The notes of the Events of one reason.
    pub fn told(&self, name: &str, reason: &str) -> Vec<String> {
        self.events(name).into_iter().filter(|(own, _)| own == reason).map(|(_, note)| note).collect()
    }

    /// Edits a spec.
    pub fn edit(&self, name: &str, spec: &Value) {
        let patch = json!({"spec": spec}).to_string();
        self.kubectl(&["patch", "soakcampaign", name, "--type=merge", "--patch", &patch]).unwrap();
    }

    /// Whether the status speaks of the spec at hand, as kstatus asks.
    pub fn is_current(&self, name: &str) -> Option<()> {
        let campaign = self.get(&["soakcampaign", name]);
        let generation = &campaign["metadata"]["generation"];
        let conditions = campaign["status"]["conditions"].as_array()?;
        let all = conditions.iter().all(|condition| condition["observedGeneration"] == *generation);
        (all && campaign["status"]["observedGeneration"] == *generation).then_some(())
    }

    /// Waits until the status speaks of the spec at hand.
    #[track_caller]
    pub fn until_current(&self, name: &str) {
        self.until("the status speaks of the spec at hand", SOON, || self.is_current(name));
    }

    /// Ends the operator, or starts it again.
    pub fn scale(&self, replicas: u8) {
        let told = format!("--replicas={replicas}");
        self.kubectl(&["scale", "deployment/soak-operator", &told]).unwrap();
        let selector = "--selector=app.kubernetes.io/component=operator";
        let count = || self.get(&["pods", selector])["items"].as_array().unwrap().len();
        if replicas == 0 {
            self.until("the operator is gone", SOON, || (count() == 0).then_some(()));
        } else {
            self.kubectl(&["rollout", "status", "deployment/soak-operator", "--timeout=90s"]).unwrap();
        }
    }
}

fn json_of(map: &Value, document: &str) -> Value {
    serde_json::from_str(map["data"][document].as_str().unwrap()).unwrap()
}
