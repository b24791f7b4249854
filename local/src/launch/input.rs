//! Lines from a pipe or socket, read without ever taking more off it than is there: what is waited for by `poll` must
//! not lie in a buffer unseen.

use std::{io, os::fd::AsFd};

use rustix::io::Errno;

/// The longest line taken, bytes: an order with a large environment fits many times.
const LONGEST: usize = 4 << 20;

/// What has come in so far.
#[derive(Debug, Default)]
pub(super) struct Input {
    buffer: Vec<u8>,
    ended: bool,
}

impl Input {
    /// Takes in what is there; waits where nothing is.
    pub(super) fn fill(&mut self, from: impl AsFd) -> io::Result<()> {
        let mut piece = [0; 16384];
        match rustix::io::read(from, &mut piece) {
            // Reset: a socket whose other side died with something unread.
            Ok(0) | Err(Errno::CONNRESET) => self.ended = true,
            Ok(_) if self.buffer.len() > LONGEST => return Err(io::Error::other("a line over 4 MiB")),
            Ok(length) => self.buffer.extend_from_slice(&piece[..length]),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// The next whole line, without its end.
    pub(super) fn line(&mut self) -> Option<String> {
        let end = self.buffer.iter().position(|&byte| byte == b'\n')?;
        let line: Vec<u8> = self.buffer.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line[..end]).into_owned())
    }

    /// Whether the other side is gone.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Write, pipe};

    use super::Input;

    #[test]
    fn lines_come_out_whole_and_the_end_is_seen() {
        let (read, mut write) = pipe().unwrap();
        let mut input = Input::default();
        write.write_all(b"one\ntw").unwrap();
        input.fill(&read).unwrap();
        assert_eq!((input.line(), input.line()), (Some("one".to_owned()), None));
        write.write_all(b"o\n\nrest").unwrap();
        input.fill(&read).unwrap();
        assert_eq!((input.line(), input.line(), input.line()), (Some("two".to_owned()), Some(String::new()), None));
        assert!(!input.has_ended());
        drop(write);
        input.fill(&read).unwrap();
        assert!(input.has_ended());
    }
}
