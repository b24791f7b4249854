//! `cargo xtask`: the project's own chores.

use std::process::ExitCode;

fn main() -> ExitCode {
    soak_xtask::main()
}
