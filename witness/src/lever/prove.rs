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
    match server.command_line.as_deref() {
        None | Some([]) => unseen("the command line could not be read"),
        Some([title]) if title.contains(' ') => show_in_title(argument, title),
        Some([_, line @ ..]) => show_on_line(argument, all, line),
    }
}

fn show_on_line(argument: &Argument, all: &[Argument], line: &[String]) -> Showing {
    let seen = seen(argument, all, line);
    let note = match (seen.held, in_order(all, line)) {
        (true, false) => Some("not in the declared order".to_owned()),
        (true, true) if seen.besides > 0 => {
            Some(format!("also given {} times before; the last one counts", seen.besides))
        }
        (false, _) if seen.besides > 0 => Some("given again later; the last one counts".to_owned()),
        (true | false, _) => None,
    };
    let ordered = seen.held && in_order(all, line);
    Showing { observed: seen.last, held: ordered, note }
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
