//! What an executor sees at one instant. Not seen is `Unknown`, never "gone".

use serde::{Deserialize, Serialize};

use super::{AttemptKey, Identity, PartKey};

/// Everything that is seen at one instant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Observed {
    /// The processes (pods) of a run that are there, whichever run they belong to; absent: looked, and there are none.
    pub part: Option<ObservedPart>,
    /// The last beginning that failed, all of what it had made being removed again.
    pub start_failed: Option<StartFailure>,
    /// Whether results can be stored.
    pub storage: Storage,
    /// What the user wants besides the spec.
    pub wish: Wish,
}

/// Arm and driver of one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ObservedPart {
    /// The part that they were made for, or last kept for.
    pub key: PartKey,
    /// The arm.
    pub arm: ProcessState,
    /// The driver; of several, the worst state.
    pub driver: ProcessState,
    /// Orders that the driver holds, in the order of their start; of several drivers, finished when all have.
    #[serde(default)]
    pub orders: Vec<ObservedOrder>,
}

/// One process or pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum ProcessState {
    /// Looked, and it is not there.
    Absent,
    /// There, not ready.
    Starting {
        /// What it waits for, such as the scheduler's words.
        #[serde(default)]
        words: Option<String>,
    },
    /// Ready.
    Ready {
        /// Which one it is.
        identity: Identity,
    },
    /// Ended while somebody looked.
    Exited {
        /// How, and its last words.
        words: String,
    },
    /// Could not look.
    Unknown {
        /// Why.
        words: String,
        /// The last time that it was seen.
        since_unix_nanos: i64,
    },
}

/// An order that a driver holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ObservedOrder {
    /// Its id.
    pub id: String,
    /// How far it is.
    pub state: OrderState,
    /// Start, as ordered.
    pub start_unix_nanos: i64,
    /// End before the drain, as ordered.
    pub end_unix_nanos: i64,
}

/// How far an order is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum OrderState {
    /// Waiting for its start.
    Armed,
    /// Under way, or draining.
    Running,
    /// Its window can be read.
    Finished,
    /// It could not be carried out.
    Failed {
        /// Why.
        words: String,
    },
}

/// A beginning that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartFailure {
    /// Of which attempt.
    pub attempt: AttemptKey,
    /// What failed, such as `no such file: ./cart` or `port 8080 is in use by nginx (412)`.
    pub words: String,
}

/// Whether results can be stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Storage {
    /// As far as is known.
    #[default]
    Works,
    /// Refused for now (a quota); no further load until it works again.
    Refused {
        /// Why.
        words: String,
    },
    /// Not before somebody acts (a full disk): the load stops and what is stored stays.
    Lost {
        /// Why.
        words: String,
    },
}

/// What the user wants besides the spec; of several, the last of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Wish {
    /// Go on.
    #[default]
    GoOn,
    /// Finish the step at hand, then hold.
    Suspend,
    /// Stop at once; it may be taken up again.
    Interrupt,
    /// Stop at once and for good.
    Cancel,
}
