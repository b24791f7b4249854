//! How commands that read an output folder end where it cannot be read. Pure.

use soak_local::ledger::{FolderError, OutputError, durable::DurableError};

use crate::Exit;

/// The exit code of an error of an output folder.
pub fn exit(error: &OutputError) -> Exit {
    match error {
        OutputError::Folder(FolderError::NotEmpty { .. } | FolderError::NotACampaign { .. })
        | OutputError::PlanChanged { .. }
        | OutputError::OtherResults { .. } => Exit::Usage,
        OutputError::Durable(DurableError::Full { .. })
        | OutputError::Folder(FolderError::Durable(DurableError::Full { .. })) => Exit::Incomplete,
        OutputError::Folder(_)
        | OutputError::Durable(_)
        | OutputError::Journal(_)
        | OutputError::Document { .. }
        | OutputError::Contradiction(_)
        | OutputError::Index(_) => Exit::Internal,
    }
}
