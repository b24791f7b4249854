//! Frames of HTTP/2: bytes to frames in place, frames to bytes. Knows no stream and no state.

use super::violation::Violation;

/// What a client says first (RFC 9113, section 3.4).
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Length of a frame's head, bytes.
pub const HEAD_LEN: usize = 9;
/// The longest payload, both ways: the protocol's default, which every peer must take. Bytes.
pub const MAX_PAYLOAD: usize = 16_384;
/// The highest stream id, and the highest window.
pub const MAX_31: u32 = 0x7fff_ffff;

/// Flag of DATA and HEADERS: the stream's last.
pub const END_STREAM: u8 = 0x1;
/// Flag of SETTINGS and PING: an answer.
pub const ACK: u8 = 0x1;
/// Flag of HEADERS and CONTINUATION: the block's last.
pub const END_HEADERS: u8 = 0x4;
const PADDED: u8 = 0x8;
const PRIORITY: u8 = 0x20;

/// A frame's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Part of a body.
    Data,
    /// Begin of a header block.
    Headers,
    /// Deprecated, ignored.
    Priority,
    /// The stream is aborted.
    RstStream,
    /// Parameters of the connection.
    Settings,
    /// Never allowed here.
    PushPromise,
    /// Is anybody there?
    Ping,
    /// No more streams.
    GoAway,
    /// More room to send.
    WindowUpdate,
    /// The rest of a header block.
    Continuation,
    /// An extension: ignored.
    Unknown,
}

impl Kind {
    const fn of(code: u8) -> Self {
        match code {
            0 => Self::Data,
            1 => Self::Headers,
            2 => Self::Priority,
            3 => Self::RstStream,
            4 => Self::Settings,
            5 => Self::PushPromise,
            6 => Self::Ping,
            7 => Self::GoAway,
            8 => Self::WindowUpdate,
            9 => Self::Continuation,
            _ => Self::Unknown,
        }
    }

    const fn code(self) -> u8 {
        match self {
            Self::Data => 0,
            Self::Headers => 1,
            Self::Priority => 2,
            Self::RstStream => 3,
            Self::Settings => 4,
            Self::PushPromise => 5,
            Self::Ping => 6,
            Self::GoAway => 7,
            Self::WindowUpdate => 8,
            Self::Continuation => 9,
            Self::Unknown => 0xff,
        }
    }
}

/// A frame's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHead {
    /// Length of the payload, bytes.
    pub len: usize,
    /// What it is.
    pub kind: Kind,
    /// Its flags.
    pub flags: u8,
    /// Its stream; 0 is the connection.
    pub stream: u32,
}

impl FrameHead {
    /// Reads a head; `None` while bytes are missing.
    ///
    /// # Errors
    /// A payload longer than [`MAX_PAYLOAD`].
    pub fn parse(bytes: &[u8]) -> Result<Option<Self>, Violation> {
        let Some(head) = bytes.first_chunk::<HEAD_LEN>() else {
            return Ok(None);
        };
        let [l2, l1, l0, kind, flags, id @ ..] = *head;
        let len = usize::from(l2) << 16 | usize::from(l1) << 8 | usize::from(l0);
        if len > MAX_PAYLOAD {
            return Err(if bytes.starts_with(b"HTTP/1") {
                Violation::Protocol("the peer speaks HTTP/1")
            } else {
                Violation::FrameSize("too long")
            });
        }
        let stream = u32::from_be_bytes(id) & MAX_31;
        Ok(Some(Self { len, kind: Kind::of(kind), flags, stream }))
    }

    /// True when `flag` is set.
    pub const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// A whole frame, in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its head.
    pub head: FrameHead,
    /// Its payload, padding and priority included.
    pub payload: &'a [u8],
}

/// Takes the first frame off `bytes`: the frame, and the rest. `None` while bytes are missing.
///
/// # Errors
/// A payload longer than [`MAX_PAYLOAD`].
pub fn split(bytes: &[u8]) -> Result<Option<(Frame<'_>, &[u8])>, Violation> {
    let Some(head) = FrameHead::parse(bytes)? else {
        return Ok(None);
    };
    let Some((frame, rest)) = bytes.split_at_checked(HEAD_LEN + head.len) else {
        return Ok(None);
    };
    Ok(Some((Frame { head, payload: &frame[HEAD_LEN..] }, rest)))
}

