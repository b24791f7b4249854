//! The contract between executor, driver, witness and campaign: what is ordered, and what was sampled.
//! Plain data, versioned, round-trip tested. Knows no clock, socket or file.
//!
//! Times are nanoseconds since the Unix epoch (`CLOCK_REALTIME`), since several hosts read them; each party pairs its
//! monotonic clock with it once an order arrives. Spans of time are nanoseconds.

mod driver_window;
mod histogram;
mod lever_proof;
mod machine;
mod order;
mod token;
mod watch;
mod witness_window;

pub use driver_window::{DriverSecond, DriverWindow, ErrorKind, StreamCounts};
pub use histogram::{Histogram, HistogramError};
pub use lever_proof::{LeverProof, ProofSource};
pub use machine::{CgroupVersion, Machine};
pub use order::{
    Arrivals, ArrivalsKind, ClientShape, Idle, LoadOrder, Pace, PoolPolicy, Protocol, Request, Share, Target,
};
pub use token::{TokenError, TokenHash};
pub use watch::{ArmPorts, ArmReport, Clock, HeldOrder, LeverQuestion, OrderState, WatchOrder, WatchReport};
pub use witness_window::{
    CpuSource, CpuTimes, GroupReading, NodeReading, Pressure, ProcessReading, Reading, ThreadReading, Throttle,
    WitnessWindow,
};

/// The version of every document of this crate.
pub const VERSION: &str = "soak.dev/sample/v1";
