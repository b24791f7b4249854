//! From sample windows to rows, and from tables of others to rows.

pub mod number;
mod row;
mod signals;

pub use row::{AtLeast, Percentiles, Row, SendError, Withdrawn};
pub use signals::{Check, Growth, QuotaUse, Signals};
