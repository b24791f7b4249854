//! `soak launch`: the supervisor of one program, and the stage that becomes it. Hidden: `soak` executes itself so. Speaks
//! JSON lines with its executor, nothing for people.

use std::process;

use clap::ValueEnum;
use soak_local::launch::{Launcher, run_stage, run_supervisor};

use crate::Exit;

/// Supervises one program: an order comes in as a line on the standard input, events go out as lines.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which of the two processes this is.
    #[arg(value_enum, default_value_t = Role::Supervisor)]
    role: Role,
}

/// The two processes of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Role {
    /// Watches over the program, ends its tree.
    Supervisor,
    /// Joins groups and becomes the program.
    Stage,
}

/// Never comes back: its exit code is the program's, as a shell would give it.
pub(crate) fn run(args: &Args) -> Exit {
    process::exit(i32::from(match args.role {
        Role::Supervisor => run_supervisor(&Launcher::this_program(&["launch", "stage"])),
        Role::Stage => run_stage(),
    }))
}
