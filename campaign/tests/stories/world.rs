//! A world in which decisions are carried out: an arm and a driver that do what the script says, a ledger, and a clock
//! that jumps from one event to the next.

use std::collections::BTreeSet;

use soak_campaign::{
    plan::{Plan, PlannedStep, StepKind},
    step::{
        Action, Decision, End, Identity, Ledger, Observed, ObservedOrder, ObservedPart, OrderState, PartKey,
        ProcessState, Progress, ProofTime, Record, StartFailure, StepKey, Storage, StoredStep, Wish, decide,
    },
    table::{Check, Row, Signals},
};
use soak_sample::{LeverProof, ProofSource};

use crate::{
    script::{ArmModel, Event, Processes, Script, What},
    transcript::{BEGINNING, Transcript},
};

const MILLIS: i64 = 1_000_000;
/// How long a step's last calls take.
const DRAINED: i64 = 50 * MILLIS;

/// An order that the driver holds.
#[derive(Debug, Clone)]
struct Order {
    id: String,
    start: i64,
    end: i64,
    failed: Option<String>,
}

/// Arm and driver that are there.
#[derive(Debug, Clone)]
struct Running {
    key: PartKey,
    began: i64,
    arm: Identity,
    arm_ended: Option<String>,
    driver: Identity,
    driver_ended: Option<String>,
    hangs: bool,
    orders: Vec<Order>,
}

/// The world.
pub struct World {
    plan: Plan,
    script: Script,
    now: i64,
    ledger: Ledger,
    running: Option<Running>,
    start_failed: Option<StartFailure>,
    storage: Storage,
    wish: Wish,
    blind: Option<(String, i64)>,
    executor_lives: bool,
    dies_after_storing: Option<Processes>,
    dies_after_action: Option<(usize, Processes)>,
    made: u32,
    done: usize,
    transcript: Transcript,
}

impl World {
    /// A world before its first decision.
    pub fn new(plan: Plan, script: Script) -> Self {
        Self {
            plan,
            script,
            now: BEGINNING,
            ledger: Ledger::default(),
            running: None,
            start_failed: None,
            storage: Storage::Works,
            wish: Wish::GoOn,
            blind: None,
            executor_lives: true,
            dies_after_storing: None,
            dies_after_action: None,
            made: 0,
            done: 0,
            transcript: Transcript::default(),
        }
    }

    /// Has the executor die after so many actions, and come back three seconds later.
    pub fn dies_after_action(&mut self, action: usize, processes: Processes) {
        self.dies_after_action = Some((action, processes));
    }

    /// Actions carried out so far.
    pub fn actions_done(&self) -> usize {
        self.done
    }

    /// Lets the story happen, and tells it.
    pub fn tell(&mut self) -> String {
        for _ in 0..10_000 {
            self.happen();
            let until = if self.executor_lives { self.decide_and_act() } else { Next::At(None) };
            let next = match until {
                Next::Now => continue,
                Next::At(until) => [until, self.next_change(), self.next_event()].into_iter().flatten().min(),
                Next::Finished(end) => match self.next_event() {
                    Some(event) => Some(event),
                    None => return self.finish(&end),
                },
            };
            self.now = next.unwrap_or_else(|| panic!("the story stands still:\n{:?}", self.transcript)).max(self.now);
        }
        panic!("the story has no end:\n{:?}", self.transcript)
    }

    fn finish(&mut self, end: &End) -> String {
        assert!(self.running.is_none(), "processes are left");
        std::mem::take(&mut self.transcript).finish(&self.plan, &self.ledger, self.now, end)
    }

    fn next_event(&self) -> Option<i64> {
        self.script.events.first().map(|event| BEGINNING + event.at_millis * MILLIS)
    }

    /// The next time at which arm or driver change by themselves.
    fn next_change(&self) -> Option<i64> {
        let running = self.running.as_ref()?;
        let orders = running.orders.iter().flat_map(|order| [order.start, order.end, order.end + DRAINED]);
        let ready = self.model(&running.key).ready_millis.map(|millis| running.began + millis * MILLIS);
        orders.chain(ready).filter(|at| *at > self.now).min()
    }

    fn model(&self, key: &PartKey) -> &ArmModel {
        let run = self.plan.runs.iter().find(|run| run.id == key.attempt.run).unwrap();
        &self.script.arms[&run.arm]
    }

    /// The events whose time has come.
    fn happen(&mut self) {
        while self.next_event().is_some_and(|at| at <= self.now) {
            let Event { what, .. } = self.script.events.remove(0);
            self.transcript.line(self.now, "see", &format!("{what:?}"));
            self.one(what);
        }
    }

