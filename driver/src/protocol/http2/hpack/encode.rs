//! A request's header block, encoded once: fields in, bytes out, for the first call on a connection and for all later
//! ones. Knows no stream and no frame.

use super::{DEFAULT_TABLE, ENTRY_OVERHEAD, static_table::STATIC_TABLE};

/// One field of a request; the name in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderField {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl HeaderField {
    /// A field.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }

    fn size(&self) -> usize {
        self.name.len() + self.value.len() + ENTRY_OVERHEAD
    }
}

/// The blocks of a request that is sent again and again: the first fills the peer's table, the later ones point into it.
/// Where the peer's table has no room for all fields, both are the same and touch no table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestBlocks {
    /// The first block on a connection, or after the peer has shrunk its table.
    pub first: Vec<u8>,
    /// Every later block.
    pub later: Vec<u8>,
}

/// How fields that the static table does not hold are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Indexing {
    Incremental,
    Without,
}

impl RequestBlocks {
    /// Encodes `fields` for a peer whose table has `table` bytes, of which the default is used at most.
    pub fn new(fields: &[HeaderField], table: u32) -> Self {
        let table = table.min(DEFAULT_TABLE) as usize;
        let kept: Vec<_> = fields.iter().filter(|field| static_index(field).is_none()).collect();
        let room = kept.iter().map(|field| field.size()).sum::<usize>() <= table;
        let mut first = size_updates(table);
        if !room {
            let later = literals(fields, Indexing::Without);
            first.extend_from_slice(&later);
            return Self { first, later };
        }
        first.extend(literals(fields, Indexing::Incremental));
        Self { first, later: indexed(fields, kept.len()) }
    }
}

/// Empties the table, then gives it its size, where it is not the default.
fn size_updates(table: usize) -> Vec<u8> {
    let mut out = Vec::new();
    if table < DEFAULT_TABLE as usize {
        put_number(&mut out, 0x20, 5, 0);
        if table > 0 {
            put_number(&mut out, 0x20, 5, table);
        }
    }
    out
}

/// The fields by index, once `kept` of them have been put into the table in their order.
fn indexed(fields: &[HeaderField], mut kept: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for field in fields {
        let index = static_index(field).unwrap_or_else(|| {
            kept -= 1;
            STATIC_TABLE.len() + 1 + kept
        });
        put_number(&mut out, 0x80, 7, index);
    }
    out
}

fn static_index(field: &HeaderField) -> Option<usize> {
    let same = |(name, value): &(&str, &str)| field.name == *name && field.value == *value;
    STATIC_TABLE.iter().position(same).map(|place| place + 1)
}

/// The fields by their text, but for those that the static table holds.
fn literals(fields: &[HeaderField], indexing: Indexing) -> Vec<u8> {
    let mut out = Vec::new();
    for field in fields {
        literal(&mut out, field, indexing);
    }
    out
}

fn literal(out: &mut Vec<u8>, field: &HeaderField, indexing: Indexing) {
    if let Some(index) = static_index(field) {
        return put_number(out, 0x80, 7, index);
    }
    let name = STATIC_TABLE.iter().position(|(name, _)| field.name == *name).map_or(0, |place| place + 1);
    match indexing {
        Indexing::Incremental => put_number(out, 0x40, 6, name),
        Indexing::Without => put_number(out, 0x00, 4, name),
    }
    if name == 0 {
        put_text(out, &field.name);
    }
    put_text(out, &field.value);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, 0x00, 7, text.len());
    out.extend_from_slice(text.as_bytes());
}

/// Writes a number behind a pattern in its first byte (RFC 7541, section 5.1).
fn put_number(out: &mut Vec<u8>, pattern: u8, prefix: u8, number: usize) {
    let mask = (1usize << prefix) - 1;
    if number < mask {
        return out.push(pattern | low_byte(number));
    }
    out.push(pattern | low_byte(mask));
    let mut rest = number - mask;
    while rest >= 0x80 {
        out.push(low_byte(rest) | 0x80);
        rest >>= 7;
    }
    out.push(low_byte(rest));
}

const fn low_byte(number: usize) -> u8 {
    number.to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Vec<HeaderField> {
        vec![HeaderField::new(":method", "POST"), HeaderField::new(":path", "/a"), HeaderField::new("te", "trailers")]
    }

    fn check(table: u32, first: &[u8], later: &[u8]) {
        let blocks = RequestBlocks::new(&fields(), table);
        assert_eq!((&blocks.first[..], &blocks.later[..]), (first, later), "table of {table}");
    }

    #[test]
    fn later_blocks_point_into_the_table_that_the_first_one_fills() {
        check(4_096, b"\x83\x44\x02/a\x40\x02te\x08trailers", &[0x83, 0xbf, 0xbe]);
        check(65_536, b"\x83\x44\x02/a\x40\x02te\x08trailers", &[0x83, 0xbf, 0xbe]);
    }

    #[test]
    fn a_smaller_table_is_announced_and_an_unfit_one_is_left_alone() {
        check(81, b"\x20\x3f\x32\x83\x44\x02/a\x40\x02te\x08trailers", &[0x83, 0xbf, 0xbe]);
        check(80, b"\x20\x3f\x31\x83\x04\x02/a\x00\x02te\x08trailers", b"\x83\x04\x02/a\x00\x02te\x08trailers");
        check(100, b"\x20\x3f\x45\x83\x44\x02/a\x40\x02te\x08trailers", &[0x83, 0xbf, 0xbe]);
        check(0, b"\x20\x83\x04\x02/a\x00\x02te\x08trailers", b"\x83\x04\x02/a\x00\x02te\x08trailers");
    }

    #[test]
    fn a_long_value_has_a_long_length() {
        let blocks = RequestBlocks::new(&[HeaderField::new("x", "v".repeat(300))], 4_096);
        assert_eq!(blocks.first[..6], [0x40, 1, b'x', 0x7f, 0xad, 0x01]);
        assert_eq!(blocks.first.len(), 6 + 300);
    }
}
