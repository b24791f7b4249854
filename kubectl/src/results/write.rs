//! Writes the folder: the ledger's lines, then every document by the function that `soak run` uses, then the index; and
//! proves it as `soak verify` does. In goes an assembled ledger; out comes what is in the folder.

use std::path::Path;

use soak_campaign::{status::Ending, step::End};
use soak_cli::{
    Exit,
    documents::{self, Documents},
    verify::{self, Finding},
};
use soak_local::ledger::OutputLedger;

use super::Assembled;
use crate::fault::Fault;

/// A folder that was written.
#[derive(Debug)]
pub struct CopiedFolder {
    /// Its documents.
    pub documents: Documents,
    /// What its proof has found.
    pub proof: Finding,
    /// What is missing of the ConfigMaps.
    pub missing: Vec<String>,
}

/// Writes a folder, or brings an earlier copy up to date, and proves it.
pub fn write(root: &Path, assembled: &Assembled) -> Result<CopiedFolder, Fault> {
    let ledger = OutputLedger::copy(root, &assembled.campaign, &assembled.copied)?;
    let end = documents::end(&ledger);
    let documents = documents::of(&ledger, &end)?;
    // A folder from which something is missing is never sealed.
    let whole = assembled.missing.is_empty();
    documents.write(&ledger, if whole { &end } else { &End::Interrupted })?;
    let proof = verify::prove(root)?;
    Ok(CopiedFolder { documents, proof, missing: assembled.missing.clone() })
}

impl CopiedFolder {
    /// Where it is and what it is worth, a line each.
    pub fn words(&self, root: &Path) -> Vec<String> {
        let missing = self.missing.iter().map(|words| format!("missing: {words}"));
        let faults = self.proof.faults.iter().map(|words| format!("NOT PROVEN: {words}"));
        let proven = self.proof.verified.then(|| {
            let Finding { files, steps, documents, .. } = &self.proof;
            format!("verified: {files} files, {steps} rows measured again, {documents} documents made again")
        });
        let place = format!("results: {}", root.display());
        missing.chain(faults).chain(proven).chain([place]).collect()
    }

    /// As the campaign ended; incomplete where it has not, or where anything is missing or not proven.
    pub fn exit(&self) -> Exit {
        match self.documents.ending {
            _ if !self.proof.verified || !self.missing.is_empty() => Exit::Incomplete,
            Ending::Interrupted => Exit::Incomplete,
            ending => Exit::from(ending),
        }
    }
}