    fn one(&mut self, what: What) {
        match what {
            What::ArmDies(words) => self.meets(|running| running.arm_ended = Some(words)),
            What::DriverDies(words) => self.meets(|running| running.driver_ended = Some(words)),
            What::ArmIsReplaced => self.meets(|running| running.arm = Identity("a stranger".to_owned())),
            What::OrderFails(words) => self.meets(|running| {
                if let Some(order) = running.orders.first_mut() {
                    order.failed = Some(words);
                }
            }),
            What::DriverHangs => self.meets(|running| running.hangs = true),
            What::Blind(words) => self.blind = Some((words, self.now)),
            What::Sees => self.blind = None,
            What::ExecutorDies(processes) => self.executor_dies(processes),
            What::ExecutorDiesAfterStoring(processes) => self.dies_after_storing = Some(processes),
            What::ExecutorIsBack => {
                self.executor_lives = true;
                self.dies_after_storing = None;
            }
            What::Interrupt => self.wish = Wish::Interrupt,
            What::GoOn => self.wish = Wish::GoOn,
            What::Suspend => self.wish = Wish::Suspend,
            What::Cancel => self.wish = Wish::Cancel,
            What::StorageRefuses(words) => self.storage = Storage::Refused { words },
            What::StorageWorks => self.storage = Storage::Works,
            What::StorageIsLost(words) => self.storage = Storage::Lost { words },
        }
    }

    /// Something happens to arm or driver, where they are there.
    fn meets(&mut self, happens: impl FnOnce(&mut Running)) {
        if let Some(running) = &mut self.running {
            happens(running);
        }
    }

    fn executor_dies(&mut self, processes: Processes) {
        self.executor_lives = false;
        self.start_failed = None;
        if processes == Processes::Gone {
            self.running = None;
        }
    }

    fn decide_and_act(&mut self) -> Next {
        let decision = decide(&self.plan, &self.ledger, &self.observed(), self.now);
        self.transcript.decision(self.now, &decision);
        match decision {
            Decision::Wait(wait) => Next::At(wait.until_unix_nanos),
            Decision::Finished(end) => Next::Finished(end),
            Decision::Act(actions) => {
                assert!(!actions.is_empty(), "a decision to do nothing");
                for action in actions {
                    self.transcript.action(self.now, &action);
                    self.act(&action);
                    self.done += 1;
                    if !self.survives(&action) {
                        break;
                    }
                }
                Next::Now
            }
        }
    }

    /// Whether the executor is still alive after an action.
    fn survives(&mut self, action: &Action) -> bool {
        let stored = matches!(action, Action::StoreStep { .. }).then(|| self.dies_after_storing.take()).flatten();
        let counted = self.dies_after_action.take_if(|(after, _)| *after == self.done).map(|(_, processes)| processes);
        if let Some(processes) = stored.or(counted) {
            self.transcript.line(self.now, "see", &format!("the executor died, processes {processes:?}"));
            self.executor_dies(processes);
            if counted.is_some() {
                let at_millis = (self.now - BEGINNING) / MILLIS + 3_000;
                self.script.events.insert(0, Event { at_millis, what: What::ExecutorIsBack });
            }
        }
        self.executor_lives
    }

    fn observed(&self) -> Observed {
        Observed {
            part: self.running.as_ref().map(|running| self.seen(running)),
            start_failed: self.start_failed.clone(),
            storage: self.storage.clone(),
            wish: self.wish,
        }
    }

    fn seen(&self, running: &Running) -> ObservedPart {
        let ready = self.model(&running.key).ready_millis;
        let is_ready = ready.is_some_and(|millis| running.began + millis * MILLIS <= self.now);
        let state = |ended: &Option<String>, is_ready: bool, identity: &Identity| match (&self.blind, ended) {
            (Some((words, since)), _) => ProcessState::Unknown { words: words.clone(), since_unix_nanos: *since },
            (None, Some(words)) => ProcessState::Exited { words: words.clone() },
            (None, None) if is_ready => ProcessState::Ready { identity: identity.clone() },
            (None, None) => ProcessState::Starting { words: Some("listening on no port yet".to_owned()) },
        };
        let blind = self.blind.is_some() || running.driver_ended.is_some();
        let orders = running.orders.iter().filter(|_| !blind).map(|order| self.order_seen(running, order));
        ObservedPart {
            key: running.key.clone(),
            arm: state(&running.arm_ended, is_ready, &running.arm),
            driver: state(&running.driver_ended, true, &running.driver),
            orders: orders.collect(),
        }
    }

