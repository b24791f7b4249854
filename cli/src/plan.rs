//! `soak plan FILE`: spells out what a campaign will do and how long it takes. Runs nothing.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    path::PathBuf,
};

use clap::ValueEnum;
use soak_campaign::{
    plan::{Executor, Plan, PlannedArm, PlannedRun, StepKind},
    status::protocol,
};
use soak_local::command;

use crate::{
    Exit,
    input::{self, Paint},
    tables::{
        facts::count,
        grid::{Grid, Side},
        number, settings,
    },
};

/// Spells out what a campaign will do.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The campaign, as YAML or JSON.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How the plan is printed.
    #[arg(long, short, value_enum, default_value_t = Output::Text)]
    output: Output,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    Text,
    Json,
    Yaml,
}

/// Prints the plan. Exit: usage where the campaign is not accepted.
pub fn run(args: &Args) -> Exit {
    let plan = match input::load(&args.file, Executor::Local) {
        Ok(loaded) => loaded.plan,
        Err(rejected) => {
            let text = input::faults_as_text(&rejected, Paint::for_stderr());
            let _ = io::stderr().write_all(text.as_bytes());
            return Exit::Usage;
        }
    };
    match print(&plan, args.output) {
        Ok(()) => Exit::Completed,
        Err(_) => Exit::Internal,
    }
}

fn print(plan: &Plan, output: Output) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match output {
        Output::Text => out.write_all(text(plan).as_bytes()),
        Output::Json => writeln!(out, "{}", serde_json::to_string_pretty(plan)?),
        Output::Yaml => write!(out, "{}", serde_saphyr::to_string(plan).map_err(io::Error::other)?),
    }
}

/// The plan for a reader.
fn text(plan: &Plan) -> String {
    let order = match plan.order_seed {
        Some(seed) => format!("in random order within each round (seed {seed})"),
        None => "in the order as written".to_owned(),
    };
    let mut text = format!(
        "{}: {} of {}, {order}, about {}\nplan sha256 {}\n\narms\n{}\nruns\n{}",
        plan.name,
        count(plan.runs.len(), "run"),
        count(plan.arms.len(), "arm"),
        number::span(plan.expected_millis),
        plan.hash,
        arms(plan),
        runs(plan),
    );
    for run in &plan.runs {
        text += &steps(run);
    }
    text
}

fn arms(plan: &Plan) -> String {
    let mut grid = Grid::new([
        ("arm", Side::Left),
        ("protocol", Side::Left),
        ("CPU", Side::Right),
        ("memory", Side::Right),
        ("driver CPU", Side::Right),
        ("command", Side::Left),
    ]);
    for arm in &plan.arms {
        grid.row([
            arm.name.clone(),
            protocol(arm.protocol).to_owned(),
            settings::cores(arm.server.cpu_milli),
            number::memory(arm.server.memory_bytes.unsigned_abs()),
            settings::cores(arm.client.cpu_milli),
            command_words(arm),
        ]);
    }
    grid.markdown()
}

/// What is executed, quoted as a shell would need it; no shell is involved.
fn command_words(arm: &PlannedArm) -> String {
    match command::arm(&arm.server, "soak") {
        Ok(words) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        Err(error) => error.to_string(),
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn runs(plan: &Plan) -> String {
    let mut grid = Grid::new([
        ("#", Side::Right),
        ("run", Side::Left),
        ("arm", Side::Left),
        ("body", Side::Left),
        ("replicate", Side::Right),
        ("steps", Side::Right),
        ("takes", Side::Right),
    ]);
    for (run, number) in plan.runs.iter().zip(1_i64..) {
        let judged = run.steps.iter().filter(|step| step.kind != StepKind::Warmup).count();
        let extension = match run.extend_max_steps {
            0 => String::new(),
            more => format!(" (+ {more})"),
        };
        grid.row([
            number::whole(number),
            run.id.to_string(),
            run.arm.clone(),
            format!("{} ({} B)", run.body, number::whole(run.request.body.len())),
            run.replicate.to_string(),
            format!("{judged}{extension}"),
            number::span(run.expected_millis),
        ]);
    }
    grid.markdown()
}

fn steps(run: &PlannedRun) -> String {
    let mut text = format!("\n{}\n", run.id);
    for step in &run.steps {
        let kind = match step.kind {
            StepKind::Warmup => " (warm-up)",
            StepKind::Ramp => "",
            StepKind::Extension => " (extension)",
            StepKind::Hold => " (hold)",
        };
        let rate = number::whole(step.rate);
        let _ =
            writeln!(text, "  {:>3}  {rate:>9}/s  {}{kind}", step.index, number::span(step.duration_nanos / 1_000_000));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        let check = |word: &str, expected: &str| assert_eq!(quoted(word), expected);
        check("--port=8080", "--port=8080");
        check("a b", "'a b'");
        check("it's", r"'it'\''s'");
        check("", "''");
    }
}
