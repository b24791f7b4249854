//! What a room must not name: the engine and the contract no clock, file, socket or thread; the executor no verdict.

use super::{Code, Finding};

/// A room and what its code must not name.
struct Room {
    folder: &'static str,
    must_not: &'static [&'static str],
    why: &'static str,
}

const PURE: &[&str] = &[
    "std::time::Instant",
    "std::time::SystemTime",
    "std::fs",
    "std::net",
    "std::os",
    "std::thread",
    "std::process",
    "std::env",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "chrono::Utc",
    "chrono::Local",
    "rustix",
    "tokio",
    "rand",
    "println!",
    "eprintln!",
    "print!",
    "eprint!",
];

const EXECUTOR: &str = "an executor holds no judgement; the campaign's judge does";

const ROOMS: [Room; 7] = [
    Room {
        folder: "campaign/src/",
        must_not: PURE,
        why: "the engine is pure: time and what is observed are arguments",
    },
    Room { folder: "sample/src/", must_not: PURE, why: "the contract is plain data" },
    Room { folder: "crds/src/", must_not: PURE, why: "the API is plain data" },
    Room { folder: "cli/src/tables/", must_not: PURE, why: "tables are made again from results alone" },
    Room { folder: "cli/src/report/chart/", must_not: PURE, why: "charts are made again from results alone" },
    Room { folder: "local/src/", must_not: &["Verdict::", "Outcome::", "Judgement::"], why: EXECUTOR },
    Room { folder: "operator/src/", must_not: &["Verdict::", "Outcome::", "Judgement::"], why: EXECUTOR },
];

/// What a file names and must not.
pub(super) fn findings(name: &str, code: &Code) -> Vec<Finding> {
    let room = ROOMS.iter().find(|room| name.starts_with(room.folder));
    room.into_iter().flat_map(|room| in_room(room, name, code)).collect()
}

fn in_room(room: &Room, name: &str, code: &Code) -> Vec<Finding> {
    let mut found = Vec::new();
    let named = imports(&code.text).into_iter().chain(paths(&code.text));
    for (at, path) in named {
        if let Some(banned) = room.must_not.iter().find(|banned| names(&path, banned)) {
            let finding =
                Finding::in_line(name, code.line(at), format!("names {}: {}", banned.trim_end_matches(':'), room.why));
            if !found.contains(&finding) {
                found.push(finding);
            }
        }
    }
    found
}

/// Whether a path is the banned one or leads through it. One that ends in `::` is banned anywhere in a path.
fn names(path: &str, banned: &str) -> bool {
    if let Some(kind) = banned.strip_suffix("::") {
        let parts: Vec<&str> = path.split("::").collect();
        return parts.iter().rev().skip(1).any(|part| *part == kind);
    }
    path.strip_prefix(banned).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Every path that a `use` brings in, groups spelled out, with its place.
fn imports(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let starts = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if let Some(end) = code[at..].find(';').filter(|_| starts) {
            let tree: String = code[at + 4..at + end].split_whitespace().collect::<Vec<_>>().join(" ");
            spell_out("", &tree, &mut |path| found.push((at, path)));
        }
    }
    found
}

/// Calls `found` with every path of a use tree.
fn spell_out(prefix: &str, tree: &str, found: &mut impl FnMut(String)) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree).trim();
        return found(format!("{prefix}{path}").trim_end_matches("::self").to_owned());
    };
    let prefix = format!("{prefix}{}", tree[..open].trim());
    let inside = tree[open + 1..].trim_end().trim_end_matches('}');
    let mut depth = 0usize;
    let mut start = 0;
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                spell_out(&prefix, &inside[start..at], found);
                start = at + 1;
            }
            _ => {}
        }
    }
    // A nested group at the end loses its own brace to the trim above; it is given back.
    let last = &inside[start..];
    if !last.trim().is_empty() {
        spell_out(&prefix, &format!("{last}{}", "}".repeat(depth)), found);
    }
}

/// Every path and macro that stands in the code, with its place.
fn paths(code: &str) -> Vec<(usize, String)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '!');
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in code.char_indices().chain([(code.len(), ' ')]) {
        match (is_part(c), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, code[from..at].trim_start_matches(':').to_owned()));
                start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expected: &[&str]) {
        let found = findings(name, &Code::new(text));
        let said: Vec<String> =
            found.iter().map(|finding| finding.to_string().split(": the ").next().unwrap().to_owned()).collect();
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn the_engine_must_not_name_a_clock_a_file_a_socket_or_a_thread() {
        check("campaign/src/a.rs", "use std::time::Instant;", &["campaign/src/a.rs:1: names std::time::Instant"]);
        check("campaign/src/a.rs", "\nlet x = std::fs::read(p);", &["campaign/src/a.rs:2: names std::fs"]);
        check("sample/src/a.rs", "use std::{fmt, net::{IpAddr, TcpStream}};", &["sample/src/a.rs:1: names std::net"]);
        check(
            "campaign/src/a.rs",
            "use std::{collections::{BTreeMap, BTreeSet}, time::{Duration, SystemTime}};",
            &["campaign/src/a.rs:1: names std::time::SystemTime"],
        );
        check("campaign/src/a.rs", "use std::{thread};", &["campaign/src/a.rs:1: names std::thread"]);
        check("crds/src/a.rs", "println!(\"x\");", &["crds/src/a.rs:1: names println!"]);
    }

    #[test]
    fn what_only_looks_like_it_is_allowed() {
        check("campaign/src/a.rs", "use std::time::Duration; use std::fmt; let operand = random::x; // std::fs", &[]);
        check("campaign/src/a.rs", "const V: &str = env!(\"X\"); let s = \"std::fs\";", &[]);
        check("campaign/src/a.rs", "#[cfg(test)]\nmod tests { use std::fs; }", &[]);
        check("driver/src/a.rs", "use std::time::Instant;", &[]);
    }

    #[test]
    fn an_executor_must_not_make_a_verdict() {
        let found = findings("local/src/a.rs", &Code::new("let v = soak_campaign::verdict::Verdict::Clean;"));
        assert_eq!(found.len(), 1);
        assert_eq!(findings("local/src/a.rs", &Code::new("fn f(v: &Verdict) {}")), []);
    }
}
