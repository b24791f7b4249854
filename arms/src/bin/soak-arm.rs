//! The program in an arm's image: one of the product's own servers, as its arguments say.

use std::{
    env,
    io::{self, Write as _},
    process::ExitCode,
};

use clap::Parser;
use soak_arms::command::{Args, serve};

/// Serves one of the product's own servers until it is stopped.
#[derive(Debug, Parser)]
#[command(name = "soak-arm", version)]
struct Command {
    #[command(flatten)]
    args: Args,
}

fn main() -> ExitCode {
    let command = Command::parse_from(env::args_os());
    match serve(&command.args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            let _ = writeln!(io::stderr(), "soak-arm: {fault}");
            ExitCode::from(if fault.is_usage() { 2 } else { 1 })
        }
    }
}
