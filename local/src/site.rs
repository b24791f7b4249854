//! Arm and driver of the part at hand: their processes, where they are reached, and the orders given to the driver.
//! Plain state; what to do with it is decided elsewhere.

use std::path::PathBuf;

use soak_campaign::step::{Identity, PartKey, StepOrder};
use soak_witness::Sampler;

use crate::{
    driver_control::DriverControl,
    isolation::Assignment,
    member::Member,
    pace_seen::PaceSeen,
    ready::{Address, Readiness},
};

/// The processes of one part.
#[derive(Debug)]
pub(crate) struct Site {
    /// The part they were made for, or last kept for.
    pub key: PartKey,
    /// Which CPU is whose.
    pub cpus: Assignment,
    /// The arm.
    pub arm: Arm,
    /// The driver.
    pub driver: Driver,
    /// Orders that the driver holds, in the order of their start.
    pub orders: Vec<Placed>,
}

/// The arm's processes.
#[derive(Debug)]
pub(crate) struct Arm {
    /// Its processes.
    pub member: Member,
    /// How it is known to be ready.
    pub readiness: Readiness,
    /// Where it is reached, once it is ready.
    pub address: Option<Address>,
    /// What it still waits for.
    pub waits_for: Option<String>,
}

/// The driver's process.
#[derive(Debug)]
pub(crate) struct Driver {
    /// Its processes.
    pub member: Member,
    /// Its standard output, which tells the port of its control.
    pub stdout: PathBuf,
    /// The key to its control.
    pub token: String,
    /// Its control, once it answers.
    pub control: Option<DriverControl>,
    /// Since when it does not answer, and why.
    pub silent: Option<(i64, String)>,
}

/// An order that was placed.
#[derive(Debug)]
pub(crate) struct Placed {
    /// The order.
    pub order: StepOrder,
    /// The witness of its step; absent once its window was taken.
    pub witness: Option<Sampler>,
    /// Why the driver refused it.
    pub refused: Option<String>,
    /// How fast it goes.
    pub pace: PaceSeen,
}

impl Site {
    /// What tells the arm from any other.
    pub fn arm_identity(&self) -> Identity {
        self.arm.member.identity()
    }

    /// What tells the driver from any other.
    pub fn driver_identity(&self) -> Identity {
        self.driver.member.identity()
    }
}

impl Site {
    /// Whether arm or driver has ended.
    pub fn somebody_died(&mut self) -> bool {
        self.arm.member.has_ended() || self.driver.member.has_ended()
    }
}

impl Placed {
    /// Ends the witness of a step that nobody wants any more.
    pub fn end_witness(self) {
        if let Some(witness) = self.witness {
            witness.stop();
            // Its window goes with the step.
            let _ = witness.join();
        }
    }
}
