//! A lever: one change tried against the same baseline.

use kube::KubeSchema;
use serde::{Deserialize, Serialize};

use super::{Client, EnvVar, Resources, Settings};

/// One change to arms, tried against the unchanged arm of the same campaign.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Lever {
    /// The lever's name, unique in the campaign.
    pub name: String,
    /// The arms it is tried on.
    pub arms: Vec<String>,
    /// Arguments added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Environment variables set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<EnvVar>,
    /// JVM options added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jvm_options: Vec<String>,
    /// Settings changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Settings>,
    /// Resources in place of the arm's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// Client fields changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
}
