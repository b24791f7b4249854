//! What `kubectl` calls to complete `kubectl soak …`: it looks for a program `kubectl_complete-soak` on the path.

use std::process::ExitCode;

fn main() -> ExitCode {
    soak_kubectl::complete()
}
