//! The program: a shell over the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    soak_kubectl::main()
}
