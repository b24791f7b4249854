//! Answers' header blocks: bytes in, the fields that judge a call out. Knows no stream; the table lives with the
//! connection, as every block changes it.

use std::collections::VecDeque;

use super::{DEFAULT_TABLE, ENTRY_OVERHEAD, huffman, static_table::STATIC_TABLE};

/// A block that cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HpackError {
    /// It ends within a field.
    #[error("it is cut off")]
    CutOff,
    /// A number of more than four further bytes.
    #[error("a number is too long")]
    Number,
    /// An index that neither table has.
    #[error("an index is not in the tables")]
    Index,
    /// A string that is not Huffman code.
    #[error("a string is not valid Huffman code")]
    Huffman,
    /// A table size above the one announced, or not at the block's begin.
    #[error("a table size update is not allowed")]
    TableSize,
}

/// What a block says about its call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fields {
    /// `:status`.
    pub status: Option<u16>,
    /// `grpc-status`.
    pub grpc_status: Option<u8>,
    /// `content-length`.
    pub content_length: Option<u64>,
    /// A field that is not allowed there, is there twice, or has no legible value.
    pub malformed: bool,
}

/// A string's length and beginning; long enough for any name or number that matters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Text {
    len: usize,
    begin: [u8; 20],
}

impl Text {
    fn of(bytes: &[u8]) -> Self {
        let mut text = Self { len: bytes.len(), ..Self::default() };
        let kept = bytes.len().min(text.begin.len());
        text.begin[..kept].copy_from_slice(&bytes[..kept]);
        text
    }

    /// Adds one byte.
    pub(super) fn push(&mut self, byte: u8) {
        if let Some(place) = self.begin.get_mut(self.len) {
            *place = byte;
        }
        self.len += 1;
    }

    /// The first bytes: all of them, when they are few.
    pub(super) fn beginning(&self) -> &[u8] {
        &self.begin[..self.len.min(self.begin.len())]
    }

    /// The decimal number that the whole string is.
    fn number(&self) -> Option<u64> {
        let digits = self.beginning();
        if digits.is_empty() || self.len > digits.len() {
            return None;
        }
        digits.iter().try_fold(0u64, |number, digit| {
            let digit = u64::from(digit.checked_sub(b'0').filter(|digit| *digit < 10)?);
            number.checked_mul(10)?.checked_add(digit)
        })
    }
}

/// What a field's name means here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Status,
    GrpcStatus,
    ContentLength,
    OtherPseudo,
    Other,
}

