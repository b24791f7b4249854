//! What this process uses of memory, as the kernel counts it.

use serde::Serialize;

/// Memory in bytes; absent where the kernel did not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    /// Anonymous resident memory: what the allocator holds of the kernel, in use or free, and the threads' stacks. A
    /// compiled process has no heap of its own that could be asked; this is the nearest that is not a guess.
    pub heap_bytes: Option<u64>,
    /// All resident memory, with the program's own pages.
    pub rss_bytes: Option<u64>,
}

impl Memory {
    /// Reads `/proc/self/status`.
    pub fn read() -> Self {
        std::fs::read_to_string("/proc/self/status").map_or_else(|_| Self::default(), |status| Self::of(&status))
    }

    fn of(status: &str) -> Self {
        Self { heap_bytes: bytes(status, "RssAnon:"), rss_bytes: bytes(status, "VmRSS:") }
    }
}

fn bytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_there_are_read_and_others_are_absent() {
        let status = "Name:\tsoak\nVmRSS:\t    2048 kB\nRssAnon:\t     512 kB\n";
        assert_eq!(Memory::of(status), Memory { heap_bytes: Some(524_288), rss_bytes: Some(2_097_152) });
        assert_eq!(Memory::of("VmRSS:\t many kB\n"), Memory::default());
    }

    #[test]
    fn this_process_uses_memory_and_not_all_of_it_is_heap() {
        let Memory { heap_bytes, rss_bytes } = Memory::read();
        assert!(heap_bytes > Some(0) && heap_bytes < rss_bytes, "{heap_bytes:?} of {rss_bytes:?}");
    }
}
