//! The ledger of one machine: the output folder. What is durable there is done; everything else never happened.
//! In go records and windows; out come the state that they add up to and the files that people read.
//! It must not decide which record follows, nor judge.

mod campaign;
mod check;
mod copy;
pub mod durable;
mod folder;
mod index;
mod journal;
mod results;
mod run_files;

use std::{io, path::Path};

use serde::Serialize;
use soak_campaign::{
    plan::RunId,
    step::{self, LedgerError, PodFacts, Record, StepWindows},
};

pub use campaign::{CampaignFile, ClusterFacts, ExecutorFacts, Facts, IsolationFacts, MachineFacts, VERSION};
pub use check::{Proof, index_holds, rows_follow};
pub use copy::{Copied, CopiedRun};
use durable::DurableError;
pub use folder::{Folder, FolderError};
pub use index::{Index, IndexedFile};
use journal::JournalError;
use results::Measured;
pub use results::RunResult;
pub use run_files::{PartPlace, PartProcesses};

/// Why the ledger cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Durable(#[from] DurableError),
    /// A line cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A document cannot be read.
    #[error("{path}: {source}")]
    Document {
        /// The file.
        path: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The plan is not the one that was hashed.
    #[error("{path}: campaign.json was changed after the campaign began: its plan hashes to {found}, not to {wanted}")]
    PlanChanged {
        /// The folder.
        path: String,
        /// The hash of the plan that is there.
        found: String,
        /// The hash that stands beside it.
        wanted: String,
    },
    /// The folder of a copy holds something else.
    #[error("{path}: the folder holds other results: {what}; nothing is overwritten, name another with --out")]
    OtherResults {
        /// The folder.
        path: String,
        /// What it holds.
        what: String,
    },
    /// The records contradict each other.
    #[error(transparent)]
    Contradiction(#[from] LedgerError),
    /// Files cannot be summed for the index.
    #[error("the index cannot be made: {0}")]
    Index(#[from] io::Error),
}

/// The output folder of a campaign under way.
#[derive(Debug)]
pub struct OutputLedger {
    folder: Folder,
    campaign: CampaignFile,
    state: step::Ledger,
}

impl OutputLedger {
    /// Makes the folder of a new campaign.
    pub fn create(root: &Path, campaign: CampaignFile) -> Result<Self, OutputError> {
        let folder = Folder::create(root)?;
        durable::replace(&folder.campaign(), &document(&campaign)?)?;
        Ok(Self { folder, campaign, state: step::Ledger::default() })
    }

    /// Takes up the folder of a campaign that was begun. A step whose windows are there and whose record is not was
    /// being stored when the executor died: its record is written now.
    pub fn reopen(root: &Path) -> Result<Self, OutputError> {
        let mut ledger = Self::of(Folder::reopen(root)?)?;
        let runs: Vec<RunId> = ledger.campaign.plan.runs.iter().map(|run| run.id.clone()).collect();
        runs.iter().try_for_each(|run| ledger.adopt(run))?;
        Ok(ledger)
    }

    /// Reads the folder of a campaign, whoever holds it; nothing is written.
    pub fn look(root: &Path) -> Result<Self, OutputError> {
        Self::of(Folder::look(root)?)
    }

    fn of(folder: Folder) -> Result<Self, OutputError> {
        let campaign: CampaignFile = read_document(&folder.campaign())?;
        let found = campaign.plan.computed_hash();
        if found != campaign.plan.hash {
            let path = folder.root().display().to_string();
            return Err(OutputError::PlanChanged { path, found, wanted: campaign.plan.hash });
        }
        let state = step::Ledger::replay(journal::read::<Record>(&folder.ledger())?)?;
        Ok(Self { folder, campaign, state })
    }

    /// The folder.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The plan, and the facts under which it is carried out.
    pub fn campaign(&self) -> &CampaignFile {
        &self.campaign
    }

    /// What all records add up to.
    pub fn state(&self) -> &step::Ledger {
        &self.state
    }

    /// Makes a record durable. What is known afterwards is what will be read back.
    pub fn record(&mut self, record: &Record) -> Result<(), OutputError> {
        let mut after = self.state.clone();
        let wrong = |source| OutputError::Document { path: self.folder.ledger().display().to_string(), source };
        after.apply(record.as_read_back().map_err(wrong)?)?;
        journal::append(&self.folder.ledger(), record)?;
        self.state = after;
        Ok(())
    }

    /// Makes a step durable: its windows first, then the record that says so, then the rows that people read.
    /// Gives what the run has given so far.
    pub fn store(&mut self, windows: &StepWindows) -> Result<Option<RunResult>, OutputError> {
        let run = &windows.key.part.attempt.run;
        self.folder.make_run(run)?;
        journal::append(&self.folder.of_run(run, run_files::WINDOWS), windows)?;
        self.adopt(run)?;
        self.write_run(run)
    }

    /// Notes the processes of a part.
    pub fn note_processes(&self, processes: &PartProcesses) -> Result<(), OutputError> {
        let run = &processes.part.attempt.run;
        self.folder.make_run(run)?;
        Ok(journal::append(&self.folder.of_run(run, run_files::PROCESSES), processes)?)
    }

    /// The processes of a run, part by part.
    pub fn processes(&self, run: &RunId) -> Result<Vec<PartProcesses>, OutputError> {
        Ok(journal::read(&self.folder.of_run(run, run_files::PROCESSES))?)
    }

    /// The pods of every run, in the order of the plan.
    pub(crate) fn all_pods(&self) -> Result<Vec<PodFacts>, OutputError> {
        let mut pods = Vec::new();
        for run in &self.campaign.plan.runs {
            pods.extend(journal::read(&self.folder.of_run(&run.id, run_files::PODS))?);
        }
        Ok(pods)
    }

    /// Where a run ran, part by part.
    pub(crate) fn places(&self, run: &RunId) -> Result<Vec<PartPlace>, OutputError> {
        let processes = self.processes(run)?.into_iter().map(PartPlace::Processes);
        let pods: Vec<PodFacts> = journal::read(&self.folder.of_run(run, run_files::PODS))?;
        Ok(processes.chain(pods.into_iter().map(Box::new).map(PartPlace::Pods)).collect())
    }

    /// The sha256 of the program that an arm executed first in this campaign.
    pub fn pinned_digest(&self, arm: &str) -> Result<Option<String>, OutputError> {
        for run in self.campaign.plan.runs.iter().filter(|run| run.arm == arm) {
            if let Some(first) = self.processes(&run.id)?.into_iter().next() {
                return Ok(Some(first.sha256));
            }
        }
        Ok(None)
    }

    /// What every run that has begun has given so far, in the order of the plan.
    pub fn results(&self) -> Result<Vec<RunResult>, OutputError> {
        results::of_runs(self)
    }

    /// Writes the rows and levers of a run as far as they have come; `None` where it has not begun.
    pub fn write_run(&self, run: &RunId) -> Result<Option<RunResult>, OutputError> {
        let result = self.results()?.into_iter().find(|result| result.planned.id == *run);
        if let Some(result) = &result {
            self.folder.make_run(run)?;
            results::write(&self.folder, result)?;
        }
        Ok(result)
    }

    /// Writes a document that people read.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
        Ok(durable::replace(path, bytes)?)
    }

    /// Writes the index: from now on the folder is whole.
    pub fn seal(&self) -> Result<(), OutputError> {
        let index = index::sum(self.folder.root(), &self.campaign.plan.hash)?;
        Ok(index::write(&self.folder.index(), &index)?)
    }

    pub(crate) fn windows(&self, run: &RunId) -> Result<Vec<StepWindows>, OutputError> {
        Ok(journal::read(&self.folder.of_run(run, run_files::WINDOWS))?)
    }

    /// Records every step of a run whose windows are durable and whose record is not.
    fn adopt(&mut self, run: &RunId) -> Result<(), OutputError> {
        let windows = self.windows(run)?;
        if windows.iter().all(|step| self.has(step)) {
            return Ok(());
        }
        for measured in results::measure_all(self, run, &windows)? {
            if !self.has(measured.windows) {
                let record = stored(measured);
                self.record(&record)?;
            }
        }
        Ok(())
    }

    fn has(&self, step: &StepWindows) -> bool {
        let part = usize::try_from(step.key.part.part).ok().and_then(|part| part.checked_sub(1));
        let part = self.state.attempt(&step.key.part.attempt).zip(part).and_then(|(attempt, at)| attempt.parts.get(at));
        part.is_some_and(|part| part.steps.iter().any(|stored| stored.step.index == step.key.step))
    }
}

fn stored(Measured { windows, row, signals }: Measured<'_>) -> Record {
    Record::StepStored { key: windows.key.clone(), stored: Box::new(windows.stored(row, signals)) }
}

/// A document as it is written: indented JSON, its last line ended.
pub fn document<T: Serialize>(value: &T) -> Result<Vec<u8>, OutputError> {
    let wrong = |source| OutputError::Document { path: "a document".to_owned(), source };
    let mut bytes = serde_json::to_vec_pretty(value).map_err(wrong)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn read_document<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, OutputError> {
    let bytes = durable::read(path)?;
    serde_json::from_slice(&bytes).map_err(|source| OutputError::Document { path: path.display().to_string(), source })
}
