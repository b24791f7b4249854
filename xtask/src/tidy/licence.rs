//! What the product is built from: licences that may be passed on, crates that are kept out, one source.

use serde_json::Value;

use super::{Finding, metadata::Metadata};

const ALLOWED: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];
const BANNED: [(&str, &str); 7] = [
    ("serde_yaml", "is not maintained; use serde-saphyr"),
    ("serde_yml", "is not sound; use serde-saphyr"),
    ("yaml-rust", "is not maintained; use serde-saphyr"),
    ("openssl-sys", "needs a C library; use rustls"),
    ("native-tls", "needs a C library; use rustls"),
    ("backoff", "is not maintained"),
    ("tokio-uring", "io_uring is forbidden by the usual container profiles"),
];
const SOURCE: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// What must not be built in.
pub(super) fn findings(metadata: &Metadata) -> Vec<Finding> {
    metadata.packages().filter(|package| !package["source"].is_null()).flat_map(of_package).collect()
}

fn of_package(package: &Value) -> Vec<Finding> {
    let name = package["name"].as_str().unwrap_or_default();
    let mut found = Vec::new();
    if package["source"] != SOURCE {
        found.push(Finding::new(name, format!("comes from {}; crates come from crates.io", package["source"])));
    }
    if let Some((_, why)) = BANNED.iter().find(|(banned, _)| *banned == name) {
        found.push(Finding::new(name, *why));
    }
    match package["license"].as_str() {
        Some(licence) if is_allowed(licence) => {}
        Some(licence) => found.push(Finding::new(name, format!("has the licence {licence}, which is not allowed"))),
        None => found.push(Finding::new(name, "names no licence")),
    }
    found
}

/// Whether an SPDX expression can be kept by an allowed licence. `/` is the old way to write `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let (allowed, rest) = either(&words);
    allowed && rest.is_empty()
}

fn either<'a, 'b>(words: &'b [&'a str]) -> (bool, &'b [&'a str]) {
    let (mut allowed, mut rest) = both(words);
    while let ["OR", more @ ..] = rest {
        let (other, left) = both(more);
        (allowed, rest) = (allowed || other, left);
    }
    (allowed, rest)
}

fn both<'a, 'b>(words: &'b [&'a str]) -> (bool, &'b [&'a str]) {
    let (mut allowed, mut rest) = one(words);
    while let ["AND", more @ ..] = rest {
        let (other, left) = one(more);
        (allowed, rest) = (allowed && other, left);
    }
    (allowed, rest)
}

fn one<'a, 'b>(words: &'b [&'a str]) -> (bool, &'b [&'a str]) {
    match words {
        ["(", inner @ ..] => match either(inner) {
            (allowed, [")", rest @ ..]) => (allowed, rest),
            (_, rest) => (false, rest),
        },
        [name, "WITH", exception, rest @ ..] => (ALLOWED.contains(&format!("{name} WITH {exception}").as_str()), rest),
        [name, rest @ ..] => (ALLOWED.contains(name), rest),
        [] => (false, words),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_expression_is_allowed_where_a_choice_is() {
        let check = |expression, expected| assert_eq!(is_allowed(expression), expected, "{expression}");
        check("MIT", true);
        check("MIT OR Apache-2.0", true);
        check("MIT/Apache-2.0", true);
        check("GPL-3.0-only OR MIT", true);
        check("GPL-3.0-only", false);
        check("MIT AND GPL-3.0-only", false);
        check("(MIT OR Apache-2.0) AND Unicode-3.0", true);
        check("(MIT OR Apache-2.0) AND CDDL-1.0", false);
        check("Apache-2.0 WITH LLVM-exception OR MIT", true);
        check("Apache-2.0 WITH Classpath-exception-2.0", false);
        check("", false);
        check("MIT MIT", false);
    }

    #[test]
    fn the_lists_are_those_of_cargo_deny() {
        let deny = std::fs::read_to_string(crate::root().join("deny.toml")).unwrap();
        let listed = |from: &str, to: &str| -> Vec<String> {
            let part = deny.split_once(from).unwrap().1.split_once(to).unwrap().0;
            part.lines().filter_map(|line| line.split('"').nth(1)).map(str::to_owned).collect()
        };
        assert_eq!(listed("allow = [", "]"), ALLOWED);
        assert_eq!(listed("deny = [", "]"), BANNED.map(|(name, _)| name));
    }

    #[test]
    fn a_package_is_judged_by_name_source_and_licence() {
        let said = |package: Value| of_package(&package).len();
        assert_eq!(said(json!({"name": "a", "source": SOURCE, "license": "MIT"})), 0);
        assert_eq!(said(json!({"name": "serde_yaml", "source": SOURCE, "license": "MIT"})), 1);
        assert_eq!(said(json!({"name": "a", "source": "git+https://example.com/a", "license": null})), 2);
    }
}
