//! `soak drive`: sends load to one target and tells what came back. A load tool of its own, without a campaign. In: a
//! target and flags. Out: a table, or JSON; on standard error how it goes meanwhile.

mod args;
mod order;
mod outcome;
mod safety;
mod table;
mod target;
mod watch;

use std::{net::SocketAddr, thread};

use soak_driver::{DriverError, Live, Moment, Pairing, Stop};
use soak_sample::{DriverWindow, LoadOrder};

use crate::Exit;
pub use args::Args;
use args::Output;
use outcome::Outcome;

/// How long before the step the order is given: connections are opened meanwhile.
const LEAD_NANOS: i64 = 100_000_000;
/// More of it for each connection.
const LEAD_PER_CONNECTION_NANOS: i64 = 100_000;

/// Why nothing was driven.
#[derive(Debug, thiserror::Error)]
enum DriveError {
    #[error(transparent)]
    Target(#[from] target::TargetError),
    #[error(transparent)]
    Unsafe(#[from] safety::SafetyError),
    #[error(transparent)]
    Order(#[from] order::OrderError),
    #[error(transparent)]
    Driver(#[from] DriverError),
    #[error("cannot listen for signals: {0}")]
    Signals(std::io::Error),
    #[error("cannot write the result: {0}")]
    Output(std::io::Error),
}

impl DriveError {
    fn exit(&self) -> Exit {
        match self {
            Self::Target(_)
            | Self::Unsafe(_)
            | Self::Order(_)
            | Self::Driver(DriverError::Order(_) | DriverError::Target { .. } | DriverError::Files { .. }) => {
                Exit::Usage
            }
            Self::Driver(DriverError::Late { .. } | DriverError::Worker { .. })
            | Self::Signals(_)
            | Self::Output(_) => Exit::Internal,
        }
    }
}

/// Drives, and prints the outcome.
pub fn run(args: &Args) -> Exit {
    match drive(args) {
        Ok(exit) => exit,
        Err(error) => {
            eprintln!("soak drive: {error}");
            error.exit()
        }
    }
}

fn drive(args: &Args) -> Result<Exit, DriveError> {
    let target = target::parse(&args.target, args.protocol)?;
    safety::check_ceilings(args)?;
    let mut order = order::order(args, &target)?;
    soak_driver::check(&order).map_err(DriverError::from)?;
    let address = soak_driver::resolve(&order.target)?;
    safety::check_address(address, args)?;
    pin_to(&mut order, address);
    let stop = Stop::new();
    let interrupted = watch::Interrupts::listen().map_err(DriveError::Signals)?;
    let live = Live::new();
    let lead = LEAD_NANOS + LEAD_PER_CONNECTION_NANOS * i64::from(order.shape.connections);
    order.start_unix_nanos = Pairing::read().unix_nanos(Moment::now()) + lead;
    let window = thread::scope(|scope| -> Result<DriverWindow, DriverError> {
        let running = scope.spawn(|| soak_driver::run_order(&order, &live, &stop));
        watch::until_finished(
            &running,
            &watch::Watched { order: &order, live: &live, stop: &stop, interrupts: &interrupted },
        );
        running.join().unwrap_or_else(|_| Err(DriverError::Worker { worker: 0, why: "it panicked".to_owned() }))
    })?;
    let outcome = Outcome::new(&order, &window);
    match args.output {
        Output::Table => table::print(&order, &window, &outcome),
        Output::Json => outcome.print_json(),
    }
    .map_err(DriveError::Output)?;
    Ok(if interrupted.came() { Exit::Interrupted } else { Exit::Completed })
}

/// Lets the load go to the very address that was checked, whatever the name says next; the request still names the name.
fn pin_to(order: &mut LoadOrder, address: SocketAddr) {
    let soak_sample::Target { host, port } = &order.target;
    let is_address = host.parse::<std::net::IpAddr>().is_ok();
    if !is_address {
        if !order.request.headers.iter().any(|(name, _)| name == "host") {
            order.request.headers.push(("host".to_owned(), format!("{host}:{port}")));
        }
        order.target.host = address.ip().to_string();
    }
}
