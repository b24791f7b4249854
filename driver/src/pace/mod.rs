//! When each call is due. In: a rate, a kind of spacing, a seed and a sender's share. Out: due times in nanoseconds from
//! the step's start, one after the other. Pure: knows no clock; the due times are fixed before the first call is sent.

mod poisson;
mod random;
mod uniform;

use soak_sample::{Arrivals, ArrivalsKind, Share};

use poisson::Poisson;
use uniform::Uniform;

/// The lowest rate, calls per second.
pub const LOWEST_RATE: f64 = 0.001;
/// The highest rate, calls per second.
pub const HIGHEST_RATE: f64 = 1e9;

/// Why there is no schedule.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PaceError {
    /// The rate is not a number, or out of bounds.
    #[error("a rate of {0} calls per second is outside {LOWEST_RATE} to {HIGHEST_RATE}")]
    Rate(f64),
    /// The share is not one of a whole.
    #[error("sender {index} of {of} does not exist")]
    Share {
        /// The sender.
        index: u32,
        /// All senders.
        of: u32,
    },
}

/// The due times of one sender's calls.
#[derive(Debug, Clone)]
pub enum Schedule {
    /// Evenly spaced.
    Uniform(Uniform),
    /// Exponential gaps.
    Poisson(Poisson),
}

impl Schedule {
    /// The calls `k` of one schedule with `k mod of = index`, `k` counted from 0. The rate is that of all senders
    /// together, kept to a millionth of a call per second.
    pub fn new(per_second: f64, arrivals: Arrivals, share: Share) -> Result<Self, PaceError> {
        if !(LOWEST_RATE..=HIGHEST_RATE).contains(&per_second) {
            return Err(PaceError::Rate(per_second));
        }
        if share.index >= share.of {
            return Err(PaceError::Share { index: share.index, of: share.of });
        }
        Ok(match arrivals.kind {
            ArrivalsKind::Uniform => Self::Uniform(Uniform::new(per_second, share)),
            ArrivalsKind::Poisson => Self::Poisson(Poisson::new(per_second, arrivals.seed, share)),
        })
    }

    /// When the next call is due, nanoseconds from the start.
    #[inline]
    pub fn due(&self) -> u64 {
        match self {
            Self::Uniform(uniform) => uniform.due(),
            Self::Poisson(poisson) => poisson.due(),
        }
    }

    /// Goes on to the call after the next.
    #[inline]
    pub fn advance(&mut self) {
        match self {
            Self::Uniform(uniform) => uniform.advance(),
            Self::Poisson(poisson) => poisson.advance(),
        }
    }

    /// All due times of this sender below `end` nanoseconds.
    pub fn until(mut self, end: u64) -> impl Iterator<Item = u64> {
        std::iter::from_fn(move || {
            let due = self.due();
            self.advance();
            (due < end).then_some(due)
        })
    }
}

/// A sender within a driver: worker `worker` of `workers`, in driver `driver.index` of `driver.of`. The workers divide
/// the driver's own calls in the way that drivers divide the whole schedule, so that every call has one sender.
pub fn sender(driver: Share, worker: u32, workers: u32) -> Share {
    Share { index: driver.index + driver.of * worker, of: driver.of * workers }
}

#[cfg(test)]
mod tests;
