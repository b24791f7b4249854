//! The judged tables as text: each table with its verdicts, what it means, and what every verdict rests on.

use soak_campaign::{
    table::{Row, markdown},
    verdict::{Capacity, Evidence, Knee, Plateau, RunJudgement},
};
use soak_crds::spec::JudgeBounds;

use super::Judged;
use crate::tables::number::rate;

/// The report, its last line ended.
pub(super) fn report(judged: &[Judged], bounds: &JudgeBounds) -> String {
    let tables: String = judged.iter().map(table).collect();
    format!("{tables}{}\n", bounds_line(bounds))
}

fn table(judged: &Judged) -> String {
    let facts: Vec<_> =
        meaning(&judged.judgement).into_iter().chain(reading(judged)).map(|line| format!("- {line}")).collect();
    let steps: Vec<_> = judged.rows.iter().filter_map(step).map(|line| format!("    {line}")).collect();
    let table = markdown(&judged.rows);
    format!("## {}\n\n{table}\n{}\n\n{}\n\n", judged.table.title, facts.join("\n"), steps.join("\n"))
}

fn meaning(judgement: &RunJudgement) -> Vec<String> {
    let mut lines = vec![knee(judgement), capacity(judgement)];
    lines.extend(judgement.first_step.map(|at| format!("first step: {}, shown and not used", rate(at))));
    lines.extend(judgement.outliers.iter().map(|at| format!("outlier: {}, shown, not a knee", rate(*at))));
    lines.extend(judgement.collapse.map(|at| format!("collapse: at {}", rate(at))));
    lines.extend(judgement.split.iter().map(|at| format!("split: the ramp stood still before {}", rate(*at))));
    if judgement.extend {
        lines.push("extend the ramp: its capacity lies beyond its last step".to_owned());
    }
    lines.extend(judgement.remarks.iter().cloned());
    lines
}

fn knee(judgement: &RunJudgement) -> String {
    match judgement.knee {
        Some(Knee { last, first_broken }) => format!("knee: {}, first broken {}", rate(last), rate(first_broken)),
        None => "knee: unknown, the ramp has no step that delivers below one that does not".to_owned(),
    }
}

fn capacity(judgement: &RunJudgement) -> String {
    match (judgement.plateau, judgement.capacity) {
        (Some(Plateau { low, high, median }), _) => {
            format!("capacity: {}/s, the median of a plateau of {} to {}", tenth(median), tenth(low), tenth(high))
        }
        (None, Some(Capacity { per_second, .. })) => format!("capacity: at least {}/s; no plateau", tenth(per_second)),
        (None, None) => "capacity: unknown, no step can be judged".to_owned(),
    }
}

/// Capacities are told to a tenth: they are held against tables that are.
fn tenth(value: f64) -> String {
    let text = format!("{value:.1}");
    let (whole, part) = text.split_once('.').unwrap_or((&text, "0"));
    let whole = whole.parse::<i64>().map_or_else(|_| whole.to_owned(), crate::tables::number::whole);
    if part == "0" { whole } else { format!("{whole}.{part}") }
}

fn reading(judged: &Judged) -> Vec<String> {
    let mut lines = Vec::new();
    let list = |names: &[&str]| names.join(", ");
    if !judged.table.ignored.is_empty() {
        let names: Vec<_> = judged.table.ignored.iter().map(String::as_str).collect();
        lines.push(format!("columns not used: {}", list(&names)));
    }
    if !judged.table.missing.is_empty() {
        lines.push(format!("columns not there: {}", list(&judged.table.missing)));
    }
    lines.extend(judged.table.remarks.iter().cloned());
    lines
}

fn step(row: &Row) -> Option<String> {
    let evidence: Vec<_> = row.evidence.iter().map(words).collect();
    Some(format!("{:>8}  {:<14} {}", rate(row.rate()), row.verdict?, evidence.join(", ")))
}

fn words(Evidence { measure, value, bound }: &Evidence) -> String {
    match bound {
        Some(bound) => format!("{measure} {value} ({bound})"),
        None => format!("{measure} {value}"),
    }
}

fn bounds_line(bounds: &JudgeBounds) -> String {
    let percent = |per_ten_thousand: i32| f64::from(per_ten_thousand) / 100.0;
    format!(
        "Bounds: knee answered ≥ {} %, never sent < {} %, p50 < {} × the lowest; clean answered ≥ {} %, never sent < {} %; \
         saturated delivered < {} %; plateau ≥ {} steps within {} %; collapse delivered < {} % of the best before.",
        percent(bounds.knee_answered_per_ten_thousand),
        percent(bounds.knee_never_sent_per_ten_thousand),
        bounds.knee_p50_factor,
        percent(bounds.clean_answered_per_ten_thousand),
        percent(bounds.clean_never_sent_per_ten_thousand),
        bounds.saturated_delivered_percent,
        bounds.plateau_min_steps,
        bounds.plateau_spread_percent,
        bounds.collapse_delivered_percent,
    )
}
