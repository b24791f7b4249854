//! The shape of a file: what opens it, how long it is, how long its functions are.

use super::{Code, Finding};

const MAX_MODULE: usize = 400;
const MAX_FUNCTION: usize = 70;
const MAX_HEADER: usize = 6;
const MAX_MAIN: usize = 30;

/// What is wrong with a file's shape.
pub(super) fn findings(name: &str, text: &str, code: &Code) -> Vec<Finding> {
    let mut found = Vec::new();
    let header = text.lines().take_while(|line| line.starts_with("//!")).count();
    if header == 0 {
        found.push(Finding::in_line(
            name,
            1,
            "does not open with `//!`: what comes in, what goes out, what it must not know",
        ));
    }
    if header > MAX_HEADER {
        found.push(Finding::in_line(name, 1, format!("opens with {header} lines of `//!`; at most {MAX_HEADER}")));
    }
    let lines = code.lines_of_code();
    let most = if name.ends_with("/main.rs") { MAX_MAIN } else { MAX_MODULE };
    if lines > most {
        found.push(Finding::new(name, format!("has {lines} lines of code; at most {most}")));
    }
    found.extend(long_functions(name, code));
    found
}

fn long_functions(name: &str, code: &Code) -> Vec<Finding> {
    let starts = code.text.match_indices("fn ").map(|(at, _)| at).filter(|at| begins_a_word(&code.text, *at));
    let lengths = starts.filter_map(|at| Some((at, body(&code.text[at..])?)));
    let long = lengths.map(|(at, body)| (at, body.lines().count())).filter(|(_, lines)| *lines > MAX_FUNCTION);
    long.map(|(at, lines)| {
        let what = format!("a function of {lines} lines; at most {MAX_FUNCTION}");
        Finding::in_line(name, code.line(at), what)
    })
    .collect()
}

fn begins_a_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// A function's text from `fn` to the end of its body; nothing where it is only declared.
fn body(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ';' | ',' if depth == 0 => return None,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(&text[..=at]);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, text: &str) -> Vec<String> {
        findings(name, text, &Code::new(text)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_short_file_with_a_header_is_tidy() {
        assert_eq!(said("a/src/x.rs", "//! X.\n\nfn f() {\n    g();\n}\n"), Vec::<String>::new());
    }

    #[test]
    fn a_file_without_a_header_or_with_a_long_one_is_found() {
        assert!(said("x.rs", "fn f() {}\n")[0].contains("does not open with"));
        assert!(said("x.rs", &"//! x\n".repeat(7))[0].contains("7 lines of `//!`"));
    }

    #[test]
    fn a_long_function_is_found_at_its_line_and_a_long_test_is_not() {
        let long = format!("fn f(x: [u8; 2]) -> u8 {{\n{}}}\n", "    g();\n".repeat(70));
        assert_eq!(said("x.rs", &format!("//! X.\n{long}")), ["x.rs:2: a function of 72 lines; at most 70"]);
        assert_eq!(said("x.rs", &format!("//! X.\n#[cfg(test)]\nmod tests {{ {long} }}\n")), Vec::<String>::new());
    }

    #[test]
    fn a_long_module_is_found_and_main_must_be_short() {
        let lines = |count: usize| format!("//! X.\n{}", "use x;\n".repeat(count));
        assert_eq!(said("x.rs", &lines(400)), Vec::<String>::new());
        assert_eq!(said("x.rs", &lines(401)), ["x.rs: has 401 lines of code; at most 400"]);
        assert_eq!(said("cli/src/main.rs", &lines(31)), ["cli/src/main.rs: has 31 lines of code; at most 30"]);
    }
}
