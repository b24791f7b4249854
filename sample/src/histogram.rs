//! A histogram of nanoseconds with one fixed layout, so that any two can be merged exactly.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hdrhistogram::serialization::{Deserializer as HdrDeserializer, Serializer as _, V2Serializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The highest value kept, nanoseconds: ten minutes. Higher ones are counted as this.
const HIGHEST: u64 = 600_000_000_000;
/// Significant decimal digits.
const DIGITS: u8 = 3;

/// Why bytes are not a histogram of this layout.
#[derive(Debug, thiserror::Error)]
pub enum HistogramError {
    /// The bytes do not decode.
    #[error("histogram does not decode: {0}")]
    Encoding(String),
    /// The layout differs; merging would not be exact.
    #[error("histogram has another layout: highest {highest}, {digits} digits")]
    Layout {
        /// Highest value of the other layout.
        highest: u64,
        /// Significant digits of the other layout.
        digits: u8,
    },
}

/// Counts of nanoseconds, 1 ns to ten minutes at three significant digits. Recording never allocates.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    counts: hdrhistogram::Histogram<u64>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty histogram.
    #[allow(clippy::expect_used, clippy::missing_panics_doc, reason = "constant bounds, covered by a test")]
    pub fn new() -> Self {
        let counts = hdrhistogram::Histogram::new_with_bounds(1, HIGHEST, DIGITS).expect("constant bounds");
        Self { counts }
    }

    /// Counts a value; one over ten minutes counts as ten minutes.
    pub fn record(&mut self, nanos: u64) {
        self.counts.saturating_record(nanos);
    }

    /// Adds another's counts exactly.
    pub fn merge(&mut self, other: &Self) {
        // Equal layouts by construction: `add` cannot fail.
        let _ = self.counts.add(&other.counts);
    }

    /// Values counted.
    pub fn len(&self) -> u64 {
        self.counts.len()
    }

    /// True when nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The value at rank `rank` (1-based, ascending), nanoseconds; `None` where there are fewer.
    pub fn at_rank(&self, rank: u64) -> Option<u64> {
        if rank == 0 || rank > self.len() {
            return None;
        }
        let mut seen = 0;
        for bucket in self.counts.iter_recorded() {
            seen += bucket.count_at_value();
            if seen >= rank {
                return Some(bucket.value_iterated_to());
            }
        }
        None
    }

    /// The value below or at which this share (0–1) of the values lies, nanoseconds; `None` when empty.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        if self.is_empty() {
            return None;
        }
        Some(self.counts.value_at_quantile(share))
    }

    /// The highest value, nanoseconds; `None` when empty.
    pub fn max(&self) -> Option<u64> {
        (!self.is_empty()).then(|| self.counts.max())
    }

    /// The mean, nanoseconds; `None` when empty.
    pub fn mean(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.counts.mean())
    }

    /// Forgets all counts, keeping the memory.
    pub fn reset(&mut self) {
        self.counts.reset();
    }

    /// The HDR V2 encoding.
    fn encode(&self) -> Result<Vec<u8>, HistogramError> {
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(&self.counts, &mut bytes)
            .map_err(|error| HistogramError::Encoding(format!("{error:?}")))?;
        Ok(bytes)
    }

    /// From the HDR V2 encoding. Errors where the layout differs.
    fn decode(mut bytes: &[u8]) -> Result<Self, HistogramError> {
        let counts: hdrhistogram::Histogram<u64> = HdrDeserializer::new()
            .deserialize(&mut bytes)
            .map_err(|error| HistogramError::Encoding(format!("{error:?}")))?;
        if counts.high() != HIGHEST || counts.sigfig() != DIGITS || counts.low() != 1 {
            return Err(HistogramError::Layout { highest: counts.high(), digits: counts.sigfig() });
        }
        Ok(Self { counts })
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let bytes = self.encode().map_err(serde::ser::Error::custom)?;
        to.serialize_str(&BASE64_STANDARD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let bytes = base64_bytes::deserialize(from)?;
        Self::decode(&bytes).map_err(serde::de::Error::custom)
    }
}

/// Bytes as base64 text.
pub(crate) mod base64_bytes {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        BASE64_STANDARD.decode(text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Histogram;

    #[test]
    fn a_histogram_survives_the_round_trip() {
        let mut histogram = Histogram::new();
        for value in [1, 20_000_000, 300_000_000, u64::MAX] {
            histogram.record(value);
        }
        let text = serde_json::to_string(&histogram).unwrap();
        let back: Histogram = serde_json::from_str(&text).unwrap();
        assert_eq!(back, histogram);
        assert_eq!(back.at_rank(1), Some(1));
        assert_eq!(back.at_rank(5), None);
    }

    #[test]
    fn a_histogram_of_another_layout_is_refused() {
        use base64::{Engine as _, prelude::BASE64_STANDARD};
        use hdrhistogram::serialization::{Serializer as _, V2Serializer};
        let other = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 1_000_000, 2).unwrap();
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&other, &mut bytes).unwrap();
        let text = format!("\"{}\"", BASE64_STANDARD.encode(bytes));
        let error = serde_json::from_str::<Histogram>(&text).unwrap_err().to_string();
        assert!(error.contains("another layout"), "{error}");
    }
}
