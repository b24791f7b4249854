//! Whether the resource is served with every field of this version: what the server's own definition has not, it leaves out
//! of what it stores.

use soak_operator::served::{self, ServedError};

use super::{Check, State, seen};
use crate::{cluster::Cluster, fault::Fault};

/// Asks the API server's published schema.
pub async fn check(cluster: &Cluster) -> Result<Check, Fault> {
    let what = "definition";
    match served::check(&cluster.client).await {
        Ok(()) => Ok(Check::new(what, State::Ok, "SoakCampaign v1alpha1 is served with every field of this version")),
        Err(ServedError::Unread(error)) => {
            let words = seen::<()>(cluster, Err(error))?.err().unwrap_or_default();
            Ok(Check::new(what, State::Unknown, words))
        }
        Err(error @ (ServedError::Absent | ServedError::Lacks(_))) => {
            Ok(Check::new(what, State::Failed, error.to_string()))
        }
    }
}
