//! The Huffman code of header strings: bytes in, the decoded length and the text's beginning out. The code is canonical,
//! so the lengths of its 257 symbols (RFC 7541, appendix B) are all the data there is.

use super::{HpackError, decode::Text};

/// Bits of each symbol's code; the last is the end-of-string symbol.
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
    28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12,
    10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6,
    5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22,
    22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20,
    22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28,
    27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28,
    27, 27, 27, 27, 27, 26, 30,
];
const EOS: u16 = 256;
const SHORTEST: usize = 5;
const LONGEST: usize = 30;
const ONES: u64 = 0xffff_ffff;

/// One length's share of the code.
#[derive(Clone, Copy)]
struct Level {
    /// The first code beyond this length and all shorter ones, in the upper bits of a word.
    limit: u64,
    /// The first code of this length, in the upper bits of a word.
    first: u64,
    /// Where this length's symbols begin in [`SYMBOLS`].
    begin: usize,
}

/// All symbols, by length of code, then by value.
const SYMBOLS: [u16; 257] = sorted_symbols();
const LEVELS: [Level; LONGEST + 1] = levels();

const fn sorted_symbols() -> [u16; 257] {
    let mut symbols = [0; 257];
    let (mut len, mut at) = (SHORTEST, 0);
    while len <= LONGEST {
        let mut symbol = 0;
        while symbol <= EOS {
            if LENGTHS[symbol as usize] as usize == len {
                symbols[at] = symbol;
                at += 1;
            }
            symbol += 1;
        }
        len += 1;
    }
    symbols
}

const fn levels() -> [Level; LONGEST + 1] {
    let mut levels = [Level { limit: 0, first: 0, begin: 0 }; LONGEST + 1];
    let (mut len, mut code, mut begin) = (SHORTEST, 0u64, 0);
    while len <= LONGEST {
        let mut count = 0;
        while begin + count < 257 && LENGTHS[SYMBOLS[begin + count] as usize] as usize == len {
            count += 1;
        }
        levels[len] = Level { limit: (code + count as u64) << (32 - len), first: code << (32 - len), begin };
        code = (code + count as u64) << 1;
        begin += count;
        len += 1;
    }
    levels
}

/// The symbol that the 32 bits of `window` begin with, and the length of its code.
fn symbol(window: u64) -> (u16, usize) {
    let mut len = SHORTEST;
    while len < LONGEST && window >= LEVELS[len].limit {
        len += 1;
    }
    let level = LEVELS[len];
    let place = usize::try_from((window - level.first) >> (32 - len)).unwrap_or(usize::MAX);
    (SYMBOLS.get(level.begin + place).copied().unwrap_or(EOS), len)
}

/// The next 32 of the `held` lowest bits, filled up with ones.
const fn window(bits: u64, held: usize) -> u64 {
    if held >= 32 { bits >> (held - 32) & ONES } else { (bits << 32 | ONES) >> held & ONES }
}

/// Decodes a whole string.
///
/// # Errors
/// The end-of-string symbol within, or padding that is not its beginning.
pub fn decode(bytes: &[u8]) -> Result<Text, HpackError> {
    let mut text = Text::default();
    let mut input = bytes.iter();
    let (mut bits, mut held) = (0u64, 0usize);
    loop {
        while held <= 48
            && let Some(&byte) = input.next()
        {
            bits = bits << 8 | u64::from(byte);
            held += 8;
        }
        let padded = window(bits, held);
        let (symbol, len) = symbol(padded);
        if len > held {
            let padding = held < 8 && padded == ONES;
            return if padding { Ok(text) } else { Err(HpackError::Huffman) };
        }
        let byte = u8::try_from(symbol).map_err(|_| HpackError::Huffman)?;
        text.push(byte);
        held -= len;
        bits &= (1 << held) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Result<&[u8], HpackError>) {
        let text = decode(bytes);
        assert_eq!(text.as_ref().map(Text::beginning).map_err(|error| *error), expected, "{bytes:x?}");
    }

    #[test]
    fn the_examples_of_the_standard_decode() {
        check(&[0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff], Ok(b"www.example.com"));
        check(&[0x64, 0x02], Ok(b"302"));
        check(&[0xae, 0xc3, 0x77, 0x1a, 0x4b], Ok(b"private"));
        check(&[], Ok(b""));
    }

    #[test]
    fn wrong_padding_and_the_end_symbol_are_refused() {
        check(&[0x07], Ok(b"0"));
        check(&[0x00], Err(HpackError::Huffman));
        check(&[0x06], Err(HpackError::Huffman));
        check(&[0xff], Err(HpackError::Huffman));
        check(&[0x64, 0x02, 0xff], Err(HpackError::Huffman));
        check(&[0xff, 0xff, 0xff, 0xff], Err(HpackError::Huffman));
        check(&[0xff, 0xff, 0xff, 0xfc, 0x07], Err(HpackError::Huffman));
    }

    #[test]
    fn the_code_is_complete() {
        let filled: f64 = LENGTHS.iter().map(|len| 0.5f64.powi(i32::from(*len))).sum();
        assert!((filled - 1.0).abs() < 1e-12);
        assert_eq!(SYMBOLS[256], EOS);
    }
}
