//! From a campaign's ConfigMaps to the ledger of an output folder: the lines as the operator wrote them, held against the
//! index where there is one. In go ConfigMaps; out come lines, and what is missing of them. Pure.

use k8s_openapi::api::core::v1::ConfigMap;
use soak_campaign::{
    plan::{Plan, RunId},
    status::rfc3339,
    step::{Ledger, PodFacts, Record, StepWindows},
};
use soak_crds::spec::Withdrawal;
use soak_local::ledger::{CampaignFile, ClusterFacts, Copied, CopiedRun, ExecutorFacts, Facts, VERSION};
use soak_operator::{
    ledger::{Kept, kept, plan_of, unpacked},
    names::Base,
};

use super::{
    find::recorded,
    index::{self, role},
};
use crate::fault::Fault;

/// A campaign's ledger, ready to be copied.
#[derive(Debug)]
pub struct Assembled {
    /// The plan, and the facts under which it was carried out.
    pub campaign: CampaignFile,
    /// Its lines.
    pub copied: Copied,
    /// What is missing, in words; nothing else is wrong.
    pub missing: Vec<String>,
    /// What was taken back.
    pub withdrawals: Vec<Withdrawal>,
}

/// Assembles the ledger that these ConfigMaps hold.
pub fn assemble(namespace: &str, label: &str, maps: &[ConfigMap]) -> Result<Assembled, Fault> {
    let broken = |words: String| Fault::Broken { name: label.to_owned(), words };
    let base = Base::from_label(label);
    let plan = plan(&base, maps)?;
    let kept = kept(maps).map_err(|error| Fault::of_map(label, &error))?;
    let index = index::newest(maps).map_err(broken)?;
    let mut missing = match &index {
        Some(index) if index.plan_hash != plan.hash => {
            return Err(broken(format!("the index is of another plan: {}", index.plan_hash)));
        }
        Some(index) => index::missing(index, maps, &kept, &base).map_err(broken)?,
        None => gaps(&base, &kept),
    };
    let mut lines =
        Lines { label, plan: &plan, ledger: Ledger::default(), pods: Vec::new(), copied: Copied::default() };
    for kept in &kept {
        missing.extend(lines.add(kept, &base)?);
    }
    let Lines { ledger, pods, copied, .. } = lines;
    let parts = ledger.runs.iter().flat_map(|run| &run.attempts).flat_map(|attempt| &attempt.parts);
    let Some(began) = parts.map(|part| part.began_unix_nanos).min() else {
        return Err(Fault::NoResults(format!(
            "{} has measured nothing yet: its plan is there, and no record",
            plan.name
        )));
    };
    let cluster = ClusterFacts {
        namespace: namespace.to_owned(),
        results: label.to_owned(),
        over: index.is_some(),
        copied_by: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let facts = Facts {
        soak_version: plan.planned_by.clone(),
        machine: pods.first().map(|facts: &PodFacts| facts.machine.clone()).unwrap_or_default(),
        executor: ExecutorFacts::Cluster { cluster },
    };
    let campaign = CampaignFile {
        version: VERSION.to_owned(),
        started: rfc3339(began),
        source: None,
        working_folder: None,
        facts,
        plan,
    };
    Ok(Assembled { campaign, copied, missing, withdrawals: recorded(&ledger) })
}

fn plan(base: &Base, maps: &[ConfigMap]) -> Result<Plan, Fault> {
    let name = base.label();
    let broken = |words: String| Fault::Broken { name: name.to_owned(), words };
    let Some(map) = maps.iter().find(|map| role(map) == "plan") else {
        return Err(Fault::NoResults(format!("there are no results {name}: ConfigMap {} is not there", base.plan())));
    };
    let plan = plan_of(map).map_err(|error| Fault::of_map(name, &error))?;
    let plan = plan.ok_or_else(|| broken(format!("ConfigMap {} holds no plan", base.plan())))?;
    let found = plan.computed_hash();
    if found != plan.hash {
        return Err(broken(format!("the plan was changed: it hashes to {found}, not to {}", plan.hash)));
    }
    Ok(plan)
}

/// Numbers that are missing before the highest one of a run.
fn gaps(base: &Base, kept: &[Kept]) -> Vec<String> {
    let last = |kept: &Kept| kept.number;
    let mut missing = Vec::new();
    for run in kept.chunk_by(|one, other| one.run == other.run) {
        let place = run.first().map_or(0, |kept| kept.run);
        let numbers = 0..run.iter().map(last).max().unwrap_or_default();
        let absent = numbers.filter(|number| !run.iter().any(|kept| kept.number == *number));
        missing.extend(absent.map(|number| format!("ConfigMap {} is not there", base.record(place, number))));
    }
    missing
}

/// The lines so far, and what they add up to.
struct Lines<'a> {
    label: &'a str,
    plan: &'a Plan,
    ledger: Ledger,
    pods: Vec<PodFacts>,
    copied: Copied,
}

