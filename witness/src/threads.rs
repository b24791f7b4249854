//! The threads of a process: CPU time and time spent waiting for a CPU, from the scheduler's own statistics.

use std::collections::HashMap;

use soak_sample::ThreadReading;

use crate::{Root, process, root};

/// Every thread of a process, by id. A thread that ends meanwhile is left out; on a kernel without these statistics
/// there is none.
pub fn threads(root: &Root, pid: u32) -> Vec<ThreadReading> {
    let mut readings: Vec<ThreadReading> =
        process::threads(root, pid).into_iter().filter_map(|tid| thread(root, pid, tid)).collect();
    readings.sort_unstable_by_key(|thread| thread.tid);
    readings
}

fn thread(root: &Root, pid: u32, tid: u32) -> Option<ThreadReading> {
    let folder = root.process(pid).join(format!("task/{tid}"));
    let (cpu_nanos, wait_nanos) = parse_schedstat(&root::text(&folder.join("schedstat")).ok()?)?;
    let name = root::text(&folder.join("comm")).ok()?.trim_end().to_owned();
    Some(ThreadReading { tid, name, cpu_nanos, wait_nanos })
}

/// Nanoseconds on a CPU, nanoseconds waiting for one, and how often.
fn parse_schedstat(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// CPU time of a group whose threads come and go, where no cgroup accounts for it: what an ended thread had used when
/// it was last seen stays counted.
#[derive(Debug, Default)]
pub(crate) struct ThreadLedger {
    seen: HashMap<u32, u64>,
    ended_nanos: u64,
}

impl ThreadLedger {
    /// The group's CPU time so far, nanoseconds. Never less than at the reading before.
    pub(crate) fn total<'a>(&mut self, threads: impl Iterator<Item = &'a ThreadReading>) -> u64 {
        let now: HashMap<u32, u64> = threads.map(|thread| (thread.tid, thread.cpu_nanos)).collect();
        for (tid, last) in &self.seen {
            // A thread that has used less than before is another one under the same id.
            if now.get(tid).is_none_or(|nanos| nanos < last) {
                self.ended_nanos += last;
            }
        }
        self.seen = now;
        self.ended_nanos + self.seen.values().sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use soak_sample::ThreadReading;

    use super::{ThreadLedger, parse_schedstat};

    fn thread((tid, cpu_nanos): (u32, u64)) -> ThreadReading {
        ThreadReading { tid, name: String::new(), cpu_nanos, wait_nanos: 0 }
    }

    fn totals(readings: &[&[(u32, u64)]]) -> Vec<u64> {
        let mut ledger = ThreadLedger::default();
        let mut total = |threads: &[(u32, u64)]| {
            let threads: Vec<_> = threads.iter().copied().map(thread).collect();
            ledger.total(threads.iter())
        };
        readings.iter().map(|threads| total(threads)).collect()
    }

    #[test]
    fn an_ended_thread_stays_counted() {
        assert_eq!(totals(&[&[(1, 10), (2, 5)], &[(1, 12)], &[(1, 13), (3, 1)]]), [15, 17, 19]);
    }

    #[test]
    fn a_reused_thread_id_is_another_thread() {
        assert_eq!(totals(&[&[(1, 10)], &[(1, 2)], &[(1, 3)]]), [10, 12, 13]);
    }

    #[test]
    fn schedstat_gives_time_on_a_cpu_then_time_waiting() {
        assert_eq!(parse_schedstat("120 48452 1\n"), Some((120, 48452)));
        assert_eq!(parse_schedstat("120"), None);
    }

    proptest! {
        #[test]
        fn the_total_never_falls(readings in vec(vec((0u32..6, 0u64..1000), 0..6), 0..12)) {
            let slices: Vec<&[(u32, u64)]> = readings.iter().map(Vec::as_slice).collect();
            let totals = totals(&slices);
            prop_assert!(totals.is_sorted());
        }
    }
}
