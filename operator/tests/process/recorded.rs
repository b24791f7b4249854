//! What driver and witness saw when `soak run` carried the recorded campaign out on one machine: played back, step by
//! step, to whoever orders the same steps.

use std::{collections::BTreeMap, fs, path::PathBuf};

use flate2::read::GzDecoder;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use soak_campaign::step::StepKey;
use soak_sample::{ArmReport, DriverWindow, LeverQuestion, LoadOrder, Machine, WatchOrder, WitnessWindow};

use crate::{computed::Computed, hosts::Samples};

/// A line of `windows.jsonl`: the step's plan is not needed.
#[derive(Debug, Clone, Deserialize)]
struct Windows {
    key: StepKey,
    drivers: Vec<DriverWindow>,
    witness: Option<WitnessWindow>,
}

/// Of the campaign's facts those that a row follows from, and when it began.
#[derive(Debug, Clone, Deserialize)]
pub struct Facts {
    pub started: String,
    machine: Machine,
}

/// The folder that was recorded.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub facts: Facts,
    pub runs: Vec<String>,
    windows: BTreeMap<String, Windows>,
}

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/process/recorded").join(file)
}

/// A document of the folder.
pub fn document<T: DeserializeOwned>(file: &str) -> T {
    serde_json::from_slice(&fs::read(path(file)).unwrap()).unwrap()
}

/// What was asked for.
pub fn spec() -> Value {
    let campaign: Value = serde_saphyr::from_str(&fs::read_to_string(path("campaign.yaml")).unwrap()).unwrap();
    campaign["spec"].clone()
}

impl Recorded {
    pub fn read() -> Self {
        let folders =
            fs::read_dir(path("runs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut runs: Vec<String> = folders.collect();
        runs.sort();
        let steps = runs.iter().flat_map(|run| {
            let file = fs::File::open(path(&format!("runs/{run}/windows.jsonl.gz"))).unwrap();
            let lines = serde_json::Deserializer::from_reader(GzDecoder::new(file)).into_iter::<Windows>();
            lines.map(Result::unwrap).collect::<Vec<_>>()
        });
        let windows = steps.map(|step| (step.key.order_id(), step)).collect();
        Self { facts: document("facts.json"), runs, windows }
    }

    /// Steps in all.
    pub fn steps(&self) -> usize {
        self.windows.len()
    }

    fn step(&self, order: &str) -> &Windows {
        self.windows.get(order).unwrap_or_else(|| panic!("{order} was not recorded"))
    }
}

impl Samples for Recorded {
    fn driver(&self, order: &LoadOrder) -> DriverWindow {
        let [window] = self.step(&order.id).drivers.as_slice() else { panic!("more than one driver") };
        window.clone()
    }

    fn witness(&self, watch: &WatchOrder) -> Option<WitnessWindow> {
        self.step(&watch.order).witness.clone()
    }

    fn levers(&self, question: &LeverQuestion) -> ArmReport {
        ArmReport { machine: self.facts.machine.clone(), ..Computed.levers(question) }
    }
}
