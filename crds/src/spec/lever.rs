//! A lever: one change tried against the same baseline.

use kube::KubeSchema;
use serde::{Deserialize, Serialize};

use super::{Client, EnvVar, Settings};
use crate::{
    pattern,
    units::{Cpu, Memory},
};

/// One change to arms, tried against the unchanged arm of the same campaign.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[x_kube(
    validation = Rule::new(
        "has(self.args) || has(self.env) || has(self.jvmOptions) || has(self.settings) || has(self.resources) \
         || has(self.client)"
    )
    .message("must change something: set args, env, jvmOptions, settings, resources or client")
)]
#[serde(rename_all = "camelCase")]
pub struct Lever {
    /// The lever's name, unique in the campaign.
    #[schemars(length(min = 1, max = 40), regex(pattern = pattern::NAME))]
    pub name: String,
    /// The arms it is tried on.
    #[schemars(length(min = 1, max = 32), inner(length(min = 1, max = 40), regex(pattern = pattern::NAME)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub arms: Vec<String>,
    /// Arguments added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 64), inner(length(max = 1024)))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub args: Vec<String>,
    /// Environment variables set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 64))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub env: Vec<EnvVar>,
    /// JVM options added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 64), inner(length(min = 1, max = 512)))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub jvm_options: Vec<String>,
    /// Settings changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Settings>,
    /// CPU or memory in place of the arm's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceChange>,
    /// Client fields changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
}

/// CPU or memory in place of the arm's. What is absent stays as it is.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[x_kube(
    validation = Rule::new("has(self.cpu) || has(self.memory)").message("must have cpu or memory")
)]
#[serde(rename_all = "camelCase")]
pub struct ResourceChange {
    /// CPU limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cpu>,
    /// Memory limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}
