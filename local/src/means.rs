//! What this machine gives an executor: its own program, what keeps processes apart, which CPU is whose.
//! In goes the machine as it is; out come means that stay the same for a campaign.

use std::{collections::BTreeMap, env, io, path::Path};

use soak_sample::Machine;
use soak_witness::Root;

use crate::{
    digest,
    isolation::{Isolation, IsolationError, PERIOD_MICROS},
    launch::Launcher,
    ledger::IsolationFacts,
};

/// Variables of the executor's own environment that an arm gets besides the declared ones.
const INHERITED: [&str; 7] = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/// This program, also where its file has been replaced since it was started.
pub(crate) const THIS_PROGRAM: &str = "/proc/self/exe";

/// Why this machine cannot run a campaign.
#[derive(Debug, thiserror::Error)]
pub enum MeansError {
    /// The program cannot be read.
    #[error("cannot read this program: {0}")]
    Program(#[source] io::Error),
    /// What keeps processes apart cannot be found out.
    #[error(transparent)]
    Isolation(#[from] IsolationError),
}

/// What this machine gives.
#[derive(Debug)]
pub struct Means {
    /// How programs are started.
    pub(crate) launcher: Launcher,
    /// What keeps them apart.
    pub(crate) isolation: Isolation,
    /// The CPUs that may be used, by core.
    pub(crate) cores: Vec<Vec<u32>>,
    /// The machine.
    machine: Machine,
}

impl Means {
    /// Looks at this machine, and removes what an earlier `soak` that was killed left behind.
    pub fn find() -> Result<Self, MeansError> {
        let root = Root::live();
        let machine = soak_witness::machine(&root);
        let isolation = Isolation::detect(&root)?;
        isolation.remove_leftovers();
        Ok(Self {
            launcher: Launcher::this_program(&["launch"]),
            cores: soak_witness::siblings(&root, &machine.cpus_allowed),
            isolation,
            machine,
        })
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The sha256 of this program, which is driver and preset arms as well.
    pub fn program_sha256(&self) -> Result<String, MeansError> {
        digest::of_file(Path::new(THIS_PROGRAM)).map_err(MeansError::Program)
    }

    /// What keeps processes apart, as tables tell it.
    pub fn isolation_facts(&self) -> IsolationFacts {
        let enforced = self.isolation.enforced();
        IsolationFacts { enforced, quota_period_micros: enforced.cpu.then_some(PERIOD_MICROS) }
    }
}

/// The environment of an arm before its declared variables: the few that programs cannot do without, never all.
pub(crate) fn inherited() -> BTreeMap<String, String> {
    INHERITED.iter().filter_map(|name| Some(((*name).to_owned(), env::var(name).ok()?))).collect()
}
