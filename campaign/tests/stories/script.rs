//! What happens in a story: how each arm behaves, and events at their times.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A story's script.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Script {
    /// How each arm of the plan behaves.
    pub arms: BTreeMap<String, ArmModel>,
    /// What happens, in the order of time.
    #[serde(default)]
    pub events: Vec<Event>,
}

/// How an arm behaves.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ArmModel {
    /// Calls per second that it can answer.
    pub capacity: f64,
    /// CPU for each call, microseconds.
    #[serde(default = "half_a_milli")]
    pub cpu_micros: f64,
    /// By how much its memory grows with every step, thousandths.
    #[serde(default)]
    pub rss_growth_permille: i32,
    /// Milliseconds until it is ready; absent: never.
    #[serde(default)]
    pub ready_millis: Option<i64>,
    /// Why it cannot be started.
    #[serde(default)]
    pub start_fails: Option<String>,
    /// What its CPU limit is found to be, where that is not what was declared.
    #[serde(default)]
    pub cpu_before_load: Option<String>,
    /// … after the load.
    #[serde(default)]
    pub cpu_after_load: Option<String>,
}

fn half_a_milli() -> f64 {
    500.0
}

/// Something that happens.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Event {
    /// Milliseconds from the story's beginning.
    pub at_millis: i64,
    /// What.
    pub what: What,
}

/// What happens.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum What {
    /// The arm ends with these words.
    ArmDies(String),
    /// The driver ends with these words.
    DriverDies(String),
    /// Another process stands in the arm's place.
    ArmIsReplaced,
    /// The order at hand fails with these words.
    OrderFails(String),
    /// The driver goes on, and nothing that it does ever ends.
    DriverHangs,
    /// Arm and driver cannot be seen, for this reason.
    Blind(String),
    /// They can be seen again.
    Sees,
    /// The executor dies.
    ExecutorDies(Processes),
    /// The executor dies right after it has stored the next step.
    ExecutorDiesAfterStoring(Processes),
    /// The executor is there again.
    ExecutorIsBack,
    /// The user interrupts.
    Interrupt,
    /// The user lets it go on, after an interruption or a suspension.
    GoOn,
    /// The user suspends.
    Suspend,
    /// The user cancels.
    Cancel,
    /// Results are refused for now.
    StorageRefuses(String),
    /// Results can be stored again.
    StorageWorks,
    /// Results cannot be stored any more.
    StorageIsLost(String),
}

/// What becomes of arm and driver when the executor dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Processes {
    /// They end with it, as on one machine.
    Gone,
    /// They stay, as on a cluster.
    Stay,
}
