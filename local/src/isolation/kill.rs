//! Ends one process, and surely that one. In: a process as it was seen; out: whether a signal was sent to it.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use soak_witness::{Process, Root};

/// Sends a signal to a process as it was seen. One that has ended meanwhile, and whose id may be another's by now, gets
/// none.
pub(crate) fn kill_process(root: &Root, seen: &Process, signal: Signal) -> bool {
    let Some(pid) = i32::try_from(seen.pid).ok().and_then(Pid::from_raw) else { return false };
    // The handle is taken first: from then on it cannot become another process's.
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
    let same = Process::read(root, seen.pid).is_ok_and(|now| now.start_ticks == seen.start_ticks);
    same && pidfd_send_signal(handle, signal).is_ok()
}
