//! A small, coarse histogram of the last second, for the eyes of whoever watches: cheap to fill, cheap to forget.
//! Nothing that is kept comes from it.

/// Parts of each power of two.
const PARTS: u32 = 32;
const BUCKETS: usize = (64 * PARTS) as usize;

/// Counts of nanoseconds, within 1/32.
#[derive(Debug)]
pub(crate) struct Recent {
    counts: Vec<u32>,
    all: u64,
}

impl Recent {
    pub(crate) fn new() -> Self {
        Self { counts: vec![0; BUCKETS], all: 0 }
    }

    #[inline]
    pub(crate) fn record(&mut self, nanos: u64) {
        self.counts[bucket(nanos)] += 1;
        self.all += 1;
    }

    /// The value below or at which 99 % lie, nanoseconds; 0 when empty.
    pub(crate) fn p99(&self) -> u64 {
        let rank = (self.all * 99).div_ceil(100);
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= rank && seen > 0 {
                return highest_in(index);
            }
        }
        0
    }

    pub(crate) fn reset(&mut self) {
        if self.all > 0 {
            self.counts.fill(0);
            self.all = 0;
        }
    }
}

#[inline]
fn bucket(nanos: u64) -> usize {
    if nanos < u64::from(PARTS) {
        return usize::try_from(nanos).unwrap_or(0);
    }
    let shift = nanos.ilog2() - PARTS.ilog2();
    let within = (nanos >> shift) - u64::from(PARTS);
    ((shift + 1) * PARTS) as usize + usize::try_from(within).unwrap_or(0)
}

fn highest_in(bucket: usize) -> u64 {
    let (parts, bucket) = (u64::from(PARTS), bucket as u64);
    if bucket < parts {
        return bucket;
    }
    let shift = bucket / parts - 1;
    ((bucket % parts + parts + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Recent, bucket, highest_in};

    #[test]
    fn an_empty_second_has_no_percentile() {
        let mut recent = Recent::new();
        assert_eq!(recent.p99(), 0);
        recent.record(5);
        recent.reset();
        assert_eq!(recent.p99(), 0);
    }

    #[test]
    fn one_in_a_hundred_lies_above() {
        let mut recent = Recent::new();
        (0..99).for_each(|_| recent.record(1_000));
        recent.record(1_000_000);
        assert!(recent.p99().abs_diff(1_000) <= 32, "{}", recent.p99());
        recent.record(1_000_000);
        assert!(recent.p99() > 950_000, "{}", recent.p99());
    }

    proptest! {
        #[test]
        fn a_bucket_is_at_most_a_thirtysecond_wide(nanos in 0_u64..1 << 60) {
            let highest = highest_in(bucket(nanos));
            prop_assert!(highest >= nanos && highest - nanos <= nanos / 32, "{nanos}: {highest}");
        }
    }
}
