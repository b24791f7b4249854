//! Proves an output folder from its files alone: every file has the sum that the index holds, and every row of the ledger
//! follows from its windows. In goes a folder; out comes what does not hold. It must not write, nor judge.

use std::{collections::BTreeSet, io, path::Path};

use soak_campaign::step::{Record, StoredStep};

use super::{Index, OutputError, OutputLedger, index, read_document, results, stored};

/// What was looked at, and what does not hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof {
    /// How many things were looked at.
    pub looked_at: usize,
    /// Each that does not hold, in words.
    pub faults: Vec<String>,
}

/// Holds every file against the index. `None` where there is no index: the campaign is not over.
pub fn index_holds(ledger: &OutputLedger) -> Result<Option<Proof>, OutputError> {
    let (root, path) = (ledger.folder().root(), ledger.folder().index());
    if !path.is_file() {
        return Ok(None);
    }
    let written: Index = read_document(&path)?;
    let mut proof = Proof { looked_at: written.files.len(), faults: Vec::new() };
    if written.plan_hash != ledger.campaign().plan.hash {
        proof.faults.push(format!("index.json is of another plan: {}", written.plan_hash));
    }
    compare(root, &written, &mut proof.faults)?;
    Ok(Some(proof))
}

fn compare(root: &Path, written: &Index, faults: &mut Vec<String>) -> io::Result<()> {
    let found = index::sum(root, &written.plan_hash)?;
    for file in &written.files {
        match found.files.iter().find(|other| other.path == file.path) {
            None => faults.push(format!("{} is in the index and not in the folder", file.path)),
            Some(other) if other != file => faults.push(format!(
                "{} was changed: {} bytes of sha256 {}, in the index {} bytes of {}",
                file.path, other.bytes, other.sha256, file.bytes, file.sha256
            )),
            Some(_) => {}
        }
    }
    let known: BTreeSet<&str> = written.files.iter().map(|file| file.path.as_str()).collect();
    let strangers = found.files.iter().filter(|file| !known.contains(file.path.as_str()));
    faults.extend(strangers.map(|file| format!("{} is in the folder and not in the index", file.path)));
    Ok(())
}

/// Measures every row again from its windows and holds it against the ledger.
pub fn rows_follow(ledger: &OutputLedger) -> Result<Proof, OutputError> {
    let mut proof = Proof::default();
    for run in ledger.campaign().plan.runs.iter().map(|run| &run.id) {
        let windows = ledger.windows(run)?;
        let mut measured = 0;
        for step in results::measure_all(ledger, run, &windows)? {
            let key = step.windows.key.clone();
            measured += 1;
            match again(step, ledger)? {
                Some((expected, found)) if expected == *found => {}
                Some(_) => proof.faults.push(format!("{key}: the row does not follow from its windows")),
                None => proof.faults.push(format!("{key}: windows without a row: go on with --resume")),
            }
        }
        let attempts = ledger.state().run(run).map_or(&[][..], |record| &record.attempts[..]);
        let rows = attempts.iter().flat_map(|attempt| &attempt.parts).map(|part| part.steps.len()).sum::<usize>();
        if rows > measured {
            proof.faults.push(format!("{run}: {rows} rows, and the windows of {measured}"));
        }
        proof.looked_at += rows.max(measured);
    }
    Ok(proof)
}

/// A step measured again, as it would be read back, beside the one that the ledger holds.
fn again<'a>(
    step: results::Measured<'_>,
    ledger: &'a OutputLedger,
) -> Result<Option<(StoredStep, &'a StoredStep)>, OutputError> {
    let key = step.windows.key.clone();
    let path = ledger.folder().ledger().display().to_string();
    let record = stored(step).as_read_back().map_err(|source| OutputError::Document { path, source })?;
    let Record::StepStored { stored: expected, .. } = record else { return Ok(None) };
    let part = usize::try_from(key.part.part).ok().and_then(|part| part.checked_sub(1));
    let part = ledger.state().attempt(&key.part.attempt).zip(part).and_then(|(attempt, at)| attempt.parts.get(at));
    let found = part.and_then(|part| part.steps.iter().find(|stored| stored.step.index == key.step));
    Ok(found.map(|found| (*expected, found)))
}
