//! Why a command did not do what it was asked: what is wrong, the way out, and the exit code. Pure.

use soak_cli::Exit;
use soak_local::ledger::OutputError;
use soak_operator::ledger::{MapError, StoreError};

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The kubeconfig names no cluster, or not the one that was asked for.
    #[error("{0}; name one with --kubeconfig, --context or the variable KUBECONFIG")]
    NoCluster(String),
    /// The API server does not answer.
    #[error("the cluster {server} cannot be reached: {words}; is it up, and is this the right --context?")]
    Unreachable {
        /// Its address.
        server: String,
        /// What failed.
        words: String,
    },
    /// The API server refuses.
    #[error("the cluster forbids it: {words}; ask whoever manages it for this right: the chart's roles grant it")]
    Forbidden {
        /// Its own words.
        words: String,
    },
    /// The API server does not know who asks.
    #[error("the cluster does not know you: {words}; log in again, or name other credentials with --context")]
    Unknown {
        /// Its own words.
        words: String,
    },
    /// The resource is not served.
    #[error("the cluster serves no SoakCampaign v1alpha1: install the chart, or apply what `soak crd` prints")]
    NotServed,
    /// The API server refuses for another reason.
    #[error("the cluster refuses: {words}")]
    Refused {
        /// Its own words.
        words: String,
    },
    /// There is no such campaign.
    #[error("there is no campaign {name} in namespace {namespace}{}", there_are(known))]
    NoCampaign {
        /// As asked.
        name: String,
        /// Where.
        namespace: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// There are no results.
    #[error("{0}")]
    NoResults(String),
    /// Results do not hold.
    #[error("the results of {name} do not hold: {words}")]
    Broken {
        /// Whose.
        name: String,
        /// What does not hold.
        words: String,
    },
    /// The output folder.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file or standard output.
    #[error("{what}: {source}")]
    Io {
        /// Which.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// What was asked makes no sense here.
    #[error("{0}")]
    Usage(String),
    /// It took too long.
    #[error("{0}")]
    TimeOut(String),
    /// A document cannot be written.
    #[error("a document cannot be written: {0}")]
    Document(String),
}

impl Fault {
    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self {
            Self::NoCluster(_) | Self::NoCampaign { .. } | Self::Usage(_) => Exit::Usage,
            Self::Unreachable { .. }
            | Self::Forbidden { .. }
            | Self::Unknown { .. }
            | Self::NotServed
            | Self::Refused { .. } => Exit::Unreachable,
            Self::NoResults(_) | Self::Broken { .. } => Exit::Incomplete,
            Self::Output(error) => soak_cli::folder::exit(error),
            Self::TimeOut(_) => Exit::TimeOut,
            Self::Io { .. } | Self::Document(_) => Exit::Internal,
        }
    }

    /// From what the client says of a request to this server.
    pub fn of(server: &str, error: kube_client::Error) -> Self {
        let kube_client::Error::Api(status) = error else {
            return Self::Unreachable { server: server.to_owned(), words: innermost(&error) };
        };
        let words = status.message.clone();
        match status.code {
            401 => Self::Unknown { words },
            403 => Self::Forbidden { words },
            404 if words.contains("could not find the requested resource") || words.contains("page not found") => {
                Self::NotServed
            }
            _ => Self::Refused { words },
        }
    }

    /// From what the ledger's reader says.
    pub fn of_store(server: &str, name: &str, error: StoreError) -> Self {
        let broken = |words: String| Self::Broken { name: name.to_owned(), words };
        match error {
            StoreError::Kube(error) => Self::of(server, error),
            StoreError::Overtaken(words) => broken(words),
            StoreError::Document(error) => broken(error.to_string()),
            StoreError::Contradiction(error) => broken(error.to_string()),
        }
    }

    /// From a ConfigMap that cannot be read.
    pub fn of_map(name: &str, error: &MapError) -> Self {
        Self::Broken { name: name.to_owned(), words: error.to_string() }
    }
}

/// The cause of all causes: what is around it says only that a request failed.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

fn there_are(known: &[String]) -> String {
    match known {
        [] => "; there is none at all: look elsewhere with --namespace".to_owned(),
        known => format!("; there are: {}", known.join(", ")),
    }
}
