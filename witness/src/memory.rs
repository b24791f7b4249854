//! Resident memory of a process, from the kernel. What a server tells of its own heap comes from its admin port.

use crate::{
    ReadError, Root,
    root::{self, malformed},
};

/// Resident memory of a process, bytes. From `statm`: reading it does not hold up the process, as walking its maps would.
pub fn rss_bytes(root: &Root, pid: u32) -> Result<u64, ReadError> {
    let path = root.process(pid).join("statm");
    let text = root::text(&path)?;
    let pages = text.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    let pages = pages.ok_or_else(|| malformed(&path, "sizes in pages"))?;
    Ok(pages * rustix::param::page_size() as u64)
}
