//! Has each declared lever looked for on the arm's process by the witness, adds what the kubelet tells of the pod, and
//! records both.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use serde_json::{Map, Value};
use soak_campaign::{
    plan::PlannedArm,
    step::{PartKey, PodFact, PodFacts, ProofTime, Record},
};
use soak_sample::{ArmPorts, ArmReport, LeverProof, LeverQuestion, ProofSource, VERSION};

use super::{ApplyError, Hands};
use crate::{
    build::control_port,
    ledger::Besides,
    observe::{self, arm_ports},
};

impl Hands<'_> {
    /// Proves the levers of a part, and records what was found.
    pub(super) async fn prove(&mut self, part: &PartKey, when: ProofTime) -> Result<(), ApplyError> {
        let gone = || ApplyError::NotYet(format!("{part} is not there"));
        let arm = self.desk.arm_of(&part.attempt.run).ok_or_else(gone)?.clone();
        let ports = arm_ports(&arm.server).ok_or_else(gone)?;
        let witness = self.witness(control_port(ports)).ok_or_else(gone)?;
        let report: ArmReport = witness.ask("/levers", &question(&arm, ports)).await?;
        let facts = self.facts(part, &report).ok_or_else(gone)?;
        let pinned = self.desk.pinned(&arm.name).map(|fact| fact.digest().to_owned());
        let proofs: Vec<LeverProof> = report.proofs.into_iter().chain(of_pod(&facts, pinned.as_deref())).collect();
        let record = Record::LeversProven { part: part.clone(), at_unix_nanos: self.context.now(), when, proofs };
        match when {
            ProofTime::BeforeLoad => {
                self.record(&part.attempt.run, record, Besides::Pods(&facts)).await?;
                self.desk.pods.push(facts);
                Ok(())
            }
            ProofTime::AfterLoad => self.record(&part.attempt.run, record, Besides::Nothing).await,
        }
    }

    fn facts(&self, part: &PartKey, report: &ArmReport) -> Option<PodFacts> {
        let pods = self.found.first()?;
        Some(PodFacts {
            part: part.clone(),
            arm: fact(pods.arm.as_ref()?)?,
            driver: fact(pods.driver.as_ref()?)?,
            command: report.command.clone(),
            program_sha256: report.program_sha256.clone(),
            machine: report.machine.clone(),
        })
    }
}

fn fact(pod: &Pod) -> Option<PodFact> {
    Some(PodFact {
        name: pod.metadata.name.clone()?,
        uid: pod.metadata.uid.clone()?,
        node: observe::node(pod)?.to_owned(),
        image_id: observe::image_id(pod)?.to_owned(),
        qos_class: observe::is_guaranteed(pod).0.to_owned(),
    })
}

fn question(arm: &PlannedArm, ports: ArmPorts) -> LeverQuestion {
    let server = &arm.server;
    let env: BTreeMap<String, String> = server.env.iter().map(|v| (v.name.clone(), v.value.clone())).collect();
    LeverQuestion {
        version: VERSION.to_owned(),
        args: server.args.clone(),
        env,
        settings: settings(arm),
        cpu_milli: server.cpu_milli.unsigned_abs(),
        memory_bytes: server.memory_bytes.unsigned_abs(),
        arm: ports,
    }
}

/// Declared settings alone, as the admin port names them.
fn settings(arm: &PlannedArm) -> Map<String, Value> {
    match serde_json::to_value(&arm.server.settings) {
        Ok(Value::Object(settings)) => settings.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        Ok(_) | Err(_) => Map::new(),
    }
}

/// What the kubelet must tell of both pods: Guaranteed, and the arm's image the one that it ran first.
fn of_pod(facts: &PodFacts, pinned: Option<&str>) -> Vec<LeverProof> {
    let held = |lever: &str, declared: &str, observed: &str| LeverProof {
        lever: lever.to_owned(),
        declared: declared.to_owned(),
        observed: Some(observed.to_owned()),
        source: ProofSource::Kubelet,
        held: Some(declared == observed),
        note: None,
    };
    let PodFacts { arm, driver, .. } = facts;
    vec![
        held("pod.qosClass", "Guaranteed", &arm.qos_class),
        held("driver.qosClass", "Guaranteed", &driver.qos_class),
        held("pod.imageDigest", pinned.unwrap_or(arm.digest()), arm.digest()),
    ]
}

#[cfg(test)]
mod tests {
    use soak_campaign::{plan::RunId, step::AttemptKey};

    use super::*;

    #[test]
    fn another_quality_of_service_or_digest_is_a_lever_that_does_not_hold() {
        let fact = |image: &str, qos: &str| PodFact {
            name: "p".to_owned(),
            uid: "u".to_owned(),
            node: "n".to_owned(),
            image_id: image.to_owned(),
            qos_class: qos.to_owned(),
        };
        let check = |image: &str, qos: &str, pinned: Option<&str>, expected: [bool; 3]| {
            let facts = PodFacts {
                part: AttemptKey { run: RunId("r".to_owned()), attempt: 1 }.part(1),
                arm: fact(image, qos),
                driver: fact("d@sha256:9", "Guaranteed"),
                command: Vec::new(),
                program_sha256: None,
                machine: soak_sample::Machine::default(),
            };
            let held: Vec<_> = of_pod(&facts, pinned).iter().map(|proof| proof.held).collect();
            assert_eq!(held, expected.map(Some));
        };
        check("a@sha256:1", "Guaranteed", None, [true; 3]);
        check("mirror/a@sha256:1", "Guaranteed", Some("sha256:1"), [true; 3]);
        check("a@sha256:2", "Guaranteed", Some("sha256:1"), [true, true, false]);
        check("a@sha256:1", "Burstable", None, [false, true, true]);
    }
}
