//! The judged tables as JSON, in the shape that scripts rely on.

use serde::Serialize;
use soak_campaign::{
    table::{Row, Withdrawn},
    verdict::{Evidence, RunJudgement, Verdict},
};
use soak_crds::spec::JudgeBounds;

use super::Judged;

#[derive(Serialize)]
struct Document<'a> {
    tables: Vec<Table<'a>>,
    bounds: &'a JudgeBounds,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Table<'a> {
    title: &'a str,
    #[serde(flatten)]
    judgement: &'a RunJudgement,
    steps: Vec<Step<'a>>,
    ignored_columns: &'a [String],
    missing_columns: &'a [&'static str],
    assumed: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Step<'a> {
    offered: serde_json::Value,
    verdict: Option<Verdict>,
    evidence: &'a [Evidence],
    #[serde(skip_serializing_if = "Option::is_none")]
    withdrawn: Option<&'a Withdrawn>,
}

/// The document, its last line ended.
pub(super) fn of(judged: &[Judged], bounds: &JudgeBounds) -> String {
    let document = Document { tables: judged.iter().map(table).collect(), bounds };
    // Strings, numbers and lists alone: nothing of it can fail to be written.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn table(judged: &Judged) -> Table<'_> {
    Table {
        title: &judged.table.title,
        judgement: &judged.judgement,
        steps: judged.rows.iter().filter(|row| !row.warmup).map(step).collect(),
        ignored_columns: &judged.table.ignored,
        missing_columns: &judged.table.missing,
        assumed: &judged.table.remarks,
    }
}

fn step(row: &Row) -> Step<'_> {
    Step {
        offered: soak_campaign::table::number::json(row.rate()),
        verdict: row.verdict,
        evidence: &row.evidence,
        withdrawn: row.withdrawn.as_ref(),
    }
}
