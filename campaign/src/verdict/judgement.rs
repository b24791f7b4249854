//! What a judge says: the words and their evidence.

use serde::{Deserialize, Serialize};

/// The verdict on a step: the first of these that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It cannot be judged.
    Void,
    /// Something else ran.
    Contaminated,
    /// The driver fell behind its schedule.
    ClientLimited,
    /// The CPUs the arm may use had no room, while it was not at its quota.
    HostLimited,
    /// Every slot of the declared client shape was busy, while arm and host had room.
    ShapeLimited,
    /// The first step after the warm-up: shown, never used.
    FirstStep,
    /// It breaks a knee bound while a later, higher step keeps them all.
    Outlier,
    /// It answers everything.
    Clean,
    /// It keeps the knee's bounds, not clean.
    AtKnee,
    /// The rest.
    PastKnee,
}

/// One fact that a verdict rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// What was measured, such as `answered`.
    pub measure: String,
    /// Its value in words, such as `99.31 %`.
    pub value: String,
    /// The bound it is held against, such as `≥ 99.5 %`; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
}

/// The knee lies between two offered rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Knee {
    /// The last judged step that delivers.
    pub last: f64,
    /// The first that does not.
    pub first_broken: f64,
}

/// The longest run of saturated steps at the ramp's end, delivered per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plateau {
    /// Lowest.
    pub low: f64,
    /// Highest.
    pub high: f64,
    /// Median.
    pub median: f64,
}

/// Calls per second an arm can deliver.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Capacity {
    /// Calls per second.
    pub per_second: f64,
    /// True where it is a floor.
    pub at_least: bool,
}

/// What a run means. Each is a fact of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunJudgement {
    /// Offered rate of the first step after the warm-up.
    pub first_step: Option<f64>,
    /// The knee; absent where the ramp did not reach it.
    pub knee: Option<Knee>,
    /// Offered rates of outliers.
    pub outliers: Vec<f64>,
    /// The plateau.
    pub plateau: Option<Plateau>,
    /// The capacity, or a floor of it; absent where no step can be judged.
    pub capacity: Option<Capacity>,
    /// The highest judged step within the service level, all higher ones breaking it.
    pub slo_capacity: Option<f64>,
    /// Offered rate of the first step that collapsed.
    pub collapse: Option<f64>,
    /// The ramp must be longer to find the capacity.
    pub extend: bool,
}
