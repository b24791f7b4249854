//! `soak`: one file a command. A command is a module with an `Args` struct for clap and `run(&Args) -> Exit`;
//! it hangs in three places below: its `mod`, its variant of [`Command`], its arm in [`dispatch`].
//! Text for people is made in this crate and nowhere else.

mod arm;
mod exit;

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
    #[command(hide = true)]
    Arm(arm::Args),
}

/// Runs the program with the process's own arguments.
pub fn main() -> ExitCode {
    dispatch(&Cli::parse().command).into()
}

fn dispatch(command: &Command) -> Exit {
    match command {
        Command::Arm(args) => arm::run(args),
    }
}
