//! The ledger of one machine: the output folder. What is durable there is done; everything else never happened.

pub mod durable;
