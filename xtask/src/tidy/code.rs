//! Rust text without what is not code: comments, the insides of strings, and items that are compiled for tests alone.
//! Blanked, not cut out: every line keeps its number. A scanner, no parser: enough for the checks here.

/// A file's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Code {
    /// The code with everything else blanked.
    pub text: String,
}

impl Code {
    /// Blanks what is not code.
    pub fn new(source: &str) -> Self {
        let letters: Vec<char> = blank_words(&source.chars().collect::<Vec<_>>());
        Self { text: blank_tests(letters).into_iter().collect() }
    }

    /// The number of the line in which the character at `at` (a byte of the text) lies, from 1.
    pub fn line(&self, at: usize) -> usize {
        1 + self.text[..at].matches('\n').count()
    }

    /// Lines that hold code.
    pub fn lines_of_code(&self) -> usize {
        self.text.lines().filter(|line| !line.trim().is_empty()).count()
    }
}

/// Comments and the insides of literals, blanked.
fn blank_words(source: &[char]) -> Vec<char> {
    let mut out = Vec::with_capacity(source.len());
    while out.len() < source.len() {
        let rest = &source[out.len()..];
        let length = word(rest);
        if length == 0 {
            out.push(rest[0]);
            let raw = rest[0].is_alphanumeric() || rest[0] == '_';
            if raw {
                let name = rest.iter().skip(1).take_while(|c| c.is_alphanumeric() || **c == '_').count();
                let prefix = name + 1 < rest.len() && matches!(rest[name + 1], '"' | '#') && name < 2;
                if !prefix {
                    out.extend(&rest[1..=name]);
                }
            }
        } else {
            out.extend(rest[..length].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
        }
    }
    out
}

/// The length of the comment or literal at the start; 0 where there is none.
fn word(rest: &[char]) -> usize {
    match rest {
        ['/', '/', ..] => rest.iter().take_while(|c| **c != '\n').count(),
        ['/', '*', ..] => block_comment(rest),
        ['"', ..] => 1 + quoted(&rest[1..], '"'),
        ['r', '"' | '#', ..] => raw_string(&rest[1..]).map_or(0, |length| length + 1),
        ['b', 'r', '"' | '#', ..] => raw_string(&rest[2..]).map_or(0, |length| length + 2),
        ['b', '"', ..] => 2 + quoted(&rest[2..], '"'),
        ['b', '\'', ..] => 2 + quoted(&rest[2..], '\''),
        ['\'', '\\', ..] => 1 + quoted(&rest[1..], '\''),
        ['\'', _, '\'', ..] => 3,
        _ => 0,
    }
}

fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The length up to and with the closing quote.
fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a raw string from its first `#` or quote; nothing where it is a raw identifier.
fn raw_string(rest: &[char]) -> Option<usize> {
    let hashes = rest.iter().take_while(|c| **c == '#').count();
    if rest.get(hashes) != Some(&'"') {
        return None;
    }
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let inside = &rest[hashes + 1..];
    let length = inside.windows(end.len()).position(|window| window == end).map_or(inside.len(), |at| at + end.len());
    Some(hashes + 1 + length)
}

/// Items behind `#[cfg(test)]`, blanked.
fn blank_tests(mut code: Vec<char>) -> Vec<char> {
    const MARK: [char; 12] = ['#', '[', 'c', 'f', 'g', '(', 't', 'e', 's', 't', ')', ']'];
    let mut from = 0;
    while let Some(at) = code[from..].windows(MARK.len()).position(|window| window == MARK) {
        let start = from + at;
        let end = start + MARK.len() + item(&code[start + MARK.len()..]);
        for c in &mut code[start..end] {
            if *c != '\n' {
                *c = ' ';
            }
        }
        from = end;
    }
    code
}

/// The length of the item at the start: to its semicolon, or to the brace that closes its body.
fn item(rest: &[char]) -> usize {
    let mut depth = 0usize;
    for (at, c) in rest.iter().enumerate() {
        match c {
            '{' | '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let squeezed: Vec<String> = Code::new(source).text.split_whitespace().map(str::to_owned).collect();
        assert_eq!(squeezed.join(" "), expected, "{source}");
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        check("a // b\nc", "a c");
        check("a /* b /* c */ d */ e", "a e");
        check("f(\"x // y\", 'z', '\\'', b\"w\", b'v') g", "f( , , , , ) g");
        check("r\"a\" br#\"b\"# r##\"c\"# \"##; d", "; d");
        check("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}");
        check("for_r\"no\"", "for_r");
        check("bar(b)", "bar(b)");
    }

    #[test]
    fn tests_are_no_code_and_what_follows_them_is() {
        check("a();\n#[cfg(test)]\nmod tests;\nb();", "a(); b();");
        check("#[cfg(test)]\nmod tests { fn f() { [1; 2] } }\nb();", "b();");
        check("#[cfg(test)]\n#[allow(x)]\nfn f(a: [u8; 2]) {}\nb();", "b();");
    }

    #[test]
    fn every_line_keeps_its_number() {
        let code = Code::new("/* a\nb */\n\"c\nd\"\nmark");
        assert_eq!(code.line(code.text.find("mark").unwrap()), 5);
        assert_eq!(code.lines_of_code(), 1);
    }
}
