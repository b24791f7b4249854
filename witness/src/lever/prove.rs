//! Compares what was declared with what was observed. Pure. Every declared lever has exactly one proof; where the server
//! is several processes, it must hold on each.

use serde_json::Value;
use soak_sample::{LeverProof, ProofSource};

use super::{
    Declared, Observed, Permitted, ServerProcess,
    arguments::{Argument, arguments, in_order, seen},
    limits,
};

/// The proofs of a declaration, in its order: arguments, environment, settings, limits.
pub fn prove(declared: &Declared, observed: &Observed, permitted: Permitted) -> Vec<LeverProof> {
    let mut proofs = prove_arguments(declared, observed);
    proofs.extend(declared.env.iter().map(|(key, value)| prove_variable(key, value, &observed.servers)));
    proofs.extend(declared.settings.iter().map(|(name, value)| prove_setting(name, value, observed)));
    proofs.extend(limits::prove(declared, observed, permitted));
    proofs
}

/// What one process shows of a lever.
struct Showing {
    observed: Option<String>,
    held: bool,
    note: Option<String>,
}

/// One proof for all processes of the server: the first that does not hold speaks, else the first.
fn over_all(lever: String, declared: String, source: ProofSource, showings: Vec<Showing>) -> LeverProof {
    let at = showings.iter().position(|showing| !showing.held).unwrap_or(0);
    let nobody = || Showing { observed: None, held: false, note: Some("no process could be read".to_owned()) };
    let Showing { observed, held, note } = showings.into_iter().nth(at).unwrap_or_else(nobody);
    LeverProof { lever, declared, observed, source, held: Some(held), note }
}

fn prove_arguments(declared: &Declared, observed: &Observed) -> Vec<LeverProof> {
    let all = arguments(&declared.args);
    let prove = |argument: &Argument| {
        let showings = observed.servers.iter().map(|server| show_argument(argument, &all, server)).collect();
        over_all(format!("args {}", argument.name), argument.words.join(" "), ProofSource::CommandLine, showings)
    };
    all.iter().map(prove).collect()
}

fn show_argument(argument: &Argument, all: &[Argument], server: &ServerProcess) -> Showing {
    if let Some(title) = server.title() {
        return show_in_title(argument, title);
    }
    match server.command_line.as_ref().and_then(|line| line.words.split_first()) {
        None => unseen("the command line could not be read"),
        Some((_, line)) => show_on_line(argument, all, line),
    }
}

fn show_on_line(argument: &Argument, all: &[Argument], line: &[String]) -> Showing {
    let seen = seen(argument, all, line);
    let ordered = in_order(&there(all, line), line);
    let note = match (seen.held, ordered) {
        (true, false) => Some("not in the declared order".to_owned()),
        (true, true) if seen.besides > 0 => {
            Some(format!("also given {} times before; the last one counts", seen.besides))
        }
        (false, _) if seen.besides > 0 => Some("given again later; the last one counts".to_owned()),
        (true | false, _) => None,
    };
    Showing { held: seen.held && ordered, observed: seen.last, note }
}

/// The declared arguments that are there: one that is not is told by itself, and says nothing about the others' order.
fn there(all: &[Argument], line: &[String]) -> Vec<Argument> {
    all.iter().filter(|argument| seen(argument, all, line).held).cloned().collect()
}

/// Servers that fork put a title over their arguments; most keep the arguments in it.
fn show_in_title(argument: &Argument, title: &str) -> Showing {
    let wanted = argument.words.join(" ");
    let held = format!("{title} ").contains(&format!(" {wanted} "));
    Showing {
        observed: Some(title.to_owned()),
        held,
        note: Some("the process has put a title over its arguments".to_owned()),
    }
}

fn prove_variable(key: &str, value: &str, servers: &[ServerProcess]) -> LeverProof {
    let show = |server: &ServerProcess| match server.environment.as_ref().and_then(|variables| variables.get(key)) {
        None => unseen("the environment could not be read"),
        Some(None) if server.title().is_some() => unseen("the process has put a title over its environment"),
        Some(None) => unseen("the process has no such variable"),
        Some(Some(found)) => Showing { observed: Some(found.clone()), held: found == value, note: None },
    };
    over_all(format!("env {key}"), value.to_owned(), ProofSource::Environ, servers.iter().map(show).collect())
}

