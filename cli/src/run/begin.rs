//! How a run begins: a new folder for a campaign that is accepted, or the folder of one that was begun.

use std::{
    env, io,
    path::{Path, PathBuf},
};

use soak_campaign::{plan::Executor, status::rfc3339};
use soak_local::{
    Means, MeansError,
    ledger::{CampaignFile, ExecutorFacts, Facts, MachineFacts, OutputError, OutputLedger, VERSION},
    unix_nanos,
};

use super::{differences, preflight};
use crate::{
    Exit, folder,
    input::{self, Loaded, Rejected},
};

/// Why a campaign does not begin.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    /// The file is not accepted.
    #[error("the campaign is not accepted")]
    Rejected(Rejected),
    /// There is neither a file nor a folder.
    #[error("a campaign's file, or --resume with a folder, is needed")]
    NoFile,
    /// The folder cannot be used.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// This machine cannot run it.
    #[error(transparent)]
    Means(#[from] MeansError),
    /// Signals cannot be watched.
    #[error("cannot watch for Ctrl-C: {0}")]
    Signals(#[source] io::Error),
    /// The current folder cannot be found.
    #[error("cannot find the current folder: {0}")]
    Here(#[source] io::Error),
    /// The file asks for something else than what was begun.
    #[error(
        "{folder}: the folder belongs to another plan: {changes}; what was asked before the start is never changed after"
    )]
    OtherPlan {
        /// The folder.
        folder: String,
        /// The fields that differ.
        changes: String,
    },
    /// The folder was begun under other circumstances.
    #[error("{folder}: cannot go on: {what}; numbers from both would not compare")]
    Changed {
        /// The folder.
        folder: String,
        /// What has changed.
        what: String,
    },
}

impl BeginError {
    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Rejected(_) | Self::NoFile | Self::OtherPlan { .. } | Self::Changed { .. } => Exit::Usage,
            Self::Output(error) => folder::exit(error),
            Self::Means(_) | Self::Signals(_) | Self::Here(_) => Exit::Internal,
        }
    }
}

/// A campaign's file with everything that it needs: what is wrong with file or machine is told at once.
pub fn load(path: &Path) -> Result<Campaign, BeginError> {
    let loaded = input::load(path, Executor::Local).map_err(BeginError::Rejected)?;
    let working_folder = working_folder(path)?;
    let refusals = preflight::refusals(&loaded, &working_folder);
    if !refusals.is_empty() {
        return Err(BeginError::Rejected(input::reject(path, refusals)));
    }
    Ok(Campaign { loaded, path: path.to_owned(), working_folder })
}

/// A campaign that is accepted, and where it lies.
#[derive(Debug)]
pub struct Campaign {
    loaded: Loaded,
    path: PathBuf,
    working_folder: PathBuf,
}

/// Makes the folder of a new campaign.
pub fn create(out: Option<&Path>, campaign: &Campaign, means: &Means) -> Result<OutputLedger, BeginError> {
    let plan = campaign.loaded.plan.clone();
    let started = rfc3339(unix_nanos());
    let default = || PathBuf::from(format!("soak-{}-{}", plan.name, started.replace(['-', ':'], "")));
    let root = out.map_or_else(default, Path::to_owned);
    let file = CampaignFile {
        version: VERSION.to_owned(),
        started,
        source: Some(campaign.path.clone()),
        working_folder: Some(campaign.working_folder.clone()),
        facts: facts(means)?,
        plan,
    };
    Ok(OutputLedger::create(&root, file)?)
}

/// Takes up the folder of a campaign that was begun: the same plan, program and machine.
pub fn resume(folder: &Path, asked: Option<&Campaign>, means: &Means) -> Result<OutputLedger, BeginError> {
    let ledger = OutputLedger::reopen(folder)?;
    let begun = ledger.campaign();
    if let Some(asked) = asked.map(|campaign| &campaign.loaded.plan).filter(|asked| asked.hash != begun.plan.hash) {
        let changes = differences::words(&begun.plan, asked);
        return Err(BeginError::OtherPlan { folder: folder.display().to_string(), changes });
    }
    let here = machine_facts(means)?;
    let changed = |what: &str| BeginError::Changed { folder: folder.display().to_string(), what: what.to_owned() };
    let ExecutorFacts::Machine(at_first) = &begun.facts.executor else {
        return Err(changed("it was carried out on a cluster"));
    };
    if here.soak_sha256 != at_first.soak_sha256 {
        return Err(changed("this is another build of soak than the one that began it"));
    }
    if *means.machine() != begun.facts.machine {
        return Err(changed("this is another machine than the one on which it began"));
    }
    if here.isolation != at_first.isolation {
        return Err(changed("processes are kept apart by other means than when it began"));
    }
    Ok(ledger)
}

fn facts(means: &Means) -> Result<Facts, BeginError> {
    Ok(Facts {
        soak_version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: means.machine().clone(),
        executor: ExecutorFacts::Machine(machine_facts(means)?),
    })
}

fn machine_facts(means: &Means) -> Result<MachineFacts, BeginError> {
    Ok(MachineFacts {
        soak_sha256: means.program_sha256()?,
        arms_build_inputs_sha256: soak_arms::BUILD_INPUTS_SHA256.to_owned(),
        isolation: means.isolation_facts(),
    })
}

/// Commands are executed beside the campaign's file, where the files of its bodies lie too.
fn working_folder(path: &Path) -> Result<PathBuf, BeginError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    env::current_dir().map(|here| here.join(folder)).and_then(|folder| folder.canonicalize()).map_err(BeginError::Here)
}
