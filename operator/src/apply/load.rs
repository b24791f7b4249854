//! Orders placed with the driver and told to the witness; windows fetched, measured and made durable.

use serde::Serialize;
use soak_campaign::{
    plan::{PlannedArm, PlannedStep, StepKind},
    step::{Record, StepKey, StepOrder, StoredStep},
    table::{Apart, Check, Isolation, Provenance, Setting, Signals, StepSamples, measure},
    verdict::{fingerprint, fingerprint_hash},
};
use soak_sample::{DriverWindow, HeldOrder, Target, VERSION, WatchOrder, WatchReport, WitnessWindow};

use super::{ApplyError, Hands};
use crate::{
    build::control_port,
    facts::{PodFacts, digest},
    ledger::{Besides, PackError, StoreError, pack},
    observe::{arm_ports, identity, image_id, pod_ip},
    remote::{Offset, Remote, RemoteError},
};

/// How long one reading's heap is asked for at most, milliseconds: half a step, and never more than this.
const MOST_HEAP_BUDGET: i64 = 5_000;
/// How long a witness's window is waited for once its step is over, nanoseconds; then it is absent.
const WITNESS_WITHIN: i64 = 15_000_000_000;

/// A step as it was sampled.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StepWindows<'a> {
    key: &'a StepKey,
    step: &'a PlannedStep,
    drivers: &'a [DriverWindow],
    witness: Option<&'a WitnessWindow>,
}

