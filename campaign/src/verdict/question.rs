//! Predictions and thresholds: the number beside what was asked of it, and whether it held. What the interval does not
//! decide is undecidable.

use serde::{Deserialize, Serialize};
use soak_crds::spec::{Prediction, Range, Threshold};

use super::compare::Comparison;
use super::evidence::{grouped, trimmed};
use super::noise::Ratio;
use super::replicate::{ArmJudgement, RunResult, is_kept, middle};
use super::run::median;
use super::{Capacity, Evidence};
use crate::table::Row;

/// What came of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The number lies within what was asked.
    Held,
    /// There is no number that could tell.
    Undecidable,
    /// It does not.
    Failed,
}

/// A prediction or threshold, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// Its name.
    pub name: String,
    /// The body; absent where none of the campaign's is meant.
    pub body: Option<String>,
    /// The worst of its limits.
    pub answer: Answer,
    /// Each limit with its number.
    pub evidence: Vec<Evidence>,
}

/// What is known of a number: its value and the interval in which it lies.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Known {
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

impl Known {
    fn exactly(value: Option<f64>) -> Self {
        Self { value, low: value, high: value }
    }

    fn capacity(capacity: Option<Capacity>) -> Self {
        let value = capacity.map(|capacity| capacity.per_second);
        let exact = capacity.filter(|capacity| !capacity.at_least).map(|capacity| capacity.per_second);
        Self { value, low: value, high: exact }
    }

    fn permille(ratio: Ratio) -> Self {
        let permille = |value: Option<f64>| value.map(|value| value * 1000.0);
        Self { value: permille(ratio.value), low: permille(ratio.low), high: permille(ratio.high) }
    }

    fn answer(&self, range: &Range) -> Answer {
        let (least, most) = (range.at_least.map(|least| least as f64), range.at_most.map(|most| most as f64));
        let below = least.zip(self.high).is_some_and(|(least, high)| high < least);
        let above = most.zip(self.low).is_some_and(|(most, low)| low > most);
        if below || above {
            return Answer::Failed;
        }
        let reaches = least.is_none_or(|least| self.low.is_some_and(|low| low >= least));
        let stays = most.is_none_or(|most| self.high.is_some_and(|high| high <= most));
        if reaches && stays { Answer::Held } else { Answer::Undecidable }
    }

    fn words(&self) -> String {
        let number = |value: f64| grouped(value, 0);
        let Some(value) = self.value else { return "n/a".to_owned() };
        match (self.low, self.high) {
            (Some(low), Some(high)) if high > low => format!("{} ({} to {})", number(value), number(low), number(high)),
            (Some(_), Some(_)) => number(value),
            (Some(low), None) => format!("≥ {}", number(low)),
            (None, Some(high)) => format!("≤ {}", number(high)),
            (None, None) => format!("{}, no noise floor", number(value)),
        }
    }
}

