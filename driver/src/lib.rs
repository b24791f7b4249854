//! Makes load at the asked pace; the target can never slow it.

pub mod protocol;