impl Hands<'_> {
    /// Tells the witness the step's edges, then gives the driver its order.
    pub(super) async fn place(&mut self, order: StepOrder) -> Result<(), ApplyError> {
        let gone = || ApplyError::NotYet(format!("{} has no pods", order.key));
        let run = &order.key.part.attempt.run;
        let ports = self.desk.arm_of(run).and_then(|arm| arm_ports(&arm.server)).ok_or_else(gone)?;
        let driver = self.driver().ok_or_else(gone)?;
        let witness = self.witness(control_port(ports)).ok_or_else(gone)?;
        let host = self.found.first().and_then(|pods| pod_ip(pods.arm.as_ref()?)).ok_or_else(gone)?;
        let offset = between(&driver, &witness).await?;
        tell(&witness, &watch(&order, offset, ports)).await?;
        let target = Target { host: host.to_string(), port: ports.port };
        let load = order.for_driver(0, target, Vec::new());
        match driver.put(&format!("/orders/{}", load.id), &load).await {
            Ok(()) => Ok(()),
            Err(RemoteError::Refused { status: 409, .. }) => {
                // Somebody else was quicker: the witness's edges are those of the order that the driver holds.
                let held: Vec<HeldOrder> = driver.read("/orders").await?.unwrap_or_default();
                if let Some(held) = held.iter().find(|held| held.id == load.id) {
                    let order = StepOrder { start_unix_nanos: held.start_unix_nanos, ..order };
                    tell(&witness, &watch(&order, offset, ports)).await?;
                }
                Err(ApplyError::NotYet(format!("{} was placed by somebody else", load.id)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Fetches the windows of a step and makes them durable with its row.
    pub(super) async fn store_step(&mut self, key: &StepKey) -> Result<(), ApplyError> {
        let gone = || ApplyError::NotYet(format!("{key} is not there"));
        let arm = self.desk.arm_of(&key.part.attempt.run).ok_or_else(gone)?.clone();
        let step = self.step(key).ok_or_else(gone)?;
        let driver = self.driver().ok_or_else(gone)?;
        let window: DriverWindow = driver.read(&format!("/orders/{key}/window")).await?.ok_or_else(gone)?;
        let witness = self.witnessed(key, &arm, window.drained_unix_nanos).await?;
        let drivers = [window];
        let windows = StepWindows { key, step: &step, drivers: &drivers, witness: witness.as_ref() };
        let packed = pack(&windows).map_err(|source| unwritten(key, source))?;
        let stored = self.measured(key, &arm, step, (&drivers, witness.as_ref()));
        let record = Record::StepStored { key: key.clone(), stored: Box::new(stored) };
        self.record(&key.part.attempt.run, record, Besides::Windows(packed)).await
    }

    /// Lets driver and witness forget an order.
    pub(super) async fn forget(&mut self, id: &str) -> Result<(), ApplyError> {
        let driver = self.driver().ok_or_else(|| ApplyError::NotYet("the driver is not there".to_owned()))?;
        driver.delete(&format!("/orders/{id}")).await?;
        let run = StepKey::from_order_id(id).map(|key| key.part.attempt.run);
        let ports = run.and_then(|run| arm_ports(&self.desk.arm_of(&run)?.server));
        if let Some(witness) = ports.and_then(|ports| self.witness(control_port(ports))) {
            // What a witness does not forget ends with its pod.
            let _ = witness.delete(&format!("/watches/{id}")).await;
        }
        Ok(())
    }

    /// The witness's window; `None` where it cannot be had any more.
    async fn witnessed(&self, key: &StepKey, arm: &PlannedArm, over: i64) -> Result<Option<WitnessWindow>, ApplyError> {
        let Some(witness) = arm_ports(&arm.server).and_then(|ports| self.witness(control_port(ports))) else {
            return Ok(None);
        };
        let path = format!("/watches/{key}");
        let window = match witness.read::<WatchReport>(&path).await {
            Ok(Some(WatchReport { finished: true })) => witness.read(&format!("{path}/window")).await,
            Ok(Some(WatchReport { finished: false })) => {
                return self.still(over, || format!("the witness of {key} has not finished"));
            }
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        match window {
            Ok(window) => Ok(window),
            Err(error) => self.still(over, || error.to_string()),
        }
    }

    /// Waits a little longer, or goes without.
    fn still(&self, over: i64, words: impl FnOnce() -> String) -> Result<Option<WitnessWindow>, ApplyError> {
        let waits = self.context.now() < over.saturating_add(WITNESS_WITHIN);
        if waits { Err(ApplyError::NotYet(words())) } else { Ok(None) }
    }

    /// A step of the run, added ones included.
    fn step(&self, key: &StepKey) -> Option<PlannedStep> {
        let run = self.desk.run(&key.part.attempt.run)?;
        let added = self.desk.ledger.attempt(&key.part.attempt).map_or(&[][..], |attempt| &attempt.added);
        run.steps.iter().chain(added).find(|step| step.index == key.step).copied()
    }

    fn measured(
        &self,
        key: &StepKey,
        arm: &PlannedArm,
        step: PlannedStep,
        (drivers, witness): (&[DriverWindow], Option<&WitnessWindow>),
    ) -> StoredStep {
        let facts = self.desk.facts(&key.part).or_else(|| self.kept_facts(key));
        let setting = Setting {
            client: &arm.client,
            protocol: arm.protocol,
            arm_cpus: &[],
            irq_time_accounting: facts.and_then(|facts| facts.machine.irq_time_accounting),
            bounds: &self.desk.plan.bounds,
        };
        let place = usize::try_from(key.part.part).ok().and_then(|part| part.checked_sub(1));
        let attempt = self.desk.ledger.attempt(&key.part.attempt);
        let part = attempt.zip(place).and_then(|(attempt, at)| attempt.parts.get(at));
        let previous = part.and_then(|part| part.steps.last()).map(|stored| stored.end_unix_nanos);
        let samples = StepSamples { step, drivers, witness, previous_end_unix_nanos: previous };
        let (mut row, signals) = measure(&samples, &setting);
        row.provenance = facts.and_then(|facts| self.provenance(facts, key));
        let same_digest = facts.zip(self.desk.pinned(&arm.name)).map(|(facts, pinned)| {
            let (found, pinned) = (facts.arm.digest(), pinned.digest());
            if found == pinned { Check::Holds } else { Check::Broken(format!("{pinned} became {found}")) }
        });
        StoredStep {
            step,
            start_unix_nanos: drivers.iter().map(|driver| driver.start_unix_nanos).min().unwrap_or_default(),
            end_unix_nanos: drivers.iter().map(|driver| driver.end_unix_nanos).max().unwrap_or_default(),
            row,
            signals: Signals { digest: same_digest, ..signals },
        }
    }

    /// Where a step's row comes from: the pods as they were proven, and as they are seen now that it is over.
    fn provenance(&self, facts: &PodFacts, key: &StepKey) -> Option<Provenance> {
        let run = self.desk.run(&key.part.attempt.run)?;
        let of_run = fingerprint(run, &self.desk.plan.planned_by, &facts.machine);
        let seen = self.found.first().and_then(|pods| pods.arm.as_ref());
        let same = seen.filter(|pod| identity(pod).0 == facts.arm.uid).and_then(image_id);
        let apart = facts.arm.node != facts.driver.node;
        // Requests equal to limits, each of them set: what the kubelet calls Guaranteed.
        let limited = facts.arm.qos_class == "Guaranteed";
        Some(Provenance {
            fingerprint: fingerprint_hash(&of_run),
            digest_at_start: Some(facts.arm.digest().to_owned()),
            digest_at_end: same.map(|image| digest(image).to_owned()),
            isolation: Isolation {
                apart: apart.then_some(Apart::DifferentNodes),
                cpu_limit: limited,
                memory_limit: limited,
                cpus_fixed: false,
            },
            observer: format!("soak-witness {} in the arm's pod", self.desk.plan.planned_by),
        })
    }

    /// The pods of an earlier part of the same attempt, which this one kept.
    fn kept_facts(&self, key: &StepKey) -> Option<&PodFacts> {
        self.desk.pods.iter().rfind(|facts| facts.part.attempt == key.part.attempt && facts.part.part <= key.part.part)
    }
}

fn unwritten(key: &StepKey, source: PackError) -> ApplyError {
    StoreError::Document { name: key.to_string(), source }.into()
}

/// Tells a witness a step's edges. What it was told before under this id, for an order that never came to be, is
/// forgotten.
async fn tell(witness: &Remote, watch: &WatchOrder) -> Result<(), RemoteError> {
    let path = format!("/watches/{}", watch.order);
    match witness.put(&path, watch).await {
        Err(RemoteError::Refused { status: 409, .. }) => {
            witness.delete(&path).await?;
            witness.put(&path, watch).await
        }
        told => told,
    }
}

/// The driver's clock less the witness's, each measured against this host's.
async fn between(driver: &Remote, witness: &Remote) -> Result<Option<Offset>, RemoteError> {
    let (driver, witness) = (driver.offset().await?, witness.offset().await?);
    Ok(driver
        .zip(witness)
        .map(|(driver, witness)| Offset { nanos: driver.nanos - witness.nanos, error: driver.error + witness.error }))
}

fn watch(order: &StepOrder, offset: Option<Offset>, arm: soak_sample::ArmPorts) -> WatchOrder {
    let nanos = offset.map_or(0, |offset| offset.nanos);
    let half = order.step.duration_nanos / 2_000_000;
    let budget = if order.step.kind == StepKind::Warmup { 0 } else { half.clamp(0, MOST_HEAP_BUDGET) };
    WatchOrder {
        version: VERSION.to_owned(),
        order: order.key.order_id(),
        start_unix_nanos: order.start_unix_nanos - nanos,
        end_unix_nanos: order.end_unix_nanos() - nanos,
        clock_offset_nanos: nanos,
        clock_offset_error_nanos: offset.map(|offset| offset.error),
        arm,
        heap_budget_millis: budget.unsigned_abs(),
    }
}
