//! What tests on a real Kubernetes stand on: the cluster that `KUBECONFIG` names, its API as JSON, a namespace that is
//! removed at the end. Knows nothing of the product.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what is not as expected fails the test")]
#![allow(clippy::missing_panics_doc, reason = "all of them do")]

mod api;
mod cluster;
mod namespace;

pub use api::{Answer, Api};
pub use cluster::{Cluster, until};
pub use namespace::Namespace;
