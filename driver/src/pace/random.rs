//! The generator behind random arrivals: `SplitMix64` (Steele, Lea, Flood: "Fast splittable pseudorandom number
//! generators", OOPSLA 2014). The same seed gives the same schedule on every machine and in every version.

/// The generator's state.
#[derive(Debug, Clone)]
pub(super) struct SplitMix {
    state: u64,
}

impl SplitMix {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Exponentially distributed with mean 1.
    #[inline]
    pub(super) fn exponential(&mut self) -> f64 {
        // 53 random bits, moved from [0, 1) to (0, 1]: the logarithm is finite.
        let unit = ((self.next() >> 11) + 1) as f64 * (1.0 / 9_007_199_254_740_992.0);
        -unit.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix;

    #[test]
    fn the_generator_gives_the_published_sequence() {
        let mut random = SplitMix::new(1_234_567);
        let first = [random.next(), random.next(), random.next()];
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
