//! A witness's watches on virtual time, by the rules of the real one: the same watch twice is one, another under its id
//! is refused.

use std::collections::BTreeMap;

use soak_sample::{WatchOrder, WatchReport};

use super::driver::Done;

/// One witness.
#[derive(Debug, Default)]
pub struct Witness {
    watches: BTreeMap<String, WatchOrder>,
}

impl Witness {
    pub fn place(&mut self, watch: WatchOrder) -> Done {
        match self.watches.get(&watch.order) {
            Some(known) if *known == watch => Done::Same,
            Some(_) => Done::Other,
            None => {
                self.watches.insert(watch.order.clone(), watch);
                Done::New
            }
        }
    }

    pub fn report(&self, id: &str, now: i64) -> Option<WatchReport> {
        Some(WatchReport { finished: now >= self.watches.get(id)?.end_unix_nanos })
    }

    /// A watch that has finished.
    pub fn finished(&self, id: &str, now: i64) -> Result<WatchOrder, Done> {
        let watch = self.watches.get(id).ok_or(Done::Unknown)?;
        if now >= watch.end_unix_nanos { Ok(watch.clone()) } else { Err(Done::Running) }
    }

    pub fn forget(&mut self, id: &str) -> Done {
        if self.watches.remove(id).is_some() { Done::Gone } else { Done::Unknown }
    }
}
