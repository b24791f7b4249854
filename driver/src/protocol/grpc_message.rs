//! Messages of gRPC in a body: bytes in, complete messages counted out, across any split. Keeps no message's bytes.

/// Length of a message's frame: a flag and the message's length.
const FRAME_LEN: u8 = 5;

/// A compressed message, which was not asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compressed;

/// Where in a sequence of messages a body is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageReader {
    frame_seen: u8,
    left: u32,
}

impl MessageReader {
    /// Takes part of the body; returns how many messages were completed by it.
    ///
    /// # Errors
    /// A message is compressed.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<u32, Compressed> {
        let mut completed = 0;
        loop {
            bytes = self.frame(bytes)?;
            if self.frame_seen < FRAME_LEN {
                return Ok(completed);
            }
            let taken = usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
            self.left -= u32::try_from(taken).unwrap_or(self.left);
            bytes = &bytes[taken..];
            if self.left > 0 {
                return Ok(completed);
            }
            self.frame_seen = 0;
            completed += 1;
        }
    }

    /// True where a message may end the body.
    pub const fn is_between(self) -> bool {
        self.frame_seen == 0
    }

    fn frame<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], Compressed> {
        if self.frame_seen == 0
            && let Some((&[flag, ref len @ ..], rest)) = bytes.split_first_chunk::<5>()
        {
            self.left = u32::from_be_bytes(*len);
            self.frame_seen = FRAME_LEN;
            return if flag == 0 { Ok(rest) } else { Err(Compressed) };
        }
        self.frame_byte_by_byte(bytes)
    }

    fn frame_byte_by_byte<'a>(&mut self, mut bytes: &'a [u8]) -> Result<&'a [u8], Compressed> {
        while self.frame_seen < FRAME_LEN
            && let Some((byte, rest)) = bytes.split_first()
        {
            if self.frame_seen == 0 && *byte != 0 {
                return Err(Compressed);
            }
            self.left = if self.frame_seen == 0 { 0 } else { self.left << 8 | u32::from(*byte) };
            self.frame_seen += 1;
            bytes = rest;
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"\x00\x00\x00\x00\x03abc\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01d";

    #[test]
    fn messages_are_counted_whatever_the_split() {
        for first in 0..BODY.len() {
            for second in first..BODY.len() {
                let mut reader = MessageReader::default();
                let parts = [&BODY[..first], &BODY[first..second], &BODY[second..]];
                let counts: Vec<_> = parts.iter().map(|part| reader.feed(part)).collect();
                assert_eq!(counts.iter().flatten().sum::<u32>(), 3, "{first} {second}");
                assert!(reader.is_between());
            }
        }
    }

    #[test]
    fn a_message_is_complete_with_its_last_byte_alone() {
        let mut reader = MessageReader::default();
        assert_eq!(reader.feed(&BODY[..7]), Ok(0));
        assert!(!reader.is_between());
        assert_eq!(reader.feed(&BODY[7..8]), Ok(1));
        assert_eq!(reader.feed(&BODY[8..10]), Ok(0));
        assert!(!reader.is_between());
    }

    #[test]
    fn a_compressed_message_is_refused() {
        assert_eq!(MessageReader::default().feed(b"\x01\x00\x00\x00\x00"), Err(Compressed));
        assert_eq!(MessageReader::default().feed(b"\x01"), Err(Compressed));
    }
}
