//! How a peer breaks HTTP/2: each kind with the error code that RFC 9113, section 7 gives it. Knows nothing of sessions.

use super::{frame, hpack::HpackError};
use crate::protocol::Broken;

/// A breach by the peer after which the connection cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A frame that is not allowed there, or has contents that are not allowed.
    #[error("{0}")]
    Protocol(&'static str),
    /// A window was overrun, or grew beyond 2³¹−1.
    #[error("{0}")]
    FlowControl(&'static str),
    /// A frame for a stream that has ended.
    #[error("a {0} frame for a stream that has ended")]
    StreamClosed(&'static str),
    /// A frame of a length that its kind does not allow.
    #[error("a {0} frame of a wrong length")]
    FrameSize(&'static str),
    /// A header block that cannot be decoded: the two sides' tables have parted.
    #[error("a header block that cannot be decoded: {0}")]
    Compression(#[from] HpackError),
    /// More of something harmless than any sane peer sends.
    #[error("{0}")]
    Calm(&'static str),
}

impl Violation {
    /// Says good-bye to a peer that has broken the protocol.
    pub fn break_off(self, out: &mut Vec<u8>) -> Broken {
        frame::put_goaway(out, self.code());
        Broken(self.to_string())
    }

    const fn code(self) -> u32 {
        match self {
            Self::Protocol(_) => 0x1,
            Self::FlowControl(_) => 0x3,
            Self::StreamClosed(_) => 0x5,
            Self::FrameSize(_) => 0x6,
            Self::Compression(_) => 0x9,
            Self::Calm(_) => 0xb,
        }
    }
}
