//! The parameters of both sides: what this client announces, and what the peer has announced. Pure.

use super::{
    frame::{self, HEAD_LEN, Kind, MAX_31, MAX_PAYLOAD},
    hpack::DEFAULT_TABLE,
    violation::Violation,
};

const HEADER_TABLE_SIZE: u16 = 1;
const ENABLE_PUSH: u16 = 2;
const MAX_CONCURRENT_STREAMS: u16 = 3;
const INITIAL_WINDOW_SIZE: u16 = 4;
const MAX_FRAME_SIZE: u16 = 5;
const MAX_HEADER_LIST_SIZE: u16 = 6;

/// A window before anybody has changed it, bytes.
pub const DEFAULT_WINDOW: u32 = 65_535;
/// The longest header block that is taken, encoded; also announced. Bytes.
pub const MAX_HEADER_BLOCK: u32 = 65_536;

/// How much the peer may send before it is given more room. Each between 65,535 and 2³¹−1 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// On one stream.
    pub stream: u32,
    /// On the connection.
    pub connection: u32,
}

impl Default for Windows {
    /// 16 MiB a stream, 64 MiB a connection: the client's windows never slow a server.
    fn default() -> Self {
        Self { stream: 16 << 20, connection: 64 << 20 }
    }
}

impl Windows {
    /// The same, within what the protocol and this client allow.
    #[must_use]
    pub fn bounded(self) -> Self {
        let bounded = |window: u32| window.clamp(DEFAULT_WINDOW, MAX_31);
        Self { stream: bounded(self.stream), connection: bounded(self.connection) }
    }

    /// Writes the client's first words: preface, SETTINGS (no push, stream window, header limit; table and frame size
    /// stay at their defaults), connection window.
    pub fn greet(self, out: &mut Vec<u8>) {
        let settings = [(ENABLE_PUSH, 0), (INITIAL_WINDOW_SIZE, self.stream), (MAX_HEADER_LIST_SIZE, MAX_HEADER_BLOCK)];
        out.extend_from_slice(frame::PREFACE);
        frame::put_head(out, settings.len() * 6, Kind::Settings, 0, 0);
        for (id, value) in settings {
            out.extend_from_slice(&id.to_be_bytes());
            out.extend_from_slice(&value.to_be_bytes());
        }
        if self.connection > DEFAULT_WINDOW {
            frame::put_word(out, Kind::WindowUpdate, 0, self.connection - DEFAULT_WINDOW);
        }
    }

    /// Length of the greeting, bytes.
    pub const GREETING_LEN: usize = frame::PREFACE.len() + HEAD_LEN + 18 + HEAD_LEN + 4;
}

/// What the peer has announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerSettings {
    /// Bytes of its header table: the smallest it has announced, as growing it again gains nothing.
    pub header_table: u32,
    /// Streams that may be open at once.
    pub max_concurrent_streams: u32,
    /// The window of a new stream, bytes.
    pub initial_window: u32,
}

impl Default for PeerSettings {
    fn default() -> Self {
        Self { header_table: DEFAULT_TABLE, max_concurrent_streams: u32::MAX, initial_window: DEFAULT_WINDOW }
    }
}

impl PeerSettings {
    /// Takes a SETTINGS frame's payload. A longer frame size is not made use of, so it is only checked.
    ///
    /// # Errors
    /// A length or a value that is not allowed.
    pub fn apply(&mut self, payload: &[u8]) -> Result<(), Violation> {
        let (settings, []) = payload.as_chunks::<6>() else {
            return Err(Violation::FrameSize("SETTINGS"));
        };
        for [id1, id0, value @ ..] in settings {
            self.set(u16::from_be_bytes([*id1, *id0]), u32::from_be_bytes(*value))?;
        }
        Ok(())
    }

    fn set(&mut self, id: u16, value: u32) -> Result<(), Violation> {
        match id {
            HEADER_TABLE_SIZE => self.header_table = self.header_table.min(value),
            ENABLE_PUSH if value != 0 => {
                return Err(Violation::Protocol("a server that enables push"));
            }
            MAX_CONCURRENT_STREAMS => self.max_concurrent_streams = value,
            INITIAL_WINDOW_SIZE if value > MAX_31 => {
                return Err(Violation::FlowControl("an initial window over 2³¹−1"));
            }
            INITIAL_WINDOW_SIZE => self.initial_window = value,
            MAX_FRAME_SIZE if !(MAX_PAYLOAD..1 << 24).contains(&(value as usize)) => {
                return Err(Violation::Protocol("a frame size limit that is not allowed"));
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(settings: &[(u16, u32)], expected: Result<PeerSettings, Violation>) {
        let payload: Vec<u8> = settings
            .iter()
            .flat_map(|(id, value)| [&id.to_be_bytes()[..], &value.to_be_bytes()[..]].concat())
            .collect();
        let mut peer = PeerSettings::default();
        assert_eq!(peer.apply(&payload).map(|()| peer), expected, "{settings:?}");
    }

    #[test]
    fn settings_are_taken_in_order_and_unknown_ones_ignored() {
        let expected = PeerSettings { header_table: 0, max_concurrent_streams: 7, initial_window: 9 };
        check(&[(1, 0), (1, 4_096), (3, 8), (3, 7), (4, 9), (5, 16_384), (6, 1), (99, 1), (2, 0)], Ok(expected));
        check(&[], Ok(PeerSettings::default()));
    }

    #[test]
    fn values_that_are_not_allowed_are_refused() {
        check(&[(4, 1 << 31)], Err(Violation::FlowControl("an initial window over 2³¹−1")));
        check(&[(2, 1)], Err(Violation::Protocol("a server that enables push")));
        for size in [16_383, 1 << 24] {
            check(&[(5, size)], Err(Violation::Protocol("a frame size limit that is not allowed")));
        }
        let cut = PeerSettings::default().apply(&[0, 1, 0, 0, 0]);
        assert_eq!(cut, Err(Violation::FrameSize("SETTINGS")));
    }

    #[test]
    fn the_greeting_is_as_long_as_it_says() {
        let mut out = Vec::new();
        Windows::default().greet(&mut out);
        assert_eq!(out.len(), Windows::GREETING_LEN);
    }
}