impl Lines<'_> {
    /// Adds a record with what lies beside it. Gives what is missing for it.
    fn add(&mut self, kept: &Kept, base: &Base) -> Result<Option<String>, Fault> {
        let map = base.record(kept.run, kept.number);
        let label = self.label;
        let broken = |words: String| Fault::Broken { name: label.to_owned(), words };
        let run = self.plan.runs.get(kept.run).map(|run| run.id.clone());
        let run = run.ok_or_else(|| broken(format!("ConfigMap {map} is of no run of the plan")))?;
        if !is_about(&kept.record.value, &run) {
            return Err(broken(format!("ConfigMap {map} holds a record of another run than {run}")));
        }
        if let Err(error) = self.ledger.apply(kept.record.value.clone()) {
            return Ok(Some(format!("ConfigMap {map} cannot be placed: {error}")));
        }
        let line = one_line(&kept.record.text)
            .ok_or_else(|| broken(format!("the record of ConfigMap {map} is not one line")))?;
        self.copied.records.push(line);
        if let Some(pods) = &kept.pods {
            let line =
                one_line(&pods.text).ok_or_else(|| broken(format!("the pods of ConfigMap {map} are not one line")))?;
            self.run(&run).pods.push(line);
            self.pods.push(pods.value.clone());
        }
        let Record::StepStored { key, .. } = &kept.record.value else { return Ok(None) };
        let Some(windows) = &kept.windows else { return Ok(Some(format!("ConfigMap {map} has no windows"))) };
        let windows = unpacked::<StepWindows>(&map, windows).map_err(|error| Fault::of_map(label, &error))?;
        if windows.value.key != *key {
            return Err(broken(format!("the windows of ConfigMap {map} are those of {}", windows.value.key)));
        }
        let line = one_line(&windows.text)
            .ok_or_else(|| broken(format!("the windows of ConfigMap {map} are not one line")))?;
        self.run(&run).windows.push(line);
        Ok(None)
    }

    fn run(&mut self, id: &RunId) -> &mut CopiedRun {
        let runs = &mut self.copied.runs;
        let at = runs.iter().position(|run| run.run == *id).unwrap_or_else(|| {
            runs.push(CopiedRun { run: id.clone(), windows: Vec::new(), pods: Vec::new() });
            runs.len() - 1
        });
        &mut runs[at]
    }
}

/// Whether a record speaks of this run.
fn is_about(record: &Record, run: &RunId) -> bool {
    let of = match record {
        Record::PartBegan { part, .. } | Record::LeversProven { part, .. } => &part.attempt.run,
        Record::StepAdded { attempt, .. } | Record::AttemptEnded { attempt, .. } => &attempt.run,
        Record::StepStored { key, .. } => &key.part.attempt.run,
        Record::Withdrawn { withdrawal, .. } => return withdrawal.run == run.0,
    };
    of == run
}

/// A document of one line, as each line of a folder's files is.
fn one_line(text: &str) -> Option<String> {
    (!text.contains(['\n', '\r'])).then(|| text.to_owned())
}
