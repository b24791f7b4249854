//! Completions as `kubectl` asks for them from a plug-in: the words so far in, candidates out, one a line with a word on
//! each behind a tab, and what the shell shall do with them on the last line. Pure but for the names of campaigns, which
//! the caller brings.

use clap::{ArgAction, Command};
use kube_client::api::ListParams;

use crate::cluster::Connection;

/// The shell shall not offer files.
const NO_FILES: &str = ":4\n";
/// The shell shall offer files.
const FILES: &str = ":0\n";
/// Campaigns that are asked for.
const MOST: u32 = 200;

/// A listing that is asked for while somebody waits at a prompt.
pub fn few() -> ListParams {
    ListParams::default().limit(MOST)
}

/// The cluster that the words so far mean.
pub fn connection(words: &[String]) -> Connection {
    let after = |names: &[&str]| {
        let joined =
            |word: &String| names.iter().find_map(|name| word.strip_prefix(&format!("{name}=")).map(str::to_owned));
        let at = words.iter().position(|word| names.contains(&word.as_str()));
        at.and_then(|at| words.get(at + 1).cloned()).or_else(|| words.iter().find_map(joined))
    };
    Connection {
        namespace: after(&["-n", "--namespace"]),
        context: after(&["--context"]),
        kubeconfig: after(&["--kubeconfig"]).map(Into::into),
    }
}

/// What may stand in the place of the last word. `campaigns`: the names of those that there are.
pub fn candidates(program: &Command, words: &[String], campaigns: impl Fn(&[String]) -> Vec<String>) -> String {
    let (last, before) = words.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
    let (command, given) = at_hand(program, before);
    let waiting = before.last().and_then(|word| option(program, command, word));
    let mut found: Vec<(String, String)> = Vec::new();
    if let Some(waiting) = waiting {
        let values = waiting.get_possible_values();
        if values.is_empty() {
            return FILES.to_owned();
        }
        found.extend(values.iter().map(|value| (value.get_name().to_owned(), help(value.get_help()))));
    } else if last.starts_with('-') {
        found.extend(options(program).chain(command.iter().flat_map(|command| options(command))));
    } else if let Some(command) = command {
        if given == 0 && command.get_positionals().next().is_some() {
            found.extend(campaigns(words).into_iter().map(|name| (name, String::new())));
        }
    } else {
        let known = program.get_subcommands().map(|known| (known.get_name().to_owned(), help(known.get_about())));
        found.extend(known);
    }
    found.retain(|(word, _)| word.starts_with(last));
    found.sort();
    found.dedup();
    let line = |(word, help): &(String, String)| {
        if help.is_empty() { format!("{word}\n") } else { format!("{word}\t{help}\n") }
    };
    found.iter().map(line).collect::<String>() + NO_FILES
}

/// The command that the words so far name, and how many of its own words it has.
fn at_hand<'a>(program: &'a Command, before: &[String]) -> (Option<&'a Command>, usize) {
    let mut command: Option<&Command> = None;
    let (mut given, mut skip) = (0, false);
    for word in before {
        if skip {
            skip = false;
        } else if word.starts_with('-') {
            skip = option(program, command, word).is_some();
        } else if command.is_none() {
            command = program.find_subcommand(word);
        } else {
            given += 1;
        }
    }
    (command, given)
}

/// The option that waits for its value after this word.
fn option<'a>(program: &'a Command, command: Option<&'a Command>, word: &str) -> Option<&'a clap::Arg> {
    let known = program.get_arguments().chain(command.into_iter().flat_map(Command::get_arguments));
    let takes =
        |arg: &&clap::Arg| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) && !arg.is_positional();
    known.filter(takes).find(|arg| {
        let long = arg.get_long().is_some_and(|long| word.strip_prefix("--") == Some(long));
        let short = arg.get_short().is_some_and(|short| word.strip_prefix('-') == Some(short.to_string().as_str()));
        long || short
    })
}

fn options(command: &Command) -> impl Iterator<Item = (String, String)> {
    let named = command.get_arguments().filter(|arg| !arg.is_hide_set());
    named.filter_map(|arg| Some((format!("--{}", arg.get_long()?), help(arg.get_help()))))
}

fn help(text: Option<&clap::builder::StyledStr>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::Cli;

    fn said(words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let names = |_: &[String]| vec!["first".to_owned(), "second".to_owned()];
        let text = candidates(&Cli::command(), &words, names);
        text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn commands_campaigns_options_and_their_values_are_completed() {
        assert_eq!(said(&["re"]), ["report", "results", "resume", ":4"]);
        assert_eq!(said(&["watch", ""]), ["first", "second", ":4"]);
        assert_eq!(said(&["watch", "s"]), ["second", ":4"]);
        assert_eq!(said(&["watch", "first", ""]), [":4"]);
        assert_eq!(said(&["watch", "--ti"]), ["--timeout", ":4"]);
        assert_eq!(said(&["list", "-o", ""]), ["json", "name", "wide", "yaml", ":4"]);
        assert_eq!(said(&["list", ""]), [":4"]);
        assert_eq!(said(&["results", "first", "--out", ""]), [":0"]);
        assert_eq!(said(&["-n", "web", "cancel", "f"]), ["first", ":4"]);
    }

    #[test]
    fn the_cluster_is_the_one_that_the_words_so_far_mean() {
        let words = ["watch", "-n", "web", "--context=kind", ""].map(str::to_owned);
        let found = connection(&words);
        assert_eq!((found.namespace.as_deref(), found.context.as_deref()), (Some("web"), Some("kind")));
        assert_eq!(found.kubeconfig, None);
    }
}
