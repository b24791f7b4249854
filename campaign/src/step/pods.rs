//! What is known of the pods of a part: who they are, where they run, what they execute. Plain data, kept beside the
//! record of the levers' proof.

use serde::{Deserialize, Serialize};
use soak_sample::Machine;

use super::PartKey;
use crate::plan::Plan;

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

impl PodFacts {
    /// The pods that a part ran on: its own, or those of an earlier part of the attempt that it kept.
    pub fn of_part<'a>(pods: &'a [Self], part: &PartKey) -> Option<&'a Self> {
        let own = pods.iter().find(|facts| facts.part == *part);
        let kept = |facts: &&Self| facts.part.attempt == part.attempt && facts.part.part <= part.part;
        own.or_else(|| pods.iter().rfind(kept))
    }

    /// The arm's pod that ran first in this campaign: its image is the one of all later ones.
    pub fn first_of_arm<'a>(pods: &'a [Self], plan: &Plan, arm: &str) -> Option<&'a PodFact> {
        let mut runs = plan.runs.iter().filter(|run| run.arm == arm);
        let first = runs.find_map(|run| pods.iter().find(|facts| facts.part.attempt.run == run.id));
        first.map(|facts| &facts.arm)
    }
}

impl PodFact {
    /// What tells its image from any other: the digest, whatever the repository is called; else the whole of what the
    /// kubelet reports.
    pub fn digest(&self) -> &str {
        image_digest(&self.image_id)
    }
}

/// The digest of an image as the kubelet reports it; the whole where it names none.
pub fn image_digest(image_id: &str) -> &str {
    image_id.rsplit_once('@').map_or(image_id, |(_, digest)| digest)
}

#[cfg(test)]
mod tests {
    use super::image_digest;

    #[test]
    fn a_digest_is_the_same_whatever_the_mirror() {
        let check = |image_id: &str, expected: &str| assert_eq!(image_digest(image_id), expected);
        check("docker.io/x/y@sha256:12", "sha256:12");
        check("mirror.example.com:5000/y@sha256:12", "sha256:12");
        check("sha256:34", "sha256:34");
    }
}
