//! What is seen of the processes of the part at hand. In goes the site; out come `Observed` for the engine, and what is
//! live for a watcher. It asks and reads; it changes nothing but what it remembers having seen.

use soak_campaign::step::{ObservedOrder, ObservedPart, OrderState, ProcessState};

use crate::{
    clock::unix_nanos,
    driver_control::{ControlError, DriverControl, OrderReport},
    driver_ready,
    site::{Arm, Driver, Placed, Site},
};

/// Looks at the site.
pub(crate) fn part(site: &mut Site) -> ObservedPart {
    let arm = arm(&mut site.arm);
    let driver = driver(&mut site.driver);
    let orders = match (&driver, site.driver.control.clone()) {
        (ProcessState::Ready { .. }, Some(control)) => orders(site, &control),
        _ => Ok(Vec::new()),
    };
    match orders {
        Ok(orders) => {
            site.driver.silent = None;
            ObservedPart { key: site.key.clone(), arm, driver, orders }
        }
        Err(error) => {
            let driver = silent(&mut site.driver, &error);
            ObservedPart { key: site.key.clone(), arm, driver, orders: Vec::new() }
        }
    }
}

fn arm(arm: &mut Arm) -> ProcessState {
    if let Some(words) = arm.member.ended() {
        return ProcessState::Exited { words };
    }
    if arm.address.is_none() {
        match arm.readiness.check(&arm.member.pids()) {
            Ok(address) => arm.address = Some(address),
            Err(words) => arm.waits_for = Some(words),
        }
    }
    match arm.address {
        Some(_) => ProcessState::Ready { identity: arm.member.identity() },
        None => ProcessState::Starting { words: arm.waits_for.clone() },
    }
}

fn driver(driver: &mut Driver) -> ProcessState {
    if let Some(words) = driver.member.ended() {
        return ProcessState::Exited { words };
    }
    if driver.control.is_none() {
        driver.control = driver_ready::control(&driver.stdout, &driver.token);
    }
    match &driver.control {
        Some(_) => ProcessState::Ready { identity: driver.member.identity() },
        None => ProcessState::Starting { words: None },
    }
}

/// It lives and does not answer: since the first time that it did not.
fn silent(driver: &mut Driver, error: &ControlError) -> ProcessState {
    let (since_unix_nanos, words) = driver.silent.get_or_insert_with(|| (unix_nanos(), error.to_string())).clone();
    ProcessState::Unknown { words, since_unix_nanos }
}

fn orders(site: &mut Site, control: &DriverControl) -> Result<Vec<ObservedOrder>, ControlError> {
    let mut seen = Vec::new();
    let mut gone = Vec::new();
    for placed in &mut site.orders {
        let id = placed.order.key.order_id();
        match state(placed, control)? {
            Some(state) => seen.push(ObservedOrder {
                id,
                state,
                start_unix_nanos: placed.order.start_unix_nanos,
                end_unix_nanos: placed.order.end_unix_nanos(),
            }),
            None => gone.push(id),
        }
    }
    site.orders.retain(|placed| !gone.contains(&placed.order.key.order_id()));
    Ok(seen)
}

/// Where an order stands; `None` where the driver does not hold it.
fn state(placed: &mut Placed, control: &DriverControl) -> Result<Option<OrderState>, ControlError> {
    if let Some(words) = &placed.refused {
        return Ok(Some(OrderState::Failed { words: words.clone() }));
    }
    let Some(report) = control.report(&placed.order.key.order_id())? else { return Ok(None) };
    Ok(Some(remember(placed, report)))
}

fn remember(placed: &mut Placed, report: OrderReport) -> OrderState {
    match report.state {
        soak_sample::OrderState::Armed => OrderState::Armed,
        soak_sample::OrderState::Running => {
            placed.pace.see(unix_nanos(), report.live);
            OrderState::Running
        }
        soak_sample::OrderState::Finished => OrderState::Finished,
        soak_sample::OrderState::Failed => {
            OrderState::Failed { words: report.error.unwrap_or_else(|| "it does not say why".to_owned()) }
        }
    }
}
