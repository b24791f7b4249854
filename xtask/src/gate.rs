//! `cargo xtask test`: everything that must hold before a change is taken, part by part, each with its time.
//! Stops at the first part that fails. A part that cannot run says so; with `CI=true` that is a failure.

use std::{
    env,
    process::{Command, Stdio},
    time::Instant,
};

use crate::{Fault, crds, docs, generated::Committed, packages, root, tidy};

/// A part of the gate.
enum Part {
    /// A cargo command.
    Cargo(&'static [&'static str]),
    /// A cargo subcommand that need not be installed, and what stands in for it.
    Optional { subcommand: &'static str, args: &'static [&'static str], stands_in: &'static str },
    /// A chore of this program.
    Own(fn() -> Result<(), Fault>),
}

const PARTS: [(&str, Part); 8] = [
    ("packages", Part::Own(packages::run)),
    ("format", Part::Cargo(&["fmt", "--all", "--check"])),
    ("definition", Part::Own(|| crds::run(Committed::Check))),
    ("docs", Part::Own(|| docs::run(Committed::Check))),
    ("tidy", Part::Own(tidy::run)),
    (
        "deny",
        Part::Optional {
            subcommand: "deny",
            args: &["check", "bans", "licenses", "sources"],
            stands_in: "tidy has checked licences, bans and sources",
        },
    ),
    ("lints", Part::Cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "-D", "warnings"])),
    ("tests", Part::Cargo(&["test", "--workspace", "--locked", "--quiet"])),
];

/// Runs every part.
pub fn run() -> Result<(), Fault> {
    let start = Instant::now();
    for (name, part) in &PARTS {
        let begun = Instant::now();
        eprintln!("== {name}");
        run_part(part).map_err(|fault| Fault::Failed(format!("{name}: {fault}")))?;
        eprintln!("== {name}: passed in {:.1} s", begun.elapsed().as_secs_f64());
    }
    eprintln!("== all {} parts passed in {:.1} s", PARTS.len(), start.elapsed().as_secs_f64());
    Ok(())
}

fn run_part(part: &Part) -> Result<(), Fault> {
    match part {
        Part::Own(chore) => chore(),
        Part::Cargo(args) => cargo(args),
        Part::Optional { subcommand, args, stands_in } => {
            if is_installed(subcommand) {
                return cargo(&[&[*subcommand], *args].concat());
            }
            eprintln!("   cargo-{subcommand} is not installed: {stands_in}");
            Ok(())
        }
    }
}

fn cargo(args: &[&str]) -> Result<(), Fault> {
    let mut command = Command::new(env!("CARGO"));
    let status = command.args(args).current_dir(root()).stdin(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Fault::Failed(format!("cargo {} ended with {status}", args.join(" ")))),
        Err(error) => Err(Fault::Failed(format!("cargo {} cannot be run: {error}", args.join(" ")))),
    }
}

fn is_installed(subcommand: &str) -> bool {
    let name = format!("cargo-{subcommand}");
    let paths = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&paths).any(|folder| folder.join(&name).is_file())
}
