//! Text of the tables as it stands in a page: what is between backticks becomes code. Pure; everything is escaped.

use maud::{Markup, html};

/// A sentence with its code.
pub fn sentence(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Sentences as a list.
pub fn list(lines: &[String]) -> Markup {
    html! {
        ul {
            @for line in lines { li { (sentence(line)) } }
        }
    }
}

/// The id of something that a page names: letters, digits and `+._-`; anything else becomes `-`.
pub fn id(kind: &str, name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "+._-".contains(c) { c } else { '-' };
    format!("{kind}-{}", name.chars().map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_stands_between_backticks_and_all_of_it_is_escaped() {
        let check = |text: &str, expected: &str| assert_eq!(sentence(text).into_string(), expected);
        check("arm a: `--x=<b>`, 1 CPU", "arm a: <code>--x=&lt;b&gt;</code>, 1 CPU");
        check("a lone ` stays", "a lone ` stays");
        check("<script>", "&lt;script&gt;");
    }

    #[test]
    fn an_id_is_one_word_whatever_the_name() {
        let check = |name: &str, expected: &str| assert_eq!(id("run", name), expected);
        check("rest-h1-tiny-r1", "run-rest-h1-tiny-r1");
        check("jvm+young-gen-tiny-r2", "run-jvm+young-gen-tiny-r2");
        check("a \"b\" <c>", "run-a--b---c-");
    }
}
