//! Levers, proven on the running process. In: what was declared, and an arm; out: one proof for each lever, whether it
//! holds or not. `observe` reads, `prove` compares; the judgement of a lever that does not hold is not made here.

mod arguments;
mod limits;
mod observe;
mod prove;

use std::{collections::BTreeMap, net::SocketAddr};

use serde_json::{Map, Value};

use crate::{CommandLine, CpuList, Group, Limits, Root};

pub use observe::observe;
pub use prove::prove;

/// What was declared of one arm.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    /// Arguments, in their order.
    pub args: Vec<String>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// Settings as the admin port names them.
    pub settings: Map<String, Value>,
    /// CPU limit, thousandths of a CPU.
    pub cpu_milli: Option<u64>,
    /// Memory limit, bytes.
    pub memory_bytes: Option<u64>,
    /// The CPUs on which it may run; empty: any.
    pub cpus: Vec<u32>,
}

/// Whether this machine permits to enforce a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enforcement {
    /// It does: what does not hold is a fault.
    Permitted,
    /// It does not; tables say so, and the lever is neither held nor broken.
    NotPermitted,
}

/// What this machine permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permitted {
    /// A CPU quota.
    pub cpu: Enforcement,
    /// A memory limit.
    pub memory: Enforcement,
}

/// The arm to be looked at.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Its processes.
    pub group: Group,
    /// The process that was started.
    pub main: u32,
    /// The port on which it serves: tells the server from its wrappers.
    pub port: Option<u16>,
    /// Its admin port, where it has one.
    pub admin: Option<SocketAddr>,
}

/// What was seen of an arm. Absent: could not be read.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The processes that are the server.
    pub servers: Vec<ServerProcess>,
    /// The limits of every process of the arm.
    pub limits: Vec<Limits>,
    /// The CPUs of every thread of the arm.
    pub affinity: Vec<CpuList>,
    /// The settings in effect, or why they could not be read.
    pub settings: Result<Map<String, Value>, String>,
}

/// One process that is the server.
#[derive(Debug, Clone, Default)]
pub struct ServerProcess {
    /// Its command line.
    pub command_line: Option<CommandLine>,
    /// The declared variables with their values.
    pub environment: Option<BTreeMap<String, Option<String>>>,
}

impl ServerProcess {
    /// The title that it has put over its arguments, if it has.
    fn title(&self) -> Option<&str> {
        self.command_line.as_ref().and_then(CommandLine::title)
    }
}

/// Looks at an arm and proves every lever.
pub fn prove_on(
    root: &Root,
    subject: &Subject,
    declared: &Declared,
    permitted: Permitted,
) -> Vec<soak_sample::LeverProof> {
    prove(declared, &observe(root, subject, declared), permitted)
}