    fn order_seen(&self, running: &Running, order: &Order) -> ObservedOrder {
        let state = match &order.failed {
            Some(words) => OrderState::Failed { words: words.clone() },
            None if self.now < order.start => OrderState::Armed,
            None if self.now < order.end + DRAINED || running.hangs => OrderState::Running,
            None => OrderState::Finished,
        };
        ObservedOrder { id: order.id.clone(), state, start_unix_nanos: order.start, end_unix_nanos: order.end }
    }

    fn act(&mut self, action: &Action) {
        match action {
            Action::BeginPart { part, processes, cause } => {
                let running = match processes {
                    soak_campaign::step::Processes::Fresh => match self.made(part) {
                        Some(running) => running,
                        None => return,
                    },
                    soak_campaign::step::Processes::Kept => self.running.clone().unwrap(),
                };
                let running = Running { key: part.clone(), ..running };
                self.record(Record::PartBegan {
                    part: part.clone(),
                    at_unix_nanos: self.now,
                    cause: *cause,
                    arm: running.arm.clone(),
                    driver: running.driver.clone(),
                });
                self.running = Some(running);
            }
            Action::ProveLevers { part, when } => {
                let proofs = vec![self.proof(part, *when)];
                self.record(Record::LeversProven { part: part.clone(), at_unix_nanos: self.now, when: *when, proofs });
            }
            Action::PlaceOrder(order) => {
                assert!(order.start_unix_nanos > self.now, "an order for the past");
                let orders = &mut self.running.as_mut().unwrap().orders;
                assert!(orders.iter().all(|known| known.end < order.start_unix_nanos), "two steps at once");
                orders.push(Order {
                    id: order.key.order_id(),
                    start: order.start_unix_nanos,
                    end: order.end_unix_nanos(),
                    failed: None,
                });
            }
            Action::StoreStep { key } => self.store(key),
            Action::Acknowledge { order } | Action::Disarm { order } => {
                let orders = &mut self.running.as_mut().unwrap().orders;
                let place = orders.iter().position(|known| known.id == *order).expect("the order is there");
                let removed = orders.remove(place);
                assert!(matches!(action, Action::Acknowledge { .. }) || removed.start > self.now, "disarmed too late");
            }
            Action::AddStep { attempt, step } => {
                self.record(Record::StepAdded { attempt: attempt.clone(), step: *step });
            }
            Action::EndAttempt { attempt, end } => {
                let (attempt, end) = (attempt.clone(), end.clone());
                self.record(Record::AttemptEnded { attempt, at_unix_nanos: self.now, end });
            }
            Action::StopProcesses { .. } => self.running = None,
        }
    }

    fn record(&mut self, record: Record) {
        let json = serde_json::to_string(&record).unwrap();
        self.ledger.apply(serde_json::from_str(&json).unwrap()).unwrap();
    }

    /// Fresh processes, or those that were made for this part before.
    fn made(&mut self, part: &PartKey) -> Option<Running> {
        if let Some(words) = &self.model(part).start_fails {
            self.start_failed = Some(StartFailure { attempt: part.attempt.clone(), words: words.clone() });
            return None;
        }
        if let Some(running) = self.running.clone().filter(|running| running.key == *part) {
            return Some(running);
        }
        assert!(self.running.is_none(), "processes stand in the way");
        self.made += 1;
        Some(Running {
            key: part.clone(),
            began: self.now,
            arm: Identity(format!("arm-{}", self.made)),
            arm_ended: None,
            driver: Identity(format!("driver-{}", self.made)),
            driver_ended: None,
            hangs: false,
            orders: Vec::new(),
        })
    }

    fn proof(&self, part: &PartKey, when: ProofTime) -> LeverProof {
        let model = self.model(part);
        let other = match when {
            ProofTime::BeforeLoad => &model.cpu_before_load,
            ProofTime::AfterLoad => &model.cpu_after_load,
        };
        LeverProof {
            lever: "resources.cpu".to_owned(),
            declared: "1000m".to_owned(),
            observed: Some(other.clone().unwrap_or_else(|| "1000m".to_owned())),
            source: ProofSource::Cgroup,
            held: Some(other.is_none()),
            note: None,
        }
    }

    fn store(&mut self, key: &StepKey) {
        let running = self.running.as_ref().unwrap();
        let order = running.orders.iter().find(|order| order.id == key.order_id()).expect("the order is there");
        let (start, end) = (order.start, order.end);
        let step = self.step(key);
        let stored = StoredStep {
            step,
            start_unix_nanos: start,
            end_unix_nanos: end,
            row: self.row(key, &step, start),
            signals: healthy(),
        };
        self.record(Record::StepStored { key: key.clone(), stored: Box::new(stored) });
    }