impl Meaning {
    fn of(name: &[u8]) -> Self {
        match name {
            b":status" => Self::Status,
            b"grpc-status" => Self::GrpcStatus,
            b"content-length" => Self::ContentLength,
            [b':', ..] => Self::OtherPseudo,
            _ => Self::Other,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Name {
    meaning: Meaning,
    len: usize,
}

impl Name {
    fn of(text: &Text) -> Self {
        Self { meaning: Meaning::of(text.beginning()), len: text.len }
    }
}

/// One field: what it means, and what it costs in the table.
#[derive(Debug, Clone, Copy)]
struct Field {
    name: Name,
    number: Option<u64>,
    size: usize,
}

impl Field {
    fn new(name: Name, value: &Text) -> Self {
        let number = if name.meaning == Meaning::Other { None } else { value.number() };
        Self { name, number, size: name.len + value.len + ENTRY_OVERHEAD }
    }
}

/// Decodes the blocks of one connection, in order.
#[derive(Debug)]
pub struct Decoder {
    fixed: Vec<Field>,
    /// The newest first.
    entries: VecDeque<Field>,
    size: usize,
    limit: usize,
}

impl Default for Decoder {
    fn default() -> Self {
        let field = |(name, value): &(&str, &str)| {
            Field::new(Name::of(&Text::of(name.as_bytes())), &Text::of(value.as_bytes()))
        };
        Self {
            fixed: STATIC_TABLE.iter().map(field).collect(),
            entries: VecDeque::new(),
            size: 0,
            limit: DEFAULT_TABLE as usize,
        }
    }
}

impl Decoder {
    /// Decodes one whole block.
    ///
    /// # Errors
    /// Anything that leaves the table in doubt: the connection cannot go on.
    pub fn decode(&mut self, block: &[u8]) -> Result<Fields, HpackError> {
        let mut input = Input { rest: block };
        let mut sum = Sum::default();
        while let Some(&first) = input.rest.first() {
            if first & 0x80 != 0 {
                sum.add(self.at(input.number(7)?)?);
            } else if first & 0xe0 == 0x20 {
                self.resize(input.number(5)?, &sum)?;
            } else if first & 0x40 != 0 {
                let field = self.literal(&mut input, 6)?;
                self.insert(field);
                sum.add(field);
            } else {
                sum.add(self.literal(&mut input, 4)?);
            }
        }
        Ok(sum.fields)
    }

    fn at(&self, index: usize) -> Result<Field, HpackError> {
        let place = index.checked_sub(1).ok_or(HpackError::Index)?;
        let field = match place.checked_sub(self.fixed.len()) {
            None => self.fixed.get(place),
            Some(place) => self.entries.get(place),
        };
        field.copied().ok_or(HpackError::Index)
    }

    fn literal(&self, input: &mut Input<'_>, prefix: u8) -> Result<Field, HpackError> {
        let name = match input.number(prefix)? {
            0 => Name::of(&input.text()?),
            index => self.at(index)?.name,
        };
        Ok(Field::new(name, &input.text()?))
    }

    fn insert(&mut self, field: Field) {
        self.evict_to(self.limit.saturating_sub(field.size));
        if field.size <= self.limit {
            self.size += field.size;
            self.entries.push_front(field);
        }
    }

    fn resize(&mut self, limit: usize, sum: &Sum) -> Result<(), HpackError> {
        if sum.seen > 0 || limit > DEFAULT_TABLE as usize {
            return Err(HpackError::TableSize);
        }
        self.limit = limit;
        self.evict_to(limit);
        Ok(())
    }

    fn evict_to(&mut self, size: usize) {
        while self.size > size
            && let Some(oldest) = self.entries.pop_back()
        {
            self.size -= oldest.size;
        }
    }
}

/// The fields of a block so far.
#[derive(Debug, Default)]
struct Sum {
    fields: Fields,
    seen: usize,
    regular: usize,
}

impl Sum {
    fn add(&mut self, field: Field) {
        self.seen += 1;
        let sound = match field.name.meaning {
            Meaning::Other => true,
            Meaning::OtherPseudo => false,
            Meaning::Status => self.regular == 0 && set(&mut self.fields.status, field.number),
            Meaning::GrpcStatus => set(&mut self.fields.grpc_status, field.number),
            Meaning::ContentLength => set(&mut self.fields.content_length, field.number),
        };
        self.fields.malformed |= !sound;
        if !matches!(field.name.meaning, Meaning::Status | Meaning::OtherPseudo) {
            self.regular += 1;
        }
    }
}

/// Fills an empty place with a number that fits; tells whether it did.
fn set<T: TryFrom<u64>>(place: &mut Option<T>, number: Option<u64>) -> bool {
    let free = place.is_none();
    *place = number.and_then(|number| T::try_from(number).ok());
    free && place.is_some()
}

struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    fn byte(&mut self) -> Result<u8, HpackError> {
        let (byte, rest) = self.rest.split_first().ok_or(HpackError::CutOff)?;
        self.rest = rest;
        Ok(*byte)
    }

    fn number(&mut self, prefix: u8) -> Result<usize, HpackError> {
        let mask = (1u16 << prefix) - 1;
        let begin = u16::from(self.byte()?) & mask;
        let mut number = usize::from(begin);
        if begin < mask {
            return Ok(number);
        }
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            number += usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(HpackError::Number)
    }

    fn text(&mut self) -> Result<Text, HpackError> {
        let huffman_coded = self.rest.first().ok_or(HpackError::CutOff)? & 0x80 != 0;
        let len = self.number(7)?;
        let (bytes, rest): (&'a [u8], _) = self.rest.split_at_checked(len).ok_or(HpackError::CutOff)?;
        self.rest = rest;
        if huffman_coded { huffman::decode(bytes) } else { Ok(Text::of(bytes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OK: Fields = Fields { status: Some(200), grpc_status: None, content_length: None, malformed: false };

    fn check(blocks: &[&[u8]], expected: Result<Fields, HpackError>) {
        let mut decoder = Decoder::default();
        let mut last = Ok(Fields::default());
        for block in blocks {
            last = decoder.decode(block);
        }
        assert_eq!(last, expected, "{blocks:x?}");
    }

    #[test]
    fn a_status_is_read_in_every_representation() {
        check(&[&[0x88]], Ok(OK));
        check(&[b"\x48\x03200"], Ok(OK));
        check(&[b"\x08\x03200"], Ok(OK));
        check(&[b"\x18\x03200"], Ok(OK));
        check(&[b"\x00\x07:status\x03200"], Ok(OK));
        check(&[b"\x48\x82\x10\x01"], Ok(OK));
        check(&[b"\x48\x03200", &[0xbe]], Ok(OK));
    }

    #[test]
    fn trailers_are_read_and_indexed() {
        let status = |code| Ok(Fields { grpc_status: Some(code), ..Fields::default() });
        check(&[b"\x40\x0bgrpc-status\x010"], status(0));
        check(&[b"\x40\x0bgrpc-status\x010", &[0xbe]], status(0));
        check(&[b"\x40\x0bgrpc-status\x010", b"\x7e\x0213", &[0xbf]], status(0));
        check(&[b"\x40\x0bgrpc-status\x010", b"\x7e\x0213", &[0xbe]], status(13));
    }

    #[test]
    fn what_is_not_allowed_in_an_answer_is_malformed() {
        let malformed =
            |status, grpc_status, content_length| Ok(Fields { status, grpc_status, content_length, malformed: true });
        check(&[&[0x88, 0x88]], malformed(Some(200), None, None));
        check(&[&[0x82]], malformed(None, None, None));
        check(&[b"\x0f\x0d\x0215\x88"], malformed(None, None, Some(15)));
        check(&[b"\x08\x03abc"], malformed(None, None, None));
        check(&[b"\x08\x0599999"], malformed(None, None, None));
        check(&[b"\x00\x0bgrpc-status\x03256"], malformed(None, None, None));
        check(&[b"\x0f\x0d\x18000000000000000000000001"], malformed(None, None, None));
    }

    #[test]
    fn a_block_that_cannot_be_decoded_is_refused() {
        check(&[&[0x80]], Err(HpackError::Index));
        check(&[&[0xbe]], Err(HpackError::Index));
        check(&[&[0x3f]], Err(HpackError::CutOff));
        check(&[&[0x7f]], Err(HpackError::CutOff));
        check(&[b"\x48"], Err(HpackError::CutOff));
        check(&[b"\x48\x0320"], Err(HpackError::CutOff));
        check(&[&[0xff, 0x80, 0x80, 0x80, 0x80, 0x01]], Err(HpackError::Number));
        check(&[&[0x3f, 0xe2, 0x1f]], Err(HpackError::TableSize));
        check(&[&[0x88, 0x20]], Err(HpackError::TableSize));
    }

    #[test]
    fn the_table_evicts_the_oldest_and_follows_size_updates() {
        let entry: &[u8] = b"\x40\x0bgrpc-status\x010";
        check(&[entry, &[0x3f, 0xe1, 0x1f, 0xbe]], Ok(Fields { grpc_status: Some(0), ..Fields::default() }));
        check(&[entry, &[0x20, 0xbe]], Err(HpackError::Index));
        check(&[entry, &[0x20, 0x3f, 0xe1, 0x1f, 0xbe]], Err(HpackError::Index));
        let filler = [b"\x40\x01a\x7f\xe1\x1e".as_slice(), &[b'x'; 4_032]].concat();
        check(&[entry, &filler, &[0xbf]], Err(HpackError::Index));
        let too_big = [b"\x40\x01a\x7f\x80\x20".as_slice(), &[b'x'; 4_223]].concat();
        check(&[entry, &too_big, &[0xbe]], Err(HpackError::Index));
    }
}
