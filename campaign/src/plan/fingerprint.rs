//! What must be equal for two runs to be compared, and the plan's own hash. Hashes are taken over JSON whose fields stand
//! in the order of the types.

use serde::Serialize;
use sha2::{Digest, Sha256};
use soak_crds::spec::{BodyPreset, Client};

use super::{Plan, PlannedStep};

/// What must be equal for two runs to be compared, besides what only the executor knows (the machine).
/// A preset body counts as the same in JSON and in protobuf, and a client's shape counts as it was written: so two
/// protocols, each with its own default shape and format, can be compared.
pub(super) struct Fingerprint<'a> {
    pub steps: &'a [PlannedStep],
    pub body: Option<BodyPreset>,
    pub body_sha256: &'a str,
    pub client: &'a Client,
}

impl Fingerprint<'_> {
    /// Three short hashes with their names, so that a reader sees which part differs.
    pub fn text(&self) -> String {
        let body = match self.body {
            Some(preset) => format!("{preset:?}").to_lowercase(),
            None => short(&self.body_sha256),
        };
        format!("ramp:{} body:{body} client:{}", short(&self.steps), short(&self.client))
    }
}

fn short<T: Serialize>(value: &T) -> String {
    let mut hash = sha256(&json(value));
    hash.truncate(12);
    hash
}

/// The plan's hash: over everything but the hash itself.
pub(super) fn plan_hash(plan: &Plan) -> String {
    sha256(&json(&Plan { hash: String::new(), ..plan.clone() }))
}

impl Plan {
    /// sha256 over everything but the hash itself, hexadecimal: equal to the hash unless the plan was changed.
    pub fn computed_hash(&self) -> String {
        plan_hash(self)
    }

    /// sha256 of the predictions as they are planned, hexadecimal; absent where there are none.
    pub fn predictions_hash(&self) -> Option<String> {
        (!self.predictions.is_empty()).then(|| sha256(&json(&self.predictions)))
    }
}

/// sha256, hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}

#[allow(clippy::expect_used, reason = "plain data with text keys always serialises")]
fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("plain data serialises")
}
