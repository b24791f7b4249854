//! What a judge says: the words and their evidence.

use serde::{Deserialize, Serialize};

use crate::table::number;

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

impl Verdict {
    /// Its name as written in tables and documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::Contaminated => "contaminated",
            Self::ClientLimited => "client-limited",
            Self::HostLimited => "host-limited",
            Self::ShapeLimited => "shape-limited",
            Self::FirstStep => "first-step",
            Self::Outlier => "outlier",
            Self::Clean => "clean",
            Self::AtKnee => "at-knee",
            Self::PastKnee => "past-knee",
        }
    }

    /// What a number under this verdict is worth.
    pub fn worth(self) -> Worth {
        match self {
            Self::Void | Self::FirstStep => Worth::Nothing,
            Self::Contaminated | Self::ClientLimited | Self::HostLimited | Self::ShapeLimited => Worth::Floor,
            Self::Outlier | Self::Clean | Self::AtKnee | Self::PastKnee => Worth::Judged,
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// What a step's number is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Worth {
    /// Shown, never used.
    Nothing,
    /// The arm can do at least this.
    Floor,
    /// Used for knee, plateau and capacity.
    Judged,
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
    #[serde(serialize_with = "number::plain")]
    pub last: f64,
    /// The first that does not.
    #[serde(serialize_with = "number::plain")]
    pub first_broken: f64,
}

/// The longest run of saturated steps at the ramp's end, delivered per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plateau {
    /// Lowest.
    #[serde(serialize_with = "number::plain")]
    pub low: f64,
    /// Highest.
    #[serde(serialize_with = "number::plain")]
    pub high: f64,
    /// Median; of an even count the mean of the middle two.
    #[serde(serialize_with = "number::plain")]
    pub median: f64,
}

/// Calls per second an arm can deliver.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Capacity {
    /// Calls per second.
    #[serde(serialize_with = "number::plain")]
    pub per_second: f64,
    /// True where it is a floor.
    pub at_least: bool,
}

/// What a run means. Each is a fact of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunJudgement {
    /// Offered rate of the first step after the warm-up.
    #[serde(serialize_with = "number::option")]
    pub first_step: Option<f64>,
    /// The knee; absent where the ramp did not reach it.
    pub knee: Option<Knee>,
    /// Offered rates of outliers.
    #[serde(serialize_with = "number::list")]
    pub outliers: Vec<f64>,
    /// The plateau.
    pub plateau: Option<Plateau>,
    /// The capacity, or a floor of it; absent where no step can be judged.
    pub capacity: Option<Capacity>,
    /// The highest judged step within the service level, all higher ones breaking it; a floor where none breaks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slo_capacity: Option<Capacity>,
    /// Offered rate of the first step that collapsed.
    #[serde(serialize_with = "number::option")]
    pub collapse: Option<f64>,
    /// The ramp must be longer to find the capacity.
    pub extend: bool,
    /// Offered rates of the steps before which the ramp stood still for longer than its bound.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "number::list")]
    pub split: Vec<f64>,
    /// What a reader must know besides, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::Verdict;

    #[test]
    fn a_verdict_is_written_by_its_name_and_keeps_a_column_s_width() {
        assert_eq!(Verdict::ClientLimited.to_string(), "client-limited");
        assert_eq!(format!("{:>7}|{:<7}|", Verdict::Void, Verdict::Clean), "   void|clean  |");
    }
}
