//! A story in lines of text.

use std::fmt::Write as _;

use soak_campaign::{
    plan::Plan,
    status::{Facts, JudgedRun, ending, judged_runs, status},
    step::{Action, Decision, End, Ledger, Progress, Wait},
};
use soak_sample::Pace;

/// The story's beginning, nanoseconds since the epoch.
pub const BEGINNING: i64 = 1_767_225_600_000_000_000;

/// Lines of text, each with its time.
#[derive(Debug, Default)]
pub struct Transcript {
    text: String,
    last_wait: String,
}

impl Transcript {
    /// Adds a line.
    pub fn line(&mut self, now: i64, kind: &str, words: &str) {
        writeln!(self.text, "{} {kind:<5} {words}", seconds(now)).unwrap();
        self.last_wait.clear();
    }

    /// Adds a decision; a wait that goes on is told once.
    pub fn decision(&mut self, now: i64, decision: &Decision) {
        match decision {
            Decision::Act(_) => {}
            Decision::Finished(end) => self.line(now, "end", &format!("{end:?}")),
            Decision::Wait(Wait { reason, until_unix_nanos }) => {
                let until =
                    until_unix_nanos.map_or("something new".to_owned(), |until| seconds(until).trim().to_owned());
                let words = format!("{reason}; until {until}");
                if words != self.last_wait {
                    self.line(now, "wait", &words);
                    self.last_wait = words;
                }
            }
        }
    }

    /// Adds an action that is done.
    pub fn action(&mut self, now: i64, action: &Action) {
        self.line(now, "do", &in_words(action));
    }

    /// Ends the story with what it came to.
    pub fn finish(mut self, plan: &Plan, ledger: &Ledger, now: i64, end: &End) -> String {
        let runs = judged_runs(plan, ledger);
        for run in &runs {
            self.text.push('\n');
            run_in_words(&mut self.text, run);
        }
        let facts =
            Facts { end: Some((now, end.clone())), progress: Some(Progress::of(plan, ledger)), ..Facts::default() };
        let status = status(plan, ledger, &runs, &facts);
        let ending = ending(&status, &runs, end);
        let json = serde_json::to_string_pretty(&serde_json::json!({
            "verdict": status.verdict,
            "summary": status.summary,
            "started": status.started,
            "finished": status.finished,
            "run": status.run,
            "step": status.step,
            "arms": status.arms,
            "comparisons": status.comparisons,
            "predictions": status.predictions,
            "thresholds": status.thresholds,
        }));
        write!(self.text, "\nthe command ends {ending:?}; the status:\n{}\n", json.unwrap()).unwrap();
        self.text
    }
}

fn seconds(at: i64) -> String {
    let millis = (at - BEGINNING) / 1_000_000;
    format!("{:>8}.{:03}", millis / 1_000, millis % 1_000)
}

fn in_words(action: &Action) -> String {
    match action {
        Action::BeginPart { part, processes, cause } => {
            format!("begin part {part}, processes {processes:?}, cause {cause:?}")
        }
        Action::ProveLevers { part, when } => format!("prove levers of {part}, {when:?}"),
        Action::PlaceOrder(order) => {
            let Pace::Open { per_second, .. } = order.pace else { panic!("a closed loop was ordered") };
            let (start, end) = (seconds(order.start_unix_nanos), seconds(order.end_unix_nanos()));
            format!("place order {}, {per_second}/s, from {} to {}", order.key.order_id(), start.trim(), end.trim())
        }
        Action::StoreStep { key } => format!("store step {key}"),
        Action::Acknowledge { order } => format!("acknowledge order {order}"),
        Action::Disarm { order } => format!("disarm order {order}"),
        Action::AddStep { attempt, step } => format!("add step {} to {attempt}, {}/s", step.index, step.rate),
        Action::EndAttempt { attempt, end } => format!("end attempt {attempt}: {end}"),
        Action::StopProcesses { part } => format!("stop processes of {part}"),
    }
}

fn run_in_words(text: &mut String, run: &JudgedRun) {
    let end = run.end.as_ref().map_or("open".to_owned(), ToString::to_string);
    let attempt = run.attempt.map_or("not begun".to_owned(), |attempt| format!("attempt {attempt}, {end}"));
    writeln!(text, "run {}: {attempt}", run.run).unwrap();
    for row in &run.rows {
        let verdict = row.verdict.map_or("warm-up", |verdict| verdict.name());
        let gap = row.gap_millis.map_or("n/a".to_owned(), |gap| format!("{gap} ms"));
        let delivered = row.delivered.unwrap_or(f64::NAN);
        writeln!(text, "  {:>6}/s  delivered {delivered:>8.1}  gap {gap:>8}  {verdict}", row.offered).unwrap();
    }
    for missing in &run.missing {
        writeln!(text, "  {:>6}/s  missing: {}", missing.step.rate, missing.reason).unwrap();
    }
    let judgement = &run.judgement;
    let knee = judgement.knee.map_or("unknown".to_owned(), |knee| format!("{}–{}", knee.last, knee.first_broken));
    let capacity = judgement.capacity.map_or("unknown".to_owned(), |capacity| {
        format!("{}{:.1}", if capacity.at_least { "at least " } else { "" }, capacity.per_second)
    });
    writeln!(text, "  knee {knee}, capacity {capacity}, extend {}, split {:?}", judgement.extend, judgement.split)
        .unwrap();
    if let Some(reason) = run.without_number() {
        writeln!(text, "  no number: {reason}").unwrap();
    }
}
