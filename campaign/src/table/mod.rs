//! From sample windows to rows, and from tables of others to rows.

mod drivers;
mod measure;
pub mod number;
mod on_pods;
mod percentile;
pub mod read;
mod row;
mod signals;
pub mod text;
mod witnessed;

pub use measure::{Setting, StepSamples, measure};
pub use on_pods::OnPods;
pub use row::{Apart, AtLeast, Isolation, Percentiles, Provenance, Row, SendError, Withdrawn};
pub use signals::{Check, Growth, QuotaUse, Signals};
pub use text::{csv, markdown};
