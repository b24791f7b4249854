//! Looks for each declared lever on the arm's process, and notes which program it executes.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use soak_campaign::{
    plan::PlannedArm,
    step::{PartKey, ProofTime, Record},
};
use soak_witness::{
    CommandLine, Root,
    lever::{Declared, Subject, prove_on},
};

use super::ApplyError;
use crate::{clock::unix_nanos, execute::Executor, ledger::PartProcesses, site::Site, watch::Event};

impl Executor<'_> {
    /// Proves the levers of a part, and records what was found.
    pub(crate) fn prove(&mut self, part: &PartKey, when: ProofTime) -> Result<(), ApplyError> {
        let arm = self.run(&part.attempt.run).and_then(|run| self.arm(&run.arm)).ok_or(ApplyError::Gone)?;
        let site = self.site_mut()?;
        let subject = subject(site).ok_or(ApplyError::Gone)?;
        let declared = declared(&arm, &site.cpus.arm);
        let permitted = site.arm.member.enforced().permitted();
        let found = processes(site).ok_or(ApplyError::Gone)?;
        let proofs = prove_on(&Root::live(), &subject, &declared, permitted);
        self.watch.see(&Event::LeversProven(&proofs));
        if when == ProofTime::BeforeLoad {
            self.pin_digest(&arm.name, &found)?;
            self.ledger.note_processes(&found)?;
        }
        let record = Record::LeversProven { part: part.clone(), at_unix_nanos: unix_nanos(), when, proofs };
        self.ledger.record(&record)?;
        self.ledger.write_run(&part.attempt.run)?;
        Ok(())
    }

    /// Says at once where an arm is no more the program that it was in its first run.
    fn pin_digest(&mut self, arm: &str, found: &PartProcesses) -> Result<(), ApplyError> {
        let pinned = self.ledger.pinned_digest(arm)?;
        if let Some(pinned) = pinned.filter(|pinned| *pinned != found.sha256) {
            let words = format!("{arm} executes another program than before: {} (sha256), not {pinned}", found.sha256);
            self.watch.see(&Event::Warning(&words));
        }
        Ok(())
    }
}

fn subject(site: &Site) -> Option<Subject> {
    let address = site.arm.address?;
    Some(Subject {
        group: site.arm.member.group(),
        main: site.arm.member.pid(),
        port: Some(address.port),
        admin: address.admin,
    })
}

fn declared(arm: &PlannedArm, cpus: &[u32]) -> Declared {
    let server = &arm.server;
    let env: BTreeMap<String, String> = server.env.iter().map(|v| (v.name.clone(), v.value.clone())).collect();
    Declared {
        args: server.args.clone(),
        env,
        settings: settings(arm),
        cpu_milli: Some(server.cpu_milli.unsigned_abs()),
        memory_bytes: Some(server.memory_bytes.unsigned_abs()),
        cpus: cpus.to_vec(),
    }
}

/// Declared settings alone, as the admin port names them.
fn settings(arm: &PlannedArm) -> Map<String, Value> {
    match serde_json::to_value(&arm.server.settings) {
        Ok(Value::Object(settings)) => settings.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        Ok(_) | Err(_) => Map::new(),
    }
}

/// The arm's processes, as tables tell them.
fn processes(site: &Site) -> Option<PartProcesses> {
    let root = Root::live();
    let address = site.arm.address?;
    let members = site.arm.member.group().processes(&root).ok()?;
    let pid = *soak_witness::servers(&root, &members, site.arm.member.pid(), Some(address.port)).first()?;
    Some(PartProcesses {
        part: site.key.clone(),
        command: CommandLine::read(&root, pid).ok()?.words,
        pid,
        sha256: soak_witness::program_sha256(&root, pid).ok()?,
        port: address.port,
        arm_cpus: site.cpus.arm.clone(),
        driver_cpus: site.cpus.driver.clone(),
        rest_cpus: site.cpus.rest.clone(),
        sharing: site.cpus.sharing,
        enforced: site.arm.member.enforced(),
    })
}
