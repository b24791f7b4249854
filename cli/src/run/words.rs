//! The words for what happens while a campaign runs. Pure: facts in, text out.

use soak_campaign::{
    plan::{PlannedRun, StepKind},
    step::{AttemptEnd, AttemptKey, EndReason},
    table::{AtLeast, Row},
    verdict::Verdict,
};
use soak_local::watch::Live;
use soak_sample::LeverProof;

use crate::tables::{number, run_table};

/// A step under way.
pub fn live(live: &Live<'_>) -> String {
    let p99 =
        live.p99_millis.map_or_else(|| number::NOT_KNOWN.to_owned(), |p99| format!("{} ms", number::three_digits(p99)));
    let never_sent = match live.never_sent {
        0 => String::new(),
        calls => format!(", never sent {}", number::whole(calls)),
    };
    let which = if live.step.kind == StepKind::Warmup {
        "warm-up".to_owned()
    } else {
        format!("step {}/{}", live.number, live.of)
    };
    format!(
        "{which} at {}/s: offered {}/s, delivered {}/s, p99 {p99}{never_sent}",
        number::whole(live.step.rate),
        number::rate(live.offered),
        number::rate(live.delivered),
    )
}

/// What a run will do.
pub fn ramp(run: &PlannedRun) -> String {
    let rates: Vec<i64> = run.steps.iter().filter(|step| step.kind != StepKind::Warmup).map(|step| step.rate).collect();
    match (rates.first(), rates.last()) {
        (Some(first), Some(last)) if rates.len() > 1 => {
            format!("{} steps, {} to {} calls per second", rates.len(), number::whole(*first), number::whole(*last))
        }
        (Some(only), _) => format!("{} calls per second", number::whole(*only)),
        _ => "no steps".to_owned(),
    }
}

/// Why a run begins once more; nothing where it does not.
pub fn again(attempt: u32, part: u32) -> String {
    match (attempt, part) {
        (..=1, ..=1) => String::new(),
        (..=1, part) => format!(" (part {part}: the ramp is split)"),
        (attempt, _) => format!(" (attempt {attempt})"),
    }
}

/// A step that is over.
pub fn step(row: &Row, number: usize, of: usize) -> String {
    let known = |value: Option<String>| value.unwrap_or_else(|| number::NOT_KNOWN.to_owned());
    let rate = row.planned.map_or(row.offered, |planned| planned as f64);
    let verdict = match row.verdict {
        _ if row.warmup => "not judged".to_owned(),
        Some(verdict) => verdict.to_string(),
        None => String::new(),
    };
    let which = if row.warmup { "warm-up".to_owned() } else { format!("step {number}/{of}") };
    format!(
        "{which} at {}/s: delivered {}/s, p50 {} ms, p99 {} ms, CPU {} ms/req, {verdict}",
        number::rate(rate),
        known(row.delivered.map(number::rate)),
        known(percentile(row, row.p50_micros, AtLeast::P50)),
        known(percentile(row, row.p99_micros, AtLeast::P99)),
        known(row.cpu_nanos_per_request.map(|nanos| number::three_digits(nanos / 1e6))),
    )
}

/// What a reader should know at once about a step.
pub fn trouble(run: &PlannedRun, row: &Row) -> Option<String> {
    let verdict = row.verdict?;
    let named = match verdict {
        Verdict::Void
        | Verdict::Contaminated
        | Verdict::ClientLimited
        | Verdict::HostLimited
        | Verdict::ShapeLimited => verdict,
        Verdict::FirstStep | Verdict::Outlier | Verdict::Clean | Verdict::AtKnee | Verdict::PastKnee => return None,
    };
    let rate = row.planned.map_or(row.offered, |planned| planned as f64);
    let evidence: Vec<String> = row.evidence.iter().map(run_table::evidence).collect();
    Some(format!("{} at {}/s is {named}: {}", run.id, number::rate(rate), evidence.join("; ")))
}

/// Levers that do not hold.
pub fn unheld(proofs: &[LeverProof]) -> Vec<String> {
    let unheld = proofs.iter().filter(|proof| proof.held == Some(false));
    unheld.map(|proof| format!("lever not held: {}", proof.in_words())).collect()
}

/// How an attempt ended, where it did not complete.
pub fn ending(attempt: &AttemptKey, end: &AttemptEnd) -> Option<String> {
    if end.reason == EndReason::Completed {
        return None;
    }
    let words = end.words.as_ref().map(|words| format!(": {words}")).unwrap_or_default();
    Some(format!("{}: {}{words}", attempt.run, end.reason.words()))
}

fn percentile(row: &Row, micros: Option<f64>, which: AtLeast) -> Option<String> {
    let bound = if row.at_least.contains(&which) { "≥ " } else { "" };
    micros.map(|micros| format!("{bound}{}", number::three_digits(micros / 1000.0)))
}
