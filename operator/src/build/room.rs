//! The room that the pods of a part ask for. Pure.

use soak_campaign::plan::PlannedArm;
use soak_crds::{Cpu, Memory};

use super::pods::{DRIVER_MEMORY, WITNESS};

/// What a pod asks of its node: requests and limits are the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Room {
    /// Thousandths of a CPU.
    pub cpu_milli: i64,
    /// Bytes.
    pub memory_bytes: i64,
}

/// The room of the arm's pod, its witness included, and of the driver's, which is on another node.
pub fn room(arm: &PlannedArm) -> (Room, Room) {
    let (cpu, memory) = WITNESS;
    let milli = |text: &str| text.parse::<Cpu>().map_or(0, |cpu| cpu.milli());
    let bytes = |text: &str| text.parse::<Memory>().map_or(0, |memory| memory.bytes());
    let of_arm =
        Room { cpu_milli: arm.server.cpu_milli + milli(cpu), memory_bytes: arm.server.memory_bytes + bytes(memory) };
    (of_arm, Room { cpu_milli: arm.client.cpu_milli, memory_bytes: bytes(DRIVER_MEMORY) })
}
