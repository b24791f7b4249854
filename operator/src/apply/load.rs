//! Orders placed with the driver and told to the witness; windows fetched, measured and made durable.

use soak_campaign::{
    plan::{PlannedArm, PlannedStep, StepKind},
    step::{PodFacts, Record, StepKey, StepOrder, StepWindows, StoredStep, image_digest},
    table::OnPods,
};
use soak_sample::{DriverWindow, HeldOrder, Target, VERSION, WatchOrder, WatchReport, WitnessWindow};

use super::{ApplyError, Hands};
use crate::{
    build::control_port,
    desk::Desk,
    ledger::{Besides, MapError, PackError, StoreError, pack},
    observe::{arm_ports, identity, image_id, pod_ip},
    remote::{Offset, Remote, RemoteError},
};

/// How long one reading's heap is asked for at most, milliseconds: half a step, and never more than this.
const MOST_HEAP_BUDGET: i64 = 5_000;
/// How long a witness's window is waited for once its step is over, nanoseconds; then it is absent.
const WITNESS_WITHIN: i64 = 15_000_000_000;

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
        let pod_digest_at_end = self.digest_at_end(key);
        let windows = StepWindows { key: key.clone(), step, drivers: vec![window], witness, pod_digest_at_end };
        let packed = pack(&windows).map_err(|source| unwritten(key, source))?;
        let stored = self.measured(&windows, &arm).ok_or_else(gone)?;
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

    fn measured(&self, windows: &StepWindows, arm: &PlannedArm) -> Option<StoredStep> {
        let Desk { plan, ledger, pods, .. } = &*self.desk;
        let part = &windows.key.part;
        let on_pods = OnPods {
            plan,
            run: self.desk.run(&part.attempt.run)?,
            arm,
            facts: PodFacts::of_part(pods, part),
            first: PodFacts::first_of_arm(pods, plan, &arm.name),
        };
        let place = usize::try_from(part.part).ok().and_then(|part| part.checked_sub(1));
        let record = ledger.attempt(&part.attempt).zip(place).and_then(|(attempt, at)| attempt.parts.get(at));
        let previous = record.and_then(|part| part.steps.last()).map(|stored| stored.end_unix_nanos);
        let (row, signals) = on_pods.measure(windows, previous);
        Some(windows.stored(row, signals))
    }

    /// The digest that the kubelet reports of the arm, where it is still the pod that was proven.
    fn digest_at_end(&self, key: &StepKey) -> Option<String> {
        let proven = PodFacts::of_part(&self.desk.pods, &key.part)?;
        let seen = self.found.first()?.arm.as_ref()?;
        let same = identity(seen).0 == proven.arm.uid;
        image_id(seen).filter(|_| same).map(|image| image_digest(image).to_owned())
    }
}

fn unwritten(key: &StepKey, source: PackError) -> ApplyError {
    StoreError::Document(MapError { name: key.to_string(), source }).into()
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
