//! `soak lint FILE…`: says of each file whether it would be accepted, or everything that is wrong with it. Runs nothing.

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use clap::ValueEnum;
use serde_json::{Value, json};
use soak_campaign::plan::{Executor, Plan};

use crate::{
    Exit,
    input::{self, Loaded, Paint, Rejected},
    output::Output,
    tables::number,
};

/// Checks campaigns without running them.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Campaigns as YAML or JSON.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Where the campaigns would run: what a cluster alone can do is refused on this machine.
    #[arg(long, value_enum, default_value_t = Target::Local)]
    target: Target,
    /// How the result is printed.
    #[arg(long, short, value_enum, default_value_t = Output::Text)]
    output: Output,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    Local,
    Cluster,
}

/// One file's result.
struct Checked {
    file: String,
    result: Result<Box<Loaded>, Rejected>,
}

/// Checks every file. Exit: usage where one is not accepted.
pub fn run(args: &Args) -> Exit {
    let executor = match args.target {
        Target::Local => Executor::Local,
        Target::Cluster => Executor::Cluster,
    };
    let checked: Vec<Checked> = args
        .files
        .iter()
        .map(|path| Checked { file: path.display().to_string(), result: input::load(path, executor).map(Box::new) })
        .collect();
    let written = match args.output {
        Output::Text => print_text(&checked),
        Output::Json => print_json(&checked),
    };
    match written {
        Err(_) => Exit::Internal,
        Ok(()) if checked.iter().all(|checked| checked.result.is_ok()) => Exit::Completed,
        Ok(()) => Exit::Usage,
    }
}

fn print_text(checked: &[Checked]) -> io::Result<()> {
    for Checked { file, result } in checked {
        match result {
            Ok(loaded) => writeln!(io::stdout(), "{file}: accepted: {}", summary(&loaded.plan))?,
            Err(rejected) => io::stderr().write_all(input::faults_as_text(rejected, Paint::for_stderr()).as_bytes())?,
        }
    }
    Ok(())
}

/// What an accepted campaign will do, in one line.
fn summary(plan: &Plan) -> String {
    let count = |number: usize, one: &str| match number {
        1 => format!("1 {one}"),
        more => format!("{more} {one}s"),
    };
    format!(
        "{}, {}, about {}",
        count(plan.arms.len(), "arm"),
        count(plan.runs.len(), "run"),
        number::span(plan.expected_millis)
    )
}

fn print_json(checked: &[Checked]) -> io::Result<()> {
    let files: Vec<Value> = checked.iter().map(as_json).collect();
    let text = serde_json::to_string_pretty(&json!({"files": files}))?;
    writeln!(io::stdout(), "{text}")
}

fn as_json(Checked { file, result }: &Checked) -> Value {
    match result {
        Ok(loaded) => json!({
            "file": file,
            "accepted": true,
            "name": loaded.plan.name,
            "arms": loaded.plan.arms.len(),
            "runs": loaded.plan.runs.len(),
            "expectedMillis": loaded.plan.expected_millis,
            "faults": [],
        }),
        Err(rejected) => json!({"file": file, "accepted": false, "faults": input::faults_as_json(rejected)}),
    }
}
