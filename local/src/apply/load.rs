//! Orders placed with the driver and told to the witness; windows fetched and made durable.

use std::{thread, time::Duration};

use soak_campaign::step::{StepKey, StepOrder, StepWindows};
use soak_sample::{Target, WitnessWindow};
use soak_witness::{Root, Sampler, Watch};

use super::ApplyError;
use crate::{
    driver_control::{ControlError, DriverControl},
    execute::Executor,
    pace_seen::PaceSeen,
    site::{Placed, Site},
    watch::Event,
};

/// How long one reading's heap is asked for, at most: the method's budget, or where steps are shorter, the step.
const HEAP_BUDGET: Duration = Duration::from_secs(30);
/// How often a witness that is about to finish is looked at.
const LOOK: Duration = Duration::from_millis(10);

impl Executor<'_> {
    /// Gives the driver its order and tells the witness the step's edges.
    pub(crate) fn place(&mut self, order: StepOrder) -> Result<(), ApplyError> {
        let site = self.site_mut()?;
        let control = site.driver.control.clone().ok_or(ApplyError::Gone)?;
        let target = target(site).ok_or(ApplyError::Gone)?;
        let workers = usize::try_from(order.workers).unwrap_or(usize::MAX);
        let pin = if site.cpus.driver.len() >= workers { site.cpus.driver.clone() } else { Vec::new() };
        let refused = match control.place(&order.for_driver(0, target, pin)) {
            Ok(()) => None,
            Err(error @ ControlError::Refused { .. }) => Some(error.to_string()),
            Err(error @ (ControlError::Http(_) | ControlError::Shape { .. })) => return Err(error.into()),
        };
        let known = site.orders.iter().any(|placed| placed.order.key == order.key);
        if !known {
            let witness = Sampler::start(Root::live(), watch(site, &order)).ok();
            site.orders.push(Placed { order, witness, refused, pace: PaceSeen::default() });
        }
        Ok(())
    }

    /// Fetches the windows of a step and makes them durable.
    pub(crate) fn store(&mut self, key: &StepKey) -> Result<(), ApplyError> {
        let interrupt = self.interrupt.clone();
        let site = self.site_mut()?;
        let control = site.driver.control.clone().ok_or(ApplyError::Gone)?;
        let placed = site.orders.iter_mut().find(|placed| placed.order.key == *key).ok_or(ApplyError::Gone)?;
        let driver = control.window(&key.order_id())?;
        let witness = match placed.witness.take() {
            Some(sampler) => finished(sampler, || interrupt.is_set()),
            None => None,
        };
        let (step, drivers) = (placed.order.step, vec![driver]);
        let windows = StepWindows { key: key.clone(), step, drivers, witness, pod_digest_at_end: None };
        let Some(result) = self.ledger.store(&windows)? else { return Ok(()) };
        if let Some(row) = result.judged.rows.last() {
            let (number, of) = self.place_of(key, &result.planned);
            self.watch.see(&Event::StepStored { run: &result.planned, row, number, of });
        }
        Ok(())
    }

    /// Lets the driver forget an order.
    pub(crate) fn forget(&mut self, id: &str) -> Result<(), ApplyError> {
        let site = self.site_mut()?;
        let control: DriverControl = site.driver.control.clone().ok_or(ApplyError::Gone)?;
        control.acknowledge(id)?;
        if let Some(at) = site.orders.iter().position(|placed| placed.order.key.order_id() == id) {
            site.orders.remove(at).end_witness();
        }
        Ok(())
    }
}

fn target(site: &Site) -> Option<Target> {
    let address = site.arm.address?;
    Some(Target { host: "127.0.0.1".to_owned(), port: address.port })
}

fn watch(site: &Site, order: &StepOrder) -> Watch {
    let step = Duration::from_nanos(order.step.duration_nanos.unsigned_abs());
    Watch {
        order: order.key.order_id(),
        start_unix_nanos: order.start_unix_nanos,
        end_unix_nanos: order.end_unix_nanos(),
        arm: Some(site.arm.member.group()),
        driver: Some(site.driver.member.group()),
        admin: site.arm.address.and_then(|address| address.admin),
        heap_budget: HEAP_BUDGET.min(step),
    }
}

/// The window of a witness; where the user does not want to wait, as far as it has come.
fn finished(sampler: Sampler, stop: impl Fn() -> bool) -> Option<WitnessWindow> {
    while !sampler.is_finished() {
        if stop() {
            sampler.stop();
            break;
        }
        thread::sleep(LOOK);
    }
    sampler.join().ok()
}