fn prove_setting(name: &str, value: &Value, observed: &Observed) -> LeverProof {
    let Showing { observed, held, note } = match observed.settings.as_ref().map(|settings| settings.get(name)) {
        Err(why) => unseen(why),
        Ok(None) => unseen("the server does not tell this setting"),
        Ok(Some(found)) => Showing { observed: Some(show(found)), held: covers(found, value), note: None },
    };
    LeverProof {
        lever: format!("settings.{name}"),
        declared: show(value),
        observed,
        source: ProofSource::Admin,
        held: Some(held),
        note,
    }
}

/// Whether a setting in effect says all that was declared; it may say more.
fn covers(found: &Value, declared: &Value) -> bool {
    match (found, declared) {
        (Value::Object(found), Value::Object(declared)) => {
            declared.iter().all(|(key, value)| found.get(key).is_some_and(|found| covers(found, value)))
        }
        (found, declared) => found == declared,
    }
}

/// Text without its quotation marks, else JSON.
fn show(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn unseen(why: &str) -> Showing {
    Showing { observed: None, held: false, note: Some(why.to_owned()) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::{collection::vec, option, prelude::*};
    use serde_json::{Map, Value, json};

    use super::super::{Declared, Enforcement, Observed, Permitted, ServerProcess};
    use super::prove;
    use crate::{CommandLine, Limits};

    const PERMITTED: Permitted = Permitted { cpu: Enforcement::Permitted, memory: Enforcement::Permitted };

    fn words(text: &str) -> Vec<String> {
        text.split_ascii_whitespace().map(str::to_owned).collect()
    }

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn server(line: &str) -> ServerProcess {
        ServerProcess { command_line: Some(CommandLine { words: words(line) }), environment: None }
    }

    fn titled(title: &str) -> ServerProcess {
        ServerProcess { command_line: Some(CommandLine { words: vec![title.to_owned()] }), environment: None }
    }

    fn observed(servers: Vec<ServerProcess>) -> Observed {
        Observed { servers, limits: Vec::new(), affinity: Vec::new(), settings: Err("no admin port".to_owned()) }
    }

    /// The one lever's held, observed and note.
    fn only(declared: &Declared, observed: &Observed) -> (Option<bool>, Option<String>, Option<String>) {
        let proofs = prove(declared, observed, PERMITTED);
        assert_eq!(proofs.len(), 1, "{proofs:?}");
        (proofs[0].held, proofs[0].observed.clone(), proofs[0].note.clone())
    }

    #[test]
    fn an_argument_must_hold_on_every_process_of_the_server() {
        let declared = Declared { args: words("--codec=a"), ..Declared::default() };
        let check = |servers: Vec<ServerProcess>, held: bool, shown: Option<&str>| {
            let (is, seen, _) = only(&declared, &observed(servers));
            assert_eq!((is, seen.as_deref()), (Some(held), shown));
        };
        check(vec![server("arm --codec=a"), server("arm --codec=a")], true, Some("--codec=a"));
        check(vec![server("arm --codec=a"), server("arm --codec=b")], false, Some("--codec=b"));
        check(vec![server("arm --codec=a"), server("arm")], false, None);
        check(vec![], false, None);
        check(vec![ServerProcess::default()], false, None);
    }

    #[test]
    fn an_argument_given_twice_is_flagged() {
        let declared = Declared { args: words("--codec=a"), ..Declared::default() };
        let note = |line: &str| only(&declared, &observed(vec![server(line)])).2.unwrap_or_default();
        assert!(note("arm --codec=b --codec=a").contains("before"), "held all the same");
        assert!(note("arm --codec=a --codec=b").contains("later"), "undone");
        assert_eq!(note("arm --codec=a"), "");
    }

    #[test]
    fn an_argument_that_is_not_there_does_not_accuse_the_others() {
        let declared = Declared { args: words("80 --cache=no --pool=8"), ..Declared::default() };
        let held = |line: &str| -> Vec<bool> {
            let proofs = prove(&declared, &observed(vec![server(line)]), PERMITTED);
            proofs.iter().map(|proof| proof.held == Some(true)).collect()
        };
        assert_eq!(held("arm 80 --cache=no --pool=8"), [true, true, true]);
        assert_eq!(held("arm 80 --pool=8"), [true, false, true]);
        assert_eq!(held("arm 80"), [true, false, false]);
        assert_eq!(held("arm --pool=8 80"), [false, false, false]);
    }

    #[test]
    fn the_programs_own_name_is_no_argument() {
        let declared = Declared { args: words("serve"), ..Declared::default() };
        assert_eq!(only(&declared, &observed(vec![server("serve --port 1")])).0, Some(false));
    }

    #[test]
    fn a_title_that_keeps_the_arguments_shows_them() {
        let declared = Declared { args: words("-c /etc/n.conf"), ..Declared::default() };
        let held = |title: &str| only(&declared, &observed(vec![titled(title)])).0;
        assert_eq!(held("nginx: master process nginx -c /etc/n.conf"), Some(true));
        assert_eq!(held("nginx: master process nginx -c /etc/n.conf.old"), Some(false));
        assert_eq!(held("nginx: worker process"), Some(false));
    }

    #[test]
    fn a_variable_must_have_the_declared_value() {
        let declared = Declared { env: BTreeMap::from([("A".to_owned(), "1".to_owned())]), ..Declared::default() };
        let check = |environment: Option<Option<&str>>, held: bool, shown: Option<&str>| {
            let variables = |value: Option<&str>| BTreeMap::from([("A".to_owned(), value.map(str::to_owned))]);
            let server = ServerProcess { command_line: None, environment: environment.map(variables) };
            let (is, seen, note) = only(&declared, &observed(vec![server]));
            assert_eq!((is, seen.as_deref()), (Some(held), shown));
            assert_eq!(note.is_some(), shown.is_none(), "what could not be seen says why");
        };
        check(Some(Some("1")), true, Some("1"));
        check(Some(Some("")), false, Some(""));
        check(Some(None), false, None);
        check(None, false, None);
    }

    #[test]
    fn a_variable_under_a_title_is_said_to_be_so() {
        let declared = Declared { env: BTreeMap::from([("A".to_owned(), "1".to_owned())]), ..Declared::default() };
        let environment = Some(BTreeMap::from([("A".to_owned(), None)]));
        let server = ServerProcess { environment, ..titled("nginx: master process nginx") };
        let (held, _, note) = only(&declared, &observed(vec![server]));
        assert_eq!(held, Some(false));
        assert!(note.unwrap().contains("title"));
    }

    #[test]
    fn a_setting_holds_when_the_server_tells_at_least_what_was_declared() {
        let check = |declared: Value, settings: Result<Value, String>, held: bool| {
            let declared = Declared { settings: object(&declared), ..Declared::default() };
            let settings = settings.map(|settings| object(&settings));
            let observed = Observed { settings, ..observed(Vec::new()) };
            assert_eq!(only(&declared, &observed).0, Some(held), "{declared:?} {observed:?}");
        };
        check(json!({"executor": "Direct"}), Ok(json!({"executor": "Direct", "codec": "Dynamic"})), true);
        check(json!({"executor": "Direct"}), Ok(json!({"executor": "Threads"})), false);
        check(json!({"executor": "Direct"}), Ok(json!({})), false);
        check(json!({"executor": "Direct"}), Err("refused".to_owned()), false);
        check(json!({"workerThreads": 4}), Ok(json!({"workerThreads": 4})), true);
        check(json!({"workerThreads": 4}), Ok(json!({"workerThreads": "4"})), false);
        check(json!({"work": {"micros": 5}}), Ok(json!({"work": {"kind": "Spin", "micros": 5}})), true);
        check(json!({"work": {"kind": "Spin", "micros": 5}}), Ok(json!({"work": {"micros": 5}})), false);
    }

    #[test]
    fn a_limit_must_be_in_effect_on_every_process() {
        let check = |limits: &[(Option<u64>, Option<u64>)], cpu: bool, memory: bool| {
            let limits = limits
                .iter()
                .map(|&(cpu_milli, memory_bytes)| Limits { cpu_milli, memory_bytes, ..Limits::default() })
                .collect();
            let declared = Declared { cpu_milli: Some(250), memory_bytes: Some(100_000_000), ..Declared::default() };
            let proofs = prove(&declared, &Observed { limits, ..observed(Vec::new()) }, PERMITTED);
            assert_eq!((proofs[0].held, proofs[1].held), (Some(cpu), Some(memory)), "{proofs:?}");
        };
        check(&[(Some(250), Some(100_000_000))], true, true);
        check(&[(Some(250), Some(99_999_744)), (Some(250), Some(99_999_744))], true, true);
        check(&[(Some(250), Some(100_000_001))], true, false);
        check(&[(Some(250), Some(90_000_000))], true, false);
        check(&[(Some(200), None), (Some(250), Some(100_000_000))], false, false);
        check(&[(Some(250), Some(100_000_000)), (None, None)], false, false);
        check(&[], false, false);
    }

    #[test]
    fn a_limit_that_cannot_be_enforced_is_neither_held_nor_broken() {
        let declared = Declared { cpu_milli: Some(250), memory_bytes: Some(1 << 30), ..Declared::default() };
        let permitted = Permitted { cpu: Enforcement::NotPermitted, memory: Enforcement::NotPermitted };
        let limits = vec![Limits::default()];
        for proof in prove(&declared, &Observed { limits, ..observed(Vec::new()) }, permitted) {
            assert_eq!((proof.held, proof.observed), (None, None));
            assert!(proof.note.unwrap().contains("not enforced"));
        }
    }

    #[test]
    fn the_cpus_hold_when_every_thread_keeps_to_them() {
        let declared = Declared { cpus: vec![1, 2], ..Declared::default() };
        let check = |threads: &[&str], held: bool| {
            let affinity = threads.iter().map(|list| list.parse().unwrap()).collect();
            let observed = Observed { affinity, ..observed(Vec::new()) };
            assert_eq!(only(&declared, &observed).0, Some(held), "{threads:?}");
        };
        check(&["1-2", "1"], true);
        check(&["1-2", "0-2"], false);
        check(&[], false);
    }

    proptest! {
        #[test]
        fn every_declared_lever_has_a_proof_whatever_is_observed(
            args in vec("-{0,2}[a-c]{1,2}(=[a-c])?", 0..6),
            keys in vec("[A-D]", 0..4),
            settings in vec("[a-d]", 0..4),
            limits in option::of((1u64..4000, 1u64..1 << 32)),
            lines in vec(vec("-{0,2}[a-c]{1,2}(=[a-c])?", 0..6), 0..3),
        ) {
            let declared = Declared {
                args: args.clone(),
                env: keys.into_iter().map(|key| (key, "x".to_owned())).collect(),
                settings: settings.into_iter().map(|name| (name, json!(1))).collect(),
                cpu_milli: limits.map(|(milli, _)| milli),
                memory_bytes: limits.map(|(_, bytes)| bytes),
                cpus: limits.map(|_| 1).into_iter().collect(),
            };
            let servers = lines.iter().map(|line| server(&line.join(" "))).collect();
            let proofs = prove(&declared, &observed(servers), PERMITTED);
            let told: Vec<String> = proofs
                .iter()
                .filter(|proof| proof.lever.starts_with("args "))
                .flat_map(|proof| words(&proof.declared))
                .collect();
            prop_assert_eq!(told, args, "every argument, in order");
            let count = |prefix: &str| proofs.iter().filter(|proof| proof.lever.starts_with(prefix)).count();
            prop_assert_eq!(count("env "), declared.env.len());
            prop_assert_eq!(count("settings."), declared.settings.len());
            prop_assert_eq!(count("resources.") + count("cpus"), limits.map_or(0, |_| 3));
            prop_assert!(proofs.iter().all(|proof| proof.held != Some(true) || proof.observed.is_some()));
        }
    }
}
