//! Counts a body off a stream of bytes, as far as needed to know where it ends. Nothing of it is kept, and what a peer may
//! say about lengths is bounded.

use super::super::Broken;

/// The largest chunk that is accepted, bytes.
const LARGEST_CHUNK: u64 = 1 << 32;
/// The longest line that tells a chunk's size, with its extensions, bytes.
const LONGEST_SIZE_LINE: u32 = 4096;
/// The longest trailers, bytes.
const LONGEST_TRAILERS: u32 = 64 * 1024;

/// A body of which some is still to come.
#[derive(Debug, Clone)]
pub(super) enum Body {
    Length(u64),
    Chunked(Chunked),
    UntilClose,
}

impl Body {
    pub(super) fn length(length: u64) -> Self {
        Self::Length(length)
    }

    pub(super) fn chunked() -> Self {
        Self::Chunked(Chunked::Size(SizeLine::default()))
    }

    pub(super) fn until_close() -> Self {
        Self::UntilClose
    }

    pub(super) fn ends_with_the_connection(&self) -> bool {
        matches!(self, Self::UntilClose)
    }

    /// Takes what belongs to the body off the front of `bytes`. True once the body is complete.
    #[inline]
    pub(super) fn read(&mut self, bytes: &mut &[u8]) -> Result<bool, Broken> {
        match self {
            Self::Length(left) => Ok(skip(left, bytes)),
            Self::Chunked(chunked) => chunked.read(bytes),
            Self::UntilClose => {
                *bytes = &[];
                Ok(false)
            }
        }
    }
}

/// Skips up to `left` bytes. True once none is left.
#[inline]
fn skip(left: &mut u64, bytes: &mut &[u8]) -> bool {
    let here = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
    *bytes = &bytes[here..];
    *left -= here as u64;
    *left == 0
}

/// A line that tells a chunk's size.
#[derive(Debug, Clone, Default)]
pub(super) struct SizeLine {
    size: u64,
    digits: u32,
    length: u32,
    in_extension: bool,
}

/// Where in a chunked body the next byte belongs.
#[derive(Debug, Clone)]
pub(super) enum Chunked {
    Size(SizeLine),
    SizeEnd(u64),
    Data(u64),
    DataEnd,
    DataEndLine,
    /// Length of all trailers and of the line at hand so far.
    Trailer {
        all: u32,
        line: u32,
    },
    TrailerEnd {
        all: u32,
        line: u32,
    },
}

impl Chunked {
    fn read(&mut self, bytes: &mut &[u8]) -> Result<bool, Broken> {
        loop {
            if let Self::Data(left) = self {
                if !skip(left, bytes) {
                    return Ok(false);
                }
                *self = Self::DataEnd;
            }
            let Some((byte, rest)) = bytes.split_first() else {
                return Ok(false);
            };
            *bytes = rest;
            if self.take(*byte)? {
                return Ok(true);
            }
        }
    }

    /// One byte that is not chunk data. True at the end of the body.
    fn take(&mut self, byte: u8) -> Result<bool, Broken> {
        *self = match (&mut *self, byte) {
            (Self::Size(line), b'\r') => Self::SizeEnd(line.size()?),
            (Self::Size(line), _) => {
                line.take(byte)?;
                return Ok(false);
            }
            (Self::SizeEnd(0), b'\n') => Self::Trailer { all: 0, line: 0 },
            (Self::SizeEnd(size), b'\n') => Self::Data(*size),
            (Self::DataEnd, b'\r') => Self::DataEndLine,
            (Self::DataEndLine, b'\n') => Self::Size(SizeLine::default()),
            (Self::Trailer { all, line }, b'\r') => Self::TrailerEnd { all: *all, line: *line },
            (Self::Trailer { all, line }, _) if *all < LONGEST_TRAILERS => {
                Self::Trailer { all: *all + 1, line: *line + 1 }
            }
            (Self::TrailerEnd { line: 0, .. }, b'\n') => return Ok(true),
            (Self::TrailerEnd { all, .. }, b'\n') => Self::Trailer { all: *all, line: 0 },
            (Self::Trailer { .. }, _) => {
                return Err(Broken(format!("trailers of more than {LONGEST_TRAILERS} bytes")));
            }
            (Self::SizeEnd(_) | Self::Data(_) | Self::DataEnd | Self::DataEndLine | Self::TrailerEnd { .. }, _) => {
                return Err(Broken(format!("byte {byte:#04x} where a chunk's line should end")));
            }
        };
        Ok(false)
    }
}

impl SizeLine {
    fn take(&mut self, byte: u8) -> Result<(), Broken> {
        self.length += 1;
        if self.length > LONGEST_SIZE_LINE {
            return Err(Broken(format!("a chunk's size line of more than {LONGEST_SIZE_LINE} bytes")));
        }
        match (char::from(byte).to_digit(16), byte) {
            _ if self.in_extension => {
                if byte == b'\n' {
                    return Err(Broken("a line break in a chunk's extension".to_owned()));
                }
            }
            (Some(digit), _) => {
                self.size = self.size * 16 + u64::from(digit);
                self.digits += 1;
                if self.size > LARGEST_CHUNK {
                    return Err(Broken(format!("a chunk of more than {LARGEST_CHUNK} bytes")));
                }
            }
            (None, b';' | b' ' | b'\t') if self.digits > 0 => self.in_extension = true,
            (None, _) => return Err(Broken(format!("byte {byte:#04x} in a chunk's size"))),
        }
        Ok(())
    }

    fn size(&self) -> Result<u64, Broken> {
        if self.digits == 0 {
            return Err(Broken("a chunk without a size".to_owned()));
        }
        Ok(self.size)
    }
}
