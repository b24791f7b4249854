//! `soak arm`: serves one of the product's own servers until it is stopped. The words are the arm's own. The executors
//! run it by executing this program.

use std::io::{self, Write as _};

use soak_arms::command;
pub use soak_arms::command::Args;

use crate::Exit;

/// Serves until the process is stopped.
pub fn run(args: &Args) -> Exit {
    match command::serve(args) {
        Ok(()) => Exit::Completed,
        Err(fault) => {
            let _ = writeln!(io::stderr(), "soak arm: {fault}");
            if fault.is_usage() { Exit::Usage } else { Exit::Internal }
        }
    }
}
