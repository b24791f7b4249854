//! `soak`: one file a command. A command is a module with an `Args` struct for clap and `run(&Args) -> Exit`;
//! it hangs in three places below: its `mod`, its variant of [`Command`], its arm in [`dispatch`].
//! Text for people is made in this crate and in `kubectl-soak`, which makes the same documents by the same functions.

mod arm;
mod crd;
pub mod documents;
mod drive;
mod driver;
mod exit;
pub mod folder;
mod input;
mod judge;
mod launch;
mod lint;
mod output;
mod plan;
mod report;
mod run;
mod tables;
pub mod verify;
mod withdraw;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use exit::Exit;

/// Measures servers so that the numbers can be trusted.
#[derive(Debug, Parser)]
#[command(name = "soak", version, about, propagate_version = true, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The commands. Hidden ones are how `soak` runs arms, drivers and their supervisor: by executing itself.
#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    Plan(plan::Args),
    #[command(hide = true)]
    Arm(arm::Args),
    Crd(crd::Args),
    #[command(hide = true)]
    Driver(driver::Args),
    Lint(lint::Args),
    #[command(hide = true)]
    Launch(launch::Args),
    Drive(Box<drive::Args>),
    Judge(judge::Args),
    Report(report::Args),
    Verify(verify::Args),
    Withdraw(withdraw::Args),
}

/// Runs the program with the process's own arguments.
pub fn main() -> ExitCode {
    dispatch(&Cli::parse().command).into()
}

fn dispatch(command: &Command) -> Exit {
    match command {
        Command::Run(args) => run::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Arm(args) => arm::run(args),
        Command::Crd(args) => crd::run(args),
        Command::Lint(args) => lint::run(args),
        Command::Launch(args) => launch::run(args),
        Command::Driver(args) => driver::run(args),
        Command::Drive(args) => drive::run(args),
        Command::Judge(args) => judge::run(args),
        Command::Report(args) => report::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Withdraw(args) => withdraw::run(args),
    }
}
