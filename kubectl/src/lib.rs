//! `kubectl soak`: campaigns on a cluster. One file a command; a command is a module with an `Args` struct for clap and
//! `run` from a cluster to an exit code. What is durable is read by the operator's own code, and documents are made by that
//! of `soak`; there is none of its own.

mod age;
mod change;
mod cluster;
mod complete;
mod doctor;
mod fault;
mod line;
mod list;
mod report;
pub mod results;
mod watch;

use std::{
    io::{self, Write as _},
    process::ExitCode,
    time::Duration,
};

use clap::{CommandFactory, Parser, Subcommand};
use soak_cli::Exit;
use tokio::time::timeout;

use cluster::{Cluster, Connection};
pub use fault::Fault;

/// Campaigns on a cluster: how they go, what they gave, and what keeps them from going.
#[derive(Debug, Parser)]
#[command(name = "kubectl-soak", bin_name = "kubectl soak", version, about, propagate_version = true)]
#[command(disable_help_subcommand = true, after_help = EXITS)]
struct Cli {
    #[command(flatten)]
    connection: Connection,
    #[command(subcommand)]
    command: Command,
}

const EXITS: &str = "Exit codes: 0 completed, 1 internal error or a check of doctor failed, 2 usage, 3 a threshold or \
prediction failed, 4 one is undecided, 5 an arm has no valid number, 6 results incomplete, 7 the cluster cannot be reached or \
forbids it, 8 time-out.";

/// The commands.
#[derive(Debug, Subcommand)]
enum Command {
    List(list::Args),
    Watch(watch::Args),
    Results(results::Args),
    Report(report::Args),
    /// Lets the step at hand end, then holds; `resume` goes on with a warm-up.
    Suspend(change::Args),
    /// Goes on with a campaign that holds.
    Resume(change::Args),
    /// Ends a campaign and keeps what was measured.
    Cancel(change::Args),
    Doctor(doctor::Args),
}

impl Command {
    fn name(&self) -> &'static str {
        match self {
            Self::List(_) => "list",
            Self::Watch(_) => "watch",
            Self::Results(_) => "results",
            Self::Report(_) => "report",
            Self::Suspend(_) => "suspend",
            Self::Resume(_) => "resume",
            Self::Cancel(_) => "cancel",
            Self::Doctor(_) => "doctor",
        }
    }
}

/// Runs the program with the process's own arguments.
pub fn main() -> ExitCode {
    let Cli { connection, command } = Cli::parse();
    let name = command.name();
    match on_cluster(async { dispatch(&Cluster::find(&connection).await?, &command).await }) {
        Ok(exit) => exit.into(),
        Err(fault) => {
            let _ = writeln!(io::stderr(), "kubectl soak {name}: {fault}");
            fault.exit().into()
        }
    }
}

/// How long somebody waits at a prompt.
const PROMPT: Duration = Duration::from_secs(3);

/// Completes a command line for `kubectl`, which calls a program of this name with the words so far.
pub fn complete() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let names = |words: &[String]| {
        let connection = complete::connection(words);
        let asked = async { Cluster::find(&connection).await?.campaigns(&complete::few()).await };
        let late = |_| Err(Fault::TimeOut("the cluster takes too long".to_owned()));
        let list = on_cluster(async { timeout(PROMPT, asked).await.unwrap_or_else(late) });
        list.map(|list| list.items.into_iter().filter_map(|known| known.metadata.name).collect()).unwrap_or_default()
    };
    let text = complete::candidates(&Cli::command(), &words, names);
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn on_cluster<T>(work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|source| Fault::Io { what: "the runtime".to_owned(), source })?.block_on(work)
}

async fn dispatch(cluster: &Cluster, command: &Command) -> Result<Exit, Fault> {
    match command {
        Command::List(args) => list::run(cluster, args).await,
        Command::Watch(args) => watch::run(cluster, args).await,
        Command::Results(args) => results::run(cluster, args).await,
        Command::Report(args) => report::run(cluster, args).await,
        Command::Suspend(args) => change::run(cluster, args, change::Change::Suspend).await,
        Command::Resume(args) => change::run(cluster, args, change::Change::Resume).await,
        Command::Cancel(args) => change::run(cluster, args, change::Change::Cancel).await,
        Command::Doctor(args) => doctor::run(cluster, args).await,
    }
}

/// Prints to standard output.
fn print(text: &str) -> Result<(), Fault> {
    let printed = io::stdout().lock().write_all(text.as_bytes());
    printed.map_err(|source| Fault::Io { what: "standard output".to_owned(), source })
}