fn bound(range: &Range) -> String {
    let parts = [range.at_least.map(|least| format!("≥ {least}")), range.at_most.map(|most| format!("≤ {most}"))];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn answered(name: &str, body: Option<&str>, limits: &[(&str, Option<&Range>, Known)]) -> Answered {
    let asked: Vec<_> = limits.iter().filter_map(|(measure, range, known)| Some((measure, (*range)?, known))).collect();
    Answered {
        name: name.to_owned(),
        body: body.map(str::to_owned),
        answer: asked.iter().map(|(_, range, known)| known.answer(range)).max().unwrap_or(Answer::Undecidable),
        evidence: asked
            .iter()
            .map(|(measure, range, known)| Evidence::held(measure, known.words(), bound(range)))
            .collect(),
    }
}

/// Judges a prediction under one body.
pub(super) fn prediction(
    prediction: &Prediction,
    body: &str,
    comparisons: &[Comparison],
    arms: &[ArmJudgement],
) -> Answered {
    let comparison = prediction
        .compare
        .as_ref()
        .and_then(|name| comparisons.iter().find(|comparison| comparison.name == *name && comparison.body == body));
    let ratio = |of: fn(&Comparison) -> Ratio| Known::permille(comparison.map(of).unwrap_or_default());
    let arm = prediction.arm.as_ref().and_then(|name| find(arms, name, body));
    let capacity = Known::capacity(arm.and_then(|arm| arm.capacity));
    let mut found = answered(
        &prediction.name,
        Some(body),
        &[
            ("capacity ratio ‰", prediction.capacity_ratio_permille.as_ref(), ratio(|c| c.capacity)),
            ("CPU ratio ‰", prediction.cpu_ratio_permille.as_ref(), ratio(|c| c.cpu)),
            ("p50 ratio ‰", prediction.p50_ratio_permille.as_ref(), ratio(|c| c.p50)),
            ("capacity /s", prediction.capacity_per_second.as_ref(), capacity),
        ],
    );
    let refused = comparison.map(|comparison| comparison.refused.join("; ")).filter(|words| !words.is_empty());
    found.evidence.extend(refused.map(|words| Evidence::fact("refused", words)));
    found
}

fn find<'a>(arms: &'a [ArmJudgement], name: &str, body: &str) -> Option<&'a ArmJudgement> {
    arms.iter().find(|arm| arm.arm == name && arm.body == body)
}

/// Judges a threshold under one body. It decides by the median of the replicates.
pub(super) fn threshold(threshold: &Threshold, body: &str, arms: &[ArmJudgement], runs: &[RunResult<'_>]) -> Answered {
    let own: Vec<_> =
        runs.iter().filter(|run| run.arm == threshold.arm && run.body == body && run.void.is_none()).collect();
    let below_knee = |measure: fn(&Row) -> Option<f64>| {
        let values: Option<Vec<f64>> = own.iter().map(|run| highest_kept(run).and_then(measure)).collect();
        Known::exactly(values.and_then(|values| median(&values)))
    };
    let capacity = Known::capacity(find(arms, &threshold.arm, body).and_then(|arm| arm.capacity));
    answered(
        &threshold.name,
        Some(body),
        &[
            ("capacity /s", threshold.capacity_per_second.as_ref(), capacity),
            ("capacity at the service level /s", threshold.slo_capacity_per_second.as_ref(), slo(&own)),
            (
                "CPU per request ns",
                threshold.cpu_nanos_per_request.as_ref(),
                below_knee(|row| row.cpu_nanos_per_request),
            ),
            ("p99 µs", threshold.p99_micros.as_ref(), below_knee(|row| row.p99_micros)),
        ],
    )
}

/// The median capacity at the service level; unknown where a run that counts has none.
fn slo(runs: &[&RunResult<'_>]) -> Known {
    let found: Option<Vec<Capacity>> = runs.iter().map(|run| run.judgement.slo_capacity).collect();
    Known::capacity(found.and_then(|capacities| middle(&capacities)))
}

/// The highest step that keeps the knee's bounds.
fn highest_kept<'a>(run: &RunResult<'a>) -> Option<&'a Row> {
    run.rows.iter().filter(|row| is_kept(row)).max_by(|one, two| one.rate().total_cmp(&two.rate()))
}

/// A ratio in words: `1.32 × (1.28 to 1.36)`, `nil`, `≥ 10.5 ×`.
pub fn ratio_words(ratio: &Ratio) -> String {
    let times = |value: f64| trimmed(value, 3);
    let Some(value) = ratio.value else { return "n/a".to_owned() };
    match (ratio.nil, ratio.low, ratio.high) {
        (Some(true), Some(low), Some(high)) => format!("nil ({} to {} ×)", times(low), times(high)),
        (None, Some(low), Some(high)) => {
            format!("{} × ({} to {}), not claimed", times(value), times(low), times(high))
        }
        (_, Some(low), Some(high)) => format!("{} × ({} to {})", times(value), times(low), times(high)),
        (_, Some(low), None) => format!("≥ {} ×", times(low)),
        (_, None, Some(high)) => format!("≤ {} ×", times(high)),
        (_, None, None) => format!("{} ×, no noise floor", times(value)),
    }
}
