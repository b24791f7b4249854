//! What is known of the pods of a part: who they are, where they run, what they execute. Plain data, kept beside the
//! record of the levers' proof.

use serde::{Deserialize, Serialize};
use soak_campaign::step::PartKey;
use soak_sample::Machine;

/// The pods of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodFacts {
    /// Which part.
    pub part: PartKey,
    /// The arm's pod.
    pub arm: PodFact,
    /// The driver's pod.
    pub driver: PodFact,
    /// The arm's command line, as the process has it.
    pub command: Vec<String>,
    /// sha256 of the program that the arm's process executes; absent where it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_sha256: Option<String>,
    /// The arm's node, as the witness sees it.
    pub machine: Machine,
}

/// One pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodFact {
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// Its node.
    pub node: String,
    /// The image of its first container, as the kubelet reports what it runs.
    pub image_id: String,
    /// Its quality of service.
    pub qos_class: String,
}

impl PodFact {
    /// What tells its image from any other: the digest, whatever the repository is called; else the whole of what the
    /// kubelet reports.
    pub fn digest(&self) -> &str {
        digest(&self.image_id)
    }
}

/// The digest of an image as the kubelet reports it; the whole where it names none.
pub(crate) fn digest(image_id: &str) -> &str {
    image_id.rsplit_once('@').map_or(image_id, |(_, digest)| digest)
}

#[cfg(test)]
mod tests {
    use super::PodFact;

    #[test]
    fn a_digest_is_the_same_whatever_the_mirror() {
        let check = |image_id: &str, expected: &str| {
            let fact = PodFact {
                name: String::new(),
                uid: String::new(),
                node: String::new(),
                image_id: image_id.to_owned(),
                qos_class: String::new(),
            };
            assert_eq!(fact.digest(), expected);
        };
        check("docker.io/x/y@sha256:12", "sha256:12");
        check("mirror.example.com:5000/y@sha256:12", "sha256:12");
        check("sha256:34", "sha256:34");
    }
}