impl<'a> Frame<'a> {
    /// The payload without padding and priority.
    ///
    /// # Errors
    /// Padding that is longer than the payload.
    pub fn content(&self) -> Result<&'a [u8], Violation> {
        let (mut payload, mut pad) = (self.payload, 0);
        if self.head.has(PADDED) {
            let (len, rest) = payload.split_first().ok_or(Violation::FrameSize("padded"))?;
            (payload, pad) = (rest, usize::from(*len));
        }
        if self.head.kind == Kind::Headers && self.head.has(PRIORITY) {
            payload = payload.get(5..).ok_or(Violation::FrameSize("HEADERS"))?;
        }
        let len = payload.len().checked_sub(pad).ok_or(Violation::Protocol("padding longer than its frame"))?;
        Ok(&payload[..len])
    }

    /// The payload, being one word.
    ///
    /// # Errors
    /// Another length.
    pub fn word(&self, what: &'static str) -> Result<u32, Violation> {
        let bytes = self.payload.try_into().map_err(|_| Violation::FrameSize(what))?;
        Ok(u32::from_be_bytes(bytes))
    }
}

/// Writes a frame's head. `len` is at most [`MAX_PAYLOAD`].
#[inline]
pub fn put_head(out: &mut Vec<u8>, len: usize, kind: Kind, flags: u8, stream: u32) {
    let [.., l2, l1, l0] = len.to_be_bytes();
    let [s3, s2, s1, s0] = stream.to_be_bytes();
    out.extend_from_slice(&[l2, l1, l0, kind.code(), flags, s3, s2, s1, s0]);
}

/// Writes a frame whose payload is one word: `RST_STREAM` with its code, `WINDOW_UPDATE` with its increment.
pub fn put_word(out: &mut Vec<u8>, kind: Kind, stream: u32, value: u32) {
    put_head(out, 4, kind, 0, stream);
    out.extend_from_slice(&value.to_be_bytes());
}

/// Writes GOAWAY with an error code: no stream of the peer's was ever taken.
pub fn put_goaway(out: &mut Vec<u8>, code: u32) {
    put_head(out, 8, Kind::GoAway, 0, 0);
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&code.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(kind: Kind, flags: u8, payload: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        put_head(&mut out, payload.len(), kind, flags, 5);
        out.extend_from_slice(payload);
        out
    }

    #[test]
    fn a_written_frame_reads_back_and_waits_for_its_last_byte() {
        let mut bytes = written(Kind::Data, END_STREAM, b"abc");
        bytes.push(7);
        let (frame, rest) = split(&bytes).ok().flatten().unwrap();
        assert_eq!(frame.head, FrameHead { len: 3, kind: Kind::Data, flags: END_STREAM, stream: 5 });
        assert_eq!((frame.payload, rest), (&b"abc"[..], &[7][..]));
        for cut in 0..bytes.len() - 1 {
            assert_eq!(split(&bytes[..cut]), Ok(None));
        }
    }

    #[test]
    fn every_kind_has_its_own_code() {
        for code in 0..10 {
            assert_eq!(Kind::of(code).code(), code);
        }
        assert_eq!(Kind::of(10), Kind::Unknown);
    }

    #[test]
    fn padding_and_priority_are_taken_off() {
        let check = |kind, flags, payload: &[u8], expected: Result<&[u8], Violation>| {
            let head = FrameHead { len: payload.len(), kind, flags, stream: 1 };
            assert_eq!(Frame { head, payload }.content(), expected);
        };
        check(Kind::Data, 0, b"abc", Ok(b"abc"));
        check(Kind::Data, PADDED, b"\x02abcd", Ok(b"ab"));
        check(Kind::Data, PADDED, b"\x04abcd", Ok(b""));
        check(Kind::Data, PADDED, b"\x05abcd", Err(Violation::Protocol("padding longer than its frame")));
        check(Kind::Data, PADDED, b"", Err(Violation::FrameSize("padded")));
        check(Kind::Headers, PADDED | PRIORITY, b"\x01.....xy", Ok(b"x"));
        check(Kind::Headers, PRIORITY, b"....", Err(Violation::FrameSize("HEADERS")));
    }

    #[test]
    fn a_frame_over_the_limit_is_refused_at_its_head() {
        assert_eq!(FrameHead::parse(&[0, 0x40, 1, 0, 0, 0, 0, 0, 0]), Err(Violation::FrameSize("too long")));
        assert_eq!(FrameHead::parse(b"HTTP/1.1 400"), Err(Violation::Protocol("the peer speaks HTTP/1")));
    }
}
