//! The ConfigMaps of a campaign: windows that were really recorded, put on pods, and written by the operator's own code.

use std::{collections::BTreeMap, fs, path::Path};

use k8s_openapi::api::core::v1::ConfigMap;
use serde::de::DeserializeOwned;
use soak_campaign::{
    plan::Plan,
    status::judged_runs,
    step::{Ledger, PartKey, PodFact, PodFacts, ProofTime, Record, StepWindows},
    table::OnPods,
};
use soak_crds::spec::Withdrawal;
use soak_local::ledger::CampaignFile;
use soak_operator::{
    build::{config_map, index, result_documents},
    ledger::{Besides, pack, plan_map, record_map},
    names::Base,
};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded");
const IMAGE: &str =
    "registry.example.com/soak/arm@sha256:5f8bbf83a7b1ba5f0a1a2b36bb01ac1b7fcb1f2a6d0a9f0ee4dc64f4bb8d7a11";

/// The name that the campaign has.
pub const NAME: &str = "recorded";
/// The namespace that it was in.
pub const NAMESPACE: &str = "web";

/// A campaign's ConfigMaps.
pub struct Recorded {
    pub base: Base,
    pub plan: Plan,
    pub records: Vec<ConfigMap>,
    ledger: Ledger,
    pods: Vec<PodFacts>,
}

impl Recorded {
    /// All of them.
    pub fn read() -> Self {
        let file: CampaignFile = serde_json::from_slice(&fs::read(format!("{FOLDER}/campaign.json")).unwrap()).unwrap();
        let mut plan = file.plan;
        plan.hash = plan.computed_hash();
        let mut recorded = Self {
            base: Base::of(NAME, b"recorded"),
            plan,
            records: Vec::new(),
            ledger: Ledger::default(),
            pods: Vec::new(),
        };
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        for record in lines::<Record>(&Path::new(FOLDER).join("ledger.jsonl")) {
            let run = recorded.place(&record);
            let number = numbers.entry(run).or_default();
            recorded.add(run, *number, record, &file.facts.machine);
            *number += 1;
        }
        recorded
    }

    fn place(&self, record: &Record) -> usize {
        let of = match record {
            Record::PartBegan { part, .. } | Record::LeversProven { part, .. } => &part.attempt.run,
            Record::StepAdded { attempt, .. } | Record::AttemptEnded { attempt, .. } => &attempt.run,
            Record::StepStored { key, .. } => &key.part.attempt.run,
            Record::Withdrawn { .. } => panic!("nothing was withdrawn"),
        };
        self.plan.runs.iter().position(|run| run.id == *of).unwrap()
    }

    fn add(&mut self, run: usize, number: usize, record: Record, machine: &soak_sample::Machine) {
        let (record, map) = match record {
            Record::LeversProven { ref part, when: ProofTime::BeforeLoad, .. } => {
                let facts = on_pods(part, machine);
                let map = record_map(&self.base, (run, number), &record, Besides::Pods(&facts)).unwrap();
                self.pods.push(facts);
                (record, map)
            }
            Record::StepStored { key, .. } => {
                let path = Path::new(FOLDER).join(format!("runs/{}/windows.jsonl", key.part.attempt.run));
                let windows = lines::<StepWindows>(&path).into_iter().find(|windows| windows.key == key).unwrap();
                let digest = Some(IMAGE.split_once('@').unwrap().1.to_owned());
                let windows = StepWindows { pod_digest_at_end: digest, ..windows };
                let record = self.measured(&windows);
                let packed = Besides::Windows(pack(&windows).unwrap());
                let map = record_map(&self.base, (run, number), &record, packed).unwrap();
                (record, map)
            }
            record => {
                let map = record_map(&self.base, (run, number), &record, Besides::Nothing).unwrap();
                (record, map)
            }
        };
        self.ledger.apply(record).unwrap();
        self.records.push(map);
    }

    fn measured(&self, windows: &StepWindows) -> Record {
        let part = &windows.key.part;
        let run = self.plan.runs.iter().find(|run| run.id == part.attempt.run).unwrap();
        let arm = self.plan.arms.iter().find(|arm| arm.name == run.arm).unwrap();
        let facts = PodFacts::of_part(&self.pods, part);
        let first = PodFacts::first_of_arm(&self.pods, &self.plan, &arm.name);
        let record = self.ledger.attempt(&part.attempt).unwrap().parts.last().unwrap();
        let previous = record.steps.last().map(|stored| stored.end_unix_nanos);
        let (row, signals) = OnPods { plan: &self.plan, run, arm, facts, first }.measure(windows, previous);
        Record::StepStored { key: windows.key.clone(), stored: Box::new(windows.stored(row, signals)) }
    }

    /// The ConfigMaps while the campaign is under way: so many of its records, and no index.
    pub fn under_way(&self, records: usize) -> Vec<ConfigMap> {
        let plan = plan_map(&self.base, &self.plan).unwrap();
        [plan].into_iter().chain(self.records[..records].iter().cloned()).collect()
    }

    /// The ConfigMaps of the campaign that is over.
    pub fn over(&self) -> Vec<ConfigMap> {
        let mut maps = self.under_way(self.records.len());
        for (place, judged) in judged_runs(&self.plan, &self.ledger).iter().enumerate() {
            let key = judged.key().unwrap();
            let pods: Vec<&PodFacts> = self.pods.iter().filter(|facts| facts.part.attempt == key).collect();
            let attempt = self.ledger.attempt(&key);
            let documents = result_documents(&self.plan.runs[place], judged, attempt, &pods).unwrap();
            maps.push(config_map(&self.base, self.base.result(place, 0), "result", documents));
        }
        let documents = index(&self.plan.name, &self.plan, &maps).unwrap();
        maps.push(config_map(&self.base, self.base.index(0), "index", documents));
        maps
    }

    /// The ConfigMap of a withdrawal, which comes after the index.
    pub fn withdrawn(&self, step: i64) -> ConfigMap {
        let run = self.plan.runs[0].id.0.clone();
        let number = self.records.iter().filter(|map| name(map).contains(".r0.")).count();
        let withdrawal =
            Withdrawal { run, step: Some(step), reason: "another load ran".to_owned(), superseded_by: None };
        let record = Record::Withdrawn { at_unix_nanos: 1_800_000_000_000_000_000, withdrawal };
        record_map(&self.base, (0, number), &record, Besides::Nothing).unwrap()
    }
}

fn on_pods(part: &PartKey, machine: &soak_sample::Machine) -> PodFacts {
    let pod = |role: &str, node: &str| PodFact {
        name: format!("{}-{role}", part.attempt.run),
        uid: format!("uid-of-{role}-{}", part.attempt.run),
        node: node.to_owned(),
        image_id: if role == "arm" { IMAGE.to_owned() } else { IMAGE.replace("/arm", "/driver") },
        qos_class: "Guaranteed".to_owned(),
    };
    PodFacts {
        part: part.clone(),
        arm: pod("arm", "node-1"),
        driver: pod("driver", "node-2"),
        command: vec!["/soak-arm".to_owned(), "rest".to_owned()],
        program_sha256: Some("0f".repeat(32)),
        machine: machine.clone(),
    }
}

/// A ConfigMap's name.
pub fn name(map: &ConfigMap) -> &str {
    map.metadata.name.as_deref().unwrap()
}

fn lines<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
