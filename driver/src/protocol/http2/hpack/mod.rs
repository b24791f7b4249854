//! Header blocks (RFC 7541): requests are encoded once, answers are decoded down to the few fields that judge a call.
//! The decoder's table keeps what an entry means, not its text, so decoding allocates nothing; Huffman, indexing,
//! eviction and size updates are complete. Both directions keep the protocol's default table of 4,096 bytes.

mod decode;
mod encode;
mod huffman;
mod static_table;

pub use decode::{Decoder, Fields, HpackError};
pub use encode::{HeaderField, RequestBlocks};

/// The size of both tables unless a SETTINGS frame says otherwise, bytes.
pub const DEFAULT_TABLE: u32 = 4_096;

/// What an entry costs besides its text (RFC 7541, section 4.1), bytes.
const ENTRY_OVERHEAD: usize = 32;