    fn step(&self, key: &StepKey) -> PlannedStep {
        let run = self.plan.runs.iter().find(|run| run.id == key.part.attempt.run).unwrap();
        let added = &self.ledger.attempt(&key.part.attempt).unwrap().added;
        *run.steps.iter().chain(added).find(|step| step.index == key.step).unwrap()
    }

    /// What an arm of a given capacity gives at a rate: all of it below, all that it can above, and a queue.
    fn row(&self, key: &StepKey, step: &PlannedStep, start: i64) -> Row {
        let (rate, model) = (step.rate as f64, self.model(&key.part));
        let delivered = rate.min(model.capacity);
        let seconds = step.duration_nanos as f64 / 1e9;
        let parts = &self.ledger.attempt(&key.part.attempt).unwrap().parts;
        let before = parts.iter().flat_map(|part| &part.steps).map(|stored| stored.end_unix_nanos).max();
        let p50 = if rate > model.capacity { 256_000.0 } else { 1_000.0 };
        Row {
            offered: rate,
            planned: Some(step.rate),
            warmup: step.kind == StepKind::Warmup,
            delivered: Some(delivered),
            answered_permille: Some(delivered / rate * 1_000.0),
            p50_micros: Some(p50),
            p99_micros: Some(p50 * 3.0),
            knee_per_second: Some(rate - delivered),
            cpu_nanos_per_request: Some(model.cpu_micros * 1_000.0),
            rss_bytes: Some(rss_bytes(model, step.index)),
            gap_millis: before.map(|before| (start - before) / MILLIS),
            seconds: Some(seconds),
            ..Row::default()
        }
    }

    /// Every judged step of every run has one row in the attempt that counts, in the order of the plan.
    pub fn assert_complete_and_single(&self, context: &str) {
        for run in &self.plan.runs {
            let attempt = self.ledger.run(&run.id).and_then(|record| record.attempts.last()).expect(context);
            assert_eq!(self.ledger.run(&run.id).unwrap().attempts.len(), 1, "{context}");
            let stored = attempt.parts.iter().flat_map(|part| &part.steps).map(|stored| stored.step);
            let judged: Vec<PlannedStep> = stored.filter(|step| step.kind != StepKind::Warmup).collect();
            let planned: Vec<PlannedStep> =
                run.steps.iter().filter(|step| step.kind != StepKind::Warmup).copied().collect();
            assert_eq!(judged, planned, "{}: {context}", run.id);
        }
        let identities: BTreeSet<&str> = self
            .ledger
            .runs
            .iter()
            .map(|run| run.attempts.last().unwrap().parts.first().unwrap().arm.0.as_str())
            .collect();
        assert_eq!(identities.len(), self.plan.runs.len(), "a process served two runs: {context}");
    }

    /// Every run is settled, and no attempt has two rows of one judged step.
    pub fn assert_settled_and_single(&self) {
        assert!(Progress::of(&self.plan, &self.ledger).at_hand.is_none(), "a run is not settled");
        for attempt in self.ledger.runs.iter().flat_map(|run| &run.attempts) {
            let stored = attempt.parts.iter().flat_map(|part| &part.steps).map(|stored| stored.step);
            let mut judged: Vec<u32> =
                stored.filter(|step| step.kind != StepKind::Warmup).map(|step| step.index).collect();
            let rows = judged.len();
            judged.sort_unstable();
            judged.dedup();
            assert_eq!(judged.len(), rows, "a row is there twice: {judged:?}");
        }
    }
}

/// Memory after so many steps: 64 MiB that grow, and wobble by half a percent.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred megabytes")]
fn rss_bytes(model: &ArmModel, step: u32) -> u64 {
    let growth = (1.0 + f64::from(model.rss_growth_permille) / 1_000.0).powi(step.cast_signed());
    let wobble = 1.0 + 0.005 * f64::from(step % 3);
    (f64::from(64 << 20) * growth * wobble) as u64
}

/// What comes after a decision.
enum Next {
    Now,
    At(Option<i64>),
    Finished(End),
}

fn healthy() -> Signals {
    let holds = || Some(Check::Holds);
    Signals {
        endpoint: holds(),
        processes: holds(),
        digest: holds(),
        accounting: holds(),
        workers: holds(),
        counters: holds(),
        company: holds(),
        sampling_gap_millis: Some(1_000),
        foreign_milli: Some(10.0),
        steal_milli: Some(0.0),
        host_idle_permille: Some(300.0),
        host_wait_permille: Some(1.0),
        driver_throttled_permille: Some(0.0),
        slots_busy_permille: Some(100.0),
        ..Signals::default()
    }
}
