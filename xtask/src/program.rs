//! Runs a program to its end. In: a command. Out: what it printed, or a fault that carries its own words.

use std::process::{Command, Stdio};

use crate::Fault;

/// Runs a command without input; its standard output, or a fault with its standard error.
pub(crate) fn output(command: &mut Command) -> Result<String, Fault> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|error| Fault::Failed(format!("{name} cannot be run: {error}")))?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&done.stderr);
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    Err(Fault::Failed(format!("{name} {} ended with {}: {}", arguments.join(" "), done.status, words.trim())))
}

/// Runs a program with arguments; its standard output.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<String, Fault> {
    output(Command::new(program).args(arguments))
}
