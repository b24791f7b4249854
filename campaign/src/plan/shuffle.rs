//! A random order from a seed, the same everywhere and for ever: Fisher–Yates over the `SplitMix64` generator.

/// The items in the random order of this round.
pub(super) fn shuffled<T: Clone>(items: &[T], seed: u64, round: u32) -> Vec<T> {
    let mut random = SplitMix(seed ^ u64::from(round).wrapping_mul(0xa076_1d64_78bd_642f));
    let mut items = items.to_vec();
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last + 1));
    }
    items
}

struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`. The bias is under `bound` in 2⁶⁴.
    fn below(&mut self, bound: usize) -> usize {
        let wide = u128::from(self.next()) * bound as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_the_same_for_the_same_seed_and_round() {
        let items: Vec<u32> = (0..20).collect();
        assert_eq!(shuffled(&items, 7, 1), shuffled(&items, 7, 1));
        assert_ne!(shuffled(&items, 7, 1), shuffled(&items, 7, 2));
        assert_ne!(shuffled(&items, 7, 1), shuffled(&items, 8, 1));
    }

    #[test]
    fn an_order_loses_nothing() {
        let items: Vec<u32> = (0..20).collect();
        for seed in 0..100 {
            let mut order = shuffled(&items, seed, 1);
            order.sort_unstable();
            assert_eq!(order, items);
        }
    }

    #[test]
    fn each_of_the_orders_of_three_comes_up_about_equally_often() {
        let mut seen = std::collections::BTreeMap::new();
        for seed in 0..6_000 {
            *seen.entry(shuffled(&['a', 'b', 'c'], seed, 1)).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|count| (850..=1150).contains(count)), "{seen:?}");
    }

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix(0);
        assert_eq!(random.next(), 0xe220_a839_7b1d_cdaf);
    }
}
