//! What a person sees while a campaign runs: on a terminal one line that moves, elsewhere plain lines. In go events;
//! out goes text to standard error. It must not decide anything.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use soak_campaign::{
    plan::{Plan, RunId},
    step::{Progress as StepProgress, WaitReason},
};
use soak_local::{
    ledger::OutputLedger,
    watch::{Event, Live, Watch},
};

use super::words;
use crate::tables::{facts, number};

/// On a plain output, a line about a step under way this often.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// The display.
#[derive(Debug)]
pub struct Progress {
    out: Out,
    runs: Vec<RunId>,
    waits: String,
    last_live: Option<Instant>,
    warnings: Vec<String>,
}

#[derive(Debug)]
enum Out {
    Terminal { bar: ProgressBar, colour: bool },
    Plain,
}

impl Progress {
    /// A display for this plan, on whatever standard error is.
    pub fn new(plan: &Plan) -> Self {
        let out = if io::stderr().is_terminal() { terminal() } else { Out::Plain };
        Self {
            out,
            runs: plan.runs.iter().map(|run| run.id.clone()).collect(),
            waits: String::new(),
            last_live: None,
            warnings: Vec::new(),
        }
    }

    /// Says where the results go.
    pub fn begins(&self, ledger: &OutputLedger) {
        let left = number::span(StepProgress::of(&ledger.campaign().plan, ledger.state()).remaining_millis);
        let plan = &ledger.campaign().plan;
        self.line(&format!(
            "{}: {}, about {left}; results in {}",
            plan.name,
            facts::count(plan.runs.len(), "run"),
            ledger.folder().root().display()
        ));
    }

    /// Takes the moving line away.
    pub fn finish(self) {
        if let Out::Terminal { bar, .. } = self.out {
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.out {
            Out::Terminal { bar, .. } => bar.println(text),
            Out::Plain => plain(text),
        }
    }

    /// The line that moves; on a plain output only where it says something new.
    fn moving(&self, text: String) {
        if let Out::Terminal { bar, .. } = &self.out {
            bar.set_message(text);
            bar.tick();
        }
    }

    fn warn(&mut self, text: &str) {
        if self.warnings.iter().any(|known| known == text) {
            return;
        }
        self.warnings.push(text.to_owned());
        match &self.out {
            Out::Terminal { bar, colour: true } => bar.println(format!("\u{1b}[33mwarning:\u{1b}[0m {text}")),
            Out::Terminal { .. } | Out::Plain => self.line(&format!("warning: {text}")),
        }
    }

    fn place(&self, run: &RunId) -> String {
        let at = self.runs.iter().position(|known| known == run).map_or(0, |at| at + 1);
        format!("[{at}/{}] {run}", self.runs.len())
    }

    fn live(&mut self, live: &Live<'_>) {
        let text =
            format!("{}  {}  left {}", self.place(&live.run.id), words::live(live), number::span(live.left_millis));
        let due = self.last_live.is_none_or(|last| last.elapsed() >= PLAIN_EVERY);
        match &self.out {
            Out::Terminal { .. } => self.moving(text),
            Out::Plain if due => plain(&text),
            Out::Plain => return,
        }
        self.last_live = Some(Instant::now());
    }

    fn waits(&mut self, reason: &WaitReason) {
        let text = reason.to_string();
        if text == self.waits {
            return;
        }
        self.moving(text.clone());
        self.waits = text;
    }
}

impl Watch for Progress {
    fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::PartBegins { run, attempt, part, left_millis } => {
                self.last_live = Some(Instant::now());
                let again = words::again(*attempt, *part);
                self.line(&format!(
                    "{}{again}: {}  left {}",
                    self.place(&run.id),
                    words::ramp(run),
                    number::span(*left_millis)
                ));
            }
            Event::Waits(reason) => self.waits(reason),
            Event::LeversProven(proofs) => {
                for text in words::unheld(proofs) {
                    self.warn(&text);
                }
            }
            Event::Live(live) => self.live(live),
            Event::StepStored { run, row, number, of } => {
                self.last_live = Some(Instant::now());
                self.line(&format!("{}  {}", self.place(&run.id), words::step(row, *number, *of)));
                if let Some(text) = words::trouble(run, row) {
                    self.warn(&text);
                }
            }
            Event::AttemptEnded { attempt, end } => {
                if let Some(text) = words::ending(attempt, end) {
                    self.warn(&text);
                }
            }
            Event::Warning(text) => self.warn(text),
        }
    }
}

fn terminal() -> Out {
    let bar = ProgressBar::new_spinner();
    // The template is constant; where it did not parse, the plain spinner stays.
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    Out::Terminal { bar, colour: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) }
}

fn plain(text: &str) {
    // Who has closed the output does not want to read; the campaign goes on.
    let _ = writeln!(io::stderr(), "{text}");
}
