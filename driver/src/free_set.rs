//! Which connections have a free slot: a set of small numbers that finds the first of them, or the next after one,
//! without looking at the others. Knows nothing of connections.

/// A set of numbers below a fixed bound.
#[derive(Debug, Clone)]
pub(crate) struct FreeSet {
    words: Vec<u64>,
    /// A bit for each word that is not empty.
    summary: Vec<u64>,
}

impl FreeSet {
    /// An empty set of numbers below `bound`.
    pub(crate) fn new(bound: u32) -> Self {
        let words = bound.div_ceil(64) as usize;
        Self { words: vec![0; words], summary: vec![0; words.div_ceil(64)] }
    }

    #[inline]
    pub(crate) fn insert(&mut self, number: u32) {
        let word = (number / 64) as usize;
        self.words[word] |= 1 << (number % 64);
        self.summary[word / 64] |= 1 << (word % 64);
    }

    #[inline]
    pub(crate) fn remove(&mut self, number: u32) {
        let word = (number / 64) as usize;
        self.words[word] &= !(1 << (number % 64));
        if self.words[word] == 0 {
            self.summary[word / 64] &= !(1 << (word % 64));
        }
    }

    /// The lowest.
    #[inline]
    pub(crate) fn first(&self) -> Option<u32> {
        self.word_from(0).map(|word| self.lowest_in(word))
    }

    /// The lowest at or above `from`, else the lowest of all.
    #[inline]
    pub(crate) fn next_from(&self, from: u32) -> Option<u32> {
        let word = (from / 64) as usize;
        if let Some(bits) = self.words.get(word) {
            let rest = bits & (u64::MAX << (from % 64));
            if rest != 0 {
                return Some(from / 64 * 64 + rest.trailing_zeros());
            }
        }
        self.word_from(word + 1).map(|word| self.lowest_in(word)).or_else(|| self.first())
    }

    /// The first word at or after this one that is not empty.
    #[inline]
    fn word_from(&self, word: usize) -> Option<usize> {
        let first = self.summary.get(word / 64)? & (u64::MAX << (word % 64));
        if first != 0 {
            return Some(word / 64 * 64 + first.trailing_zeros() as usize);
        }
        let later = self.summary[word / 64 + 1..].iter().position(|bits| *bits != 0)?;
        let summary = word / 64 + 1 + later;
        Some(summary * 64 + self.summary[summary].trailing_zeros() as usize)
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "bounded by the set's own bound")]
    fn lowest_in(&self, word: usize) -> u32 {
        word as u32 * 64 + self.words[word].trailing_zeros()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::FreeSet;

    #[test]
    fn an_empty_set_has_no_first() {
        assert_eq!(FreeSet::new(0).first(), None);
        assert_eq!(FreeSet::new(1).next_from(0), None);
    }

    proptest! {
        #[test]
        fn the_set_behaves_like_a_sorted_one(
            steps in proptest::collection::vec((any::<bool>(), 0_u32..9000, 0_u32..9001), 1..200),
        ) {
            let mut set = FreeSet::new(9000);
            let mut plain = BTreeSet::new();
            for (insert, number, from) in steps {
                if insert {
                    set.insert(number);
                    plain.insert(number);
                } else {
                    set.remove(number);
                    plain.remove(&number);
                }
                prop_assert_eq!(set.first(), plain.first().copied());
                let next = plain.range(from..).next().or_else(|| plain.first()).copied();
                prop_assert_eq!(set.next_from(from), next);
            }
        }
    }
}
