//! A driver's book of orders on virtual time, by the rules of the real one: the same order twice is one, another under
//! its id is refused, who hears nothing drops what is armed.

use std::collections::BTreeMap;

use soak_sample::{HeldOrder, LoadOrder, OrderState};

/// How long the last answers of a step take, nanoseconds.
const DRAINED: i64 = 50_000_000;
/// How long it keeps what is armed when it hears nothing, nanoseconds.
const LEASE: i64 = 30_000_000_000;

/// An order whose load began.
#[derive(Debug, Clone, PartialEq)]
pub struct Carried {
    pub order: LoadOrder,
    /// When it was placed, nanoseconds since the epoch.
    pub placed: i64,
    /// When its load ended, nanoseconds since the epoch.
    pub until: i64,
}

/// One driver.
#[derive(Debug)]
pub struct Driver {
    orders: BTreeMap<String, (LoadOrder, i64)>,
    heard: i64,
}

/// What became of what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    New,
    Same,
    Other,
    Gone,
    Running,
    Unknown,
}

impl Driver {
    pub fn new(now: i64) -> Self {
        Self { orders: BTreeMap::new(), heard: now }
    }

    /// Somebody who may order has spoken.
    pub fn hears(&mut self, now: i64) {
        let lapsed = self.heard + LEASE;
        if now > lapsed {
            self.orders.retain(|_, (order, _)| order.start_unix_nanos <= lapsed);
        }
        self.heard = now;
    }

    pub fn place(&mut self, order: LoadOrder, now: i64) -> Done {
        match self.orders.get(&order.id) {
            Some((known, _)) if *known == order => Done::Same,
            Some(_) => Done::Other,
            None => {
                self.orders.insert(order.id.clone(), (order, now));
                Done::New
            }
        }
    }

    /// Every order, in the order of their start.
    pub fn held(&self, now: i64) -> Vec<HeldOrder> {
        let mut held: Vec<HeldOrder> = self.orders.values().map(|(order, _)| held(order, now)).collect();
        held.sort_by_key(|order| order.start_unix_nanos);
        held
    }

    /// An order that has finished.
    pub fn finished(&self, id: &str, now: i64) -> Result<LoadOrder, Done> {
        let (order, _) = self.orders.get(id).ok_or(Done::Unknown)?;
        if state(order, now) == OrderState::Finished { Ok(order.clone()) } else { Err(Done::Running) }
    }

    /// Forgets an order; gives it where its load has begun.
    pub fn forget(&mut self, id: &str, now: i64) -> (Done, Option<Carried>) {
        match self.orders.get(id).map(|(order, _)| state(order, now)) {
            None => (Done::Unknown, None),
            Some(OrderState::Running) => (Done::Running, None),
            Some(_) => (Done::Gone, self.orders.remove(id).and_then(|order| carried(order, now))),
        }
    }

    /// Ends all load at once: what was carried out is given.
    pub fn end(&mut self, now: i64) -> Vec<Carried> {
        self.hears(now);
        std::mem::take(&mut self.orders).into_values().filter_map(|order| carried(order, now)).collect()
    }
}

fn end(order: &LoadOrder) -> i64 {
    order.start_unix_nanos + order.duration_nanos
}

fn state(order: &LoadOrder, now: i64) -> OrderState {
    match now {
        now if now < order.start_unix_nanos => OrderState::Armed,
        now if now < end(order) + DRAINED => OrderState::Running,
        _ => OrderState::Finished,
    }
}

fn held(order: &LoadOrder, now: i64) -> HeldOrder {
    HeldOrder {
        id: order.id.clone(),
        state: state(order, now),
        start_unix_nanos: order.start_unix_nanos,
        end_unix_nanos: end(order),
        error: None,
    }
}

fn carried((order, placed): (LoadOrder, i64), now: i64) -> Option<Carried> {
    (order.start_unix_nanos < now).then(|| Carried { until: now.min(end(&order)), placed, order })
}
