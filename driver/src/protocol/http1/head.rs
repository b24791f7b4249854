//! Reads the head of an answer out of a stream of bytes: status, how its body is framed, whether the connection lives
//! on. Most answers on a connection begin with the very bytes of the one before; those are recognised, not parsed again.

use std::mem::MaybeUninit;

use super::{super::Broken, Bodies};

/// The longest head that is accepted, bytes.
const LONGEST_HEAD: usize = 64 * 1024;
/// The most header lines.
const MOST_LINES: usize = 128;
/// The most interim answers before the final one, counted by bytes of heads.
const LONGEST_HEADS: usize = 4 * LONGEST_HEAD;

/// How a body is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// There is none.
    Empty,
    Length(u64),
    Chunked,
    UntilClose,
}

/// What a head says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) framing: Framing,
    pub(super) kept_alive: bool,
}

impl Head {
    /// True for 1xx but 101, which no client of ours has asked for: the final head is still to come.
    pub(super) fn is_interim(&self) -> bool {
        self.status / 100 == 1 && self.status != 101
    }
}

/// Collects and parses heads.
#[derive(Debug, Clone)]
pub(super) struct HeadReader {
    bodies: Bodies,
    /// The last final head, byte for byte, and what it says.
    last: Vec<u8>,
    last_head: Head,
    partial: Vec<u8>,
    /// How much of `partial` is known to hold no end.
    scanned: usize,
    /// Bytes of interim heads since the last final one.
    interim: usize,
}

impl HeadReader {
    pub(super) fn new(bodies: Bodies) -> Self {
        let last_head = Head { status: 0, framing: Framing::Empty, kept_alive: false };
        Self { bodies, last: Vec::new(), last_head, partial: Vec::new(), scanned: 0, interim: 0 }
    }

    /// Takes a head off the front of `bytes`; `None` where it is not complete: then all bytes were taken.
    #[inline]
    pub(super) fn read(&mut self, bytes: &mut &[u8]) -> Result<Option<Head>, Broken> {
        if self.partial.is_empty() && !self.last.is_empty() && bytes.starts_with(&self.last) {
            *bytes = &bytes[self.last.len()..];
            self.interim = 0;
            return Ok(Some(self.last_head));
        }
        self.read_new(bytes)
    }

    fn read_new(&mut self, bytes: &mut &[u8]) -> Result<Option<Head>, Broken> {
        let taken_before = self.partial.len();
        self.partial.extend_from_slice(bytes);
        let Some(end) = self.find_end() else {
            if self.partial.len() > LONGEST_HEAD {
                return Err(Broken(format!("a head of more than {LONGEST_HEAD} bytes")));
            }
            *bytes = &[];
            return Ok(None);
        };
        let head = parse(&self.partial[..end], self.bodies)?;
        *bytes = &bytes[end - taken_before..];
        self.partial.truncate(end);
        self.scanned = 0;
        if head.is_interim() {
            self.interim += end;
            self.partial.clear();
            if self.interim > LONGEST_HEADS {
                return Err(Broken("interim answers without end".to_owned()));
            }
        } else {
            self.interim = 0;
            std::mem::swap(&mut self.last, &mut self.partial);
            self.partial.clear();
            self.last_head = head;
        }
        Ok(Some(head))
    }

    /// The length of the head with the empty line that ends it. Looks at each byte once.
    fn find_end(&mut self) -> Option<usize> {
        while let Some(found) = self.partial[self.scanned..].iter().position(|byte| *byte == b'\n') {
            let next = self.scanned + found + 1;
            match self.partial[next..] {
                [b'\n', ..] => return Some(next + 1),
                [b'\r', b'\n', ..] => return Some(next + 2),
                // The line break may be the first half of an end: look again when there is more.
                [] | [b'\r'] => {
                    self.scanned = next - 1;
                    return None;
                }
                _ => self.scanned = next,
            }
        }
        self.scanned = self.partial.len();
        None
    }
}

fn parse(bytes: &[u8], bodies: Bodies) -> Result<Head, Broken> {
    let mut lines = [const { MaybeUninit::uninit() }; MOST_LINES];
    let mut answer = httparse::Response::new(&mut []);
    let parsed = httparse::ParserConfig::default().parse_response_with_uninit_headers(&mut answer, bytes, &mut lines);
    match parsed {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => {
            return Err(Broken("a head that ends in the middle".to_owned()));
        }
        Err(error) => return Err(Broken(format!("a head that is not HTTP/1.1: {error}"))),
    }
    let status = answer.code.unwrap_or(0);
    let mut fields = Fields::default();
    for line in answer.headers.iter() {
        fields.take(line.name, line.value)?;
    }
    let framing = fields.framing(status, bodies)?;
    let kept_alive = match answer.version {
        Some(1) => !fields.close,
        _ => fields.keep_alive && !fields.close,
    };
    Ok(Head { status, framing, kept_alive: kept_alive && framing != Framing::UntilClose && status != 101 })
}

/// The header lines that matter.
#[derive(Debug, Default)]
struct Fields {
    length: Option<u64>,
    /// Whether the last transfer coding is `chunked`; absent where there is none.
    chunked: Option<bool>,
    close: bool,
    keep_alive: bool,
}

impl Fields {
    fn take(&mut self, name: &str, value: &[u8]) -> Result<(), Broken> {
        if name.eq_ignore_ascii_case("content-length") {
            for part in value.split(|byte| *byte == b',') {
                self.take_length(part)?;
            }
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            let last = value.rsplit(|byte| *byte == b',').next().unwrap_or_default();
            self.chunked = Some(last.trim_ascii().eq_ignore_ascii_case(b"chunked"));
        } else if name.eq_ignore_ascii_case("connection") {
            for token in value.split(|byte| *byte == b',') {
                self.close |= token.trim_ascii().eq_ignore_ascii_case(b"close");
                self.keep_alive |= token.trim_ascii().eq_ignore_ascii_case(b"keep-alive");
            }
        }
        Ok(())
    }

    fn take_length(&mut self, text: &[u8]) -> Result<(), Broken> {
        let digits = text.trim_ascii();
        let parsed = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let length = parsed.and_then(|text| text.parse().ok());
        match (length, self.length) {
            (None, _) => Err(Broken("a content-length that is not a number".to_owned())),
            (Some(new), Some(old)) if new != old => Err(Broken("two content-lengths that differ".to_owned())),
            (Some(_), _) => {
                self.length = length;
                Ok(())
            }
        }
    }

    /// RFC 9112, section 6.3.
    fn framing(&self, status: u16, bodies: Bodies) -> Result<Framing, Broken> {
        if bodies == Bodies::Never || status / 100 == 1 || status == 204 || status == 304 {
            return Ok(Framing::Empty);
        }
        match (self.chunked, self.length) {
            (Some(_), Some(_)) => Err(Broken("both a content-length and a transfer-encoding".to_owned())),
            (Some(true), None) => Ok(Framing::Chunked),
            (Some(false) | None, None) => Ok(Framing::UntilClose),
            (None, Some(length)) => Ok(Framing::Length(length)),
        }
    }
}
