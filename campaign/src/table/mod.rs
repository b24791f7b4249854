//! From sample windows to rows.

mod row;

pub use row::{AtLeast, Percentiles, Row, SendError};
