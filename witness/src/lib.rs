//! Reads the truth about a process and its node from the kernel: `/proc`, cgroup files of both versions, and what a
//! server tells on its admin port. In: process ids, groups, edges in time; out: the readings and proofs of
//! `soak-sample`. Changes nothing on the machine, judges nothing, and knows no campaign.

pub mod admin;
mod cgroup;
pub mod control;
mod cpu_list;
mod environment;
mod group;
mod heap;
mod instants;
pub mod lever;
mod machine;
mod memory;
mod mounts;
mod node;
mod process;
mod root;
mod sampler;
mod servers;
mod threads;

pub use cgroup::{Cgroup, Limits, Place};
pub use cpu_list::{CpuList, CpuListError};
pub use environment::Environment;
pub use group::{Group, Lineage};
pub use machine::{machine, siblings};
pub use memory::rss_bytes;
pub use mounts::Hierarchy;
pub use node::node;
pub use process::{CommandLine, Process, cpus_allowed, descendants, program, program_sha256};
pub use root::{ReadError, Root};
pub use sampler::{Sampler, SamplerError, Watch};
pub use servers::{listeners, servers};
pub use soak_sample::Machine;
pub use threads::threads;
