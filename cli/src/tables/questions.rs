//! What was asked of the numbers, each with its answer: comparisons, predictions, thresholds. Pure.

use soak_campaign::verdict::{Comparison, LeverWorth, Ratio};
use soak_crds::status::{Outcome, PredictionOutcome, PredictionStatus, ThresholdStatus};

use super::{
    Told,
    grid::{Grid, Side},
    number, slo, withdrawn,
};

/// What was asked, answered: a table and what must be known to read it.
#[derive(Debug)]
pub struct Answers {
    /// What kind of question.
    pub title: &'static str,
    /// A row for each.
    pub grid: Grid,
    /// Remarks.
    pub notes: Vec<String>,
}

/// A section for each kind of question that was asked, and for what was taken back, as text.
pub fn sections(told: &Told<'_>) -> String {
    let text = |Answers { title, grid, notes }: &Answers| {
        let notes: String = notes.iter().flat_map(|note| ["\n", note, "\n"]).collect();
        ["\n## ", title, "\n\n", &grid.markdown(), &notes].concat()
    };
    asked(told).iter().map(text).collect()
}

/// Each kind of question that was asked, and what was taken back.
pub fn asked(told: &Told<'_>) -> Vec<Answers> {
    let Told { campaign, results, judgement, status } = told;
    let kinds = [
        Answers { title: "Withdrawn", grid: withdrawn::grid(&status.withdrawn), notes: Vec::new() },
        comparisons(&judgement.comparisons),
        levers(&judgement.levers),
        Answers { title: "Service level", grid: slo::grid(campaign.plan.slo.as_ref(), results), notes: Vec::new() },
        Answers { title: "Predictions", grid: predictions(&status.predictions), notes: Vec::new() },
        Answers { title: "Thresholds", grid: thresholds(&status.thresholds), notes: Vec::new() },
    ];
    kinds.into_iter().filter(|kind| !kind.grid.rows().is_empty()).collect()
}

/// Each comparison by capacity, and by cost and latency over the rates that both arms keep.
fn comparisons(comparisons: &[Comparison]) -> Answers {
    let mut grid = Grid::new([
        ("comparison", Side::Left),
        ("body", Side::Left),
        ("measure", Side::Left),
        ("×", Side::Right),
        ("from", Side::Right),
        ("to", Side::Right),
        ("result", Side::Left),
        ("claimed from", Side::Right),
    ]);
    for comparison in comparisons {
        let row = |measure: &str, ratio: &Ratio| {
            let ends = [ratio.value, ratio.low, ratio.high].map(multiple);
            let [value, low, high] = ends;
            let (name, body) = (comparison.name.clone(), comparison.body.clone());
            let from = claimed_from(ratio, comparison.asked);
            [name, body, measure.to_owned(), value, low, high, result(ratio), from]
        };
        if !comparison.refused.is_empty() {
            let mut cells = row("capacity", &Ratio::default());
            cells[6] = format!("refused: {}", comparison.refused.join("; "));
            grid.row(cells);
            continue;
        }
        grid.row(row("capacity", &comparison.capacity));
        let at = rates(comparison);
        let measures = [("CPU/req", &comparison.cpu), ("p50", &comparison.p50), ("p99", &comparison.p99)];
        for (measure, ratio) in measures.iter().filter(|(_, ratio)| ratio.value.is_some()) {
            grid.row(row(&format!("{measure} {at}"), ratio));
        }
    }
    let remarks = comparisons.iter().flat_map(|comparison| {
        let words = comparison.penalty.iter().chain(&comparison.remarks);
        words.map(|words| format!("{}: {words}", comparison.name))
    });
    Answers { title: "Comparisons", grid, notes: noted(remarks) }
}

/// From which difference on it is claimed, and among how many comparisons of its body.
fn claimed_from(ratio: &Ratio, asked: usize) -> String {
    ratio
        .claimed_from
        .map_or_else(|| number::NOT_KNOWN.to_owned(), |from| format!("{:.1} % (of {asked})", (from - 1.0) * 100.0))
}

/// The rates over which cost and latency are compared.
fn rates(comparison: &Comparison) -> String {
    match (comparison.matched.first(), comparison.matched.last()) {
        (Some(first), Some(last)) if comparison.matched.len() > 1 => {
            format!("at {}–{}/s", number::rate(first.rate), number::rate(last.rate))
        }
        (Some(only), _) => format!("at {}/s", number::rate(only.rate)),
        (None, _) => String::new(),
    }
}

/// What each lever was worth.
fn levers(levers: &[LeverWorth]) -> Answers {
    let mut grid = Grid::new([
        ("arm", Side::Left),
        ("body", Side::Left),
        ("lever", Side::Left),
        ("capacity ×", Side::Right),
        ("CPU/req ×", Side::Right),
        ("p50 ×", Side::Right),
        ("RSS ×", Side::Right),
    ]);
    for worth in levers {
        let cell = |ratio: &Ratio| if worth.already_on { "already on".to_owned() } else { worth_of(ratio) };
        grid.row([
            worth.arm.clone(),
            worth.body.clone(),
            worth.levers.join(" + "),
            cell(&worth.capacity),
            cell(&worth.cpu),
            cell(&worth.p50),
            cell(&worth.memory),
        ]);
    }
    let remarks = levers.iter().flat_map(|worth| {
        worth.remarks.iter().map(|words| format!("{} + {}: {words}", worth.arm, worth.levers.join(" + ")))
    });
    Answers { title: "Levers", grid, notes: noted(remarks) }
}

/// A ratio in one cell: its value with its interval, nil where it is below the floor.
fn worth_of(ratio: &Ratio) -> String {
    let value = multiple(ratio.value);
    match (ratio.nil, ratio.low, ratio.high) {
        (Some(true), _, _) => format!("nil ({value})"),
        (None, Some(low), Some(high)) => {
            format!("{value} ({}–{}), not claimed", multiple(Some(low)), multiple(Some(high)))
        }
        (_, Some(low), Some(high)) => format!("{value} ({}–{})", multiple(Some(low)), multiple(Some(high))),
        (_, Some(low), None) => format!("{value} (≥ {})", multiple(Some(low))),
        (_, None, Some(high)) => format!("{value} (≤ {})", multiple(Some(high))),
        (_, None, None) => value,
    }
}

/// Remarks, those that were said before left out.
fn noted(remarks: impl Iterator<Item = String>) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for remark in remarks {
        if !said.contains(&remark) {
            said.push(remark);
        }
    }
    said
}

fn result(ratio: &Ratio) -> String {
    let words = match (ratio.nil, ratio.value) {
        (Some(true), _) => "nil: below the noise floor",
        (Some(false), _) => "a difference",
        (None, Some(_)) if ratio.low.is_none() && ratio.high.is_none() => "no noise floor: too few valid replicates",
        (None, Some(_)) if ratio.is_unclaimed() => "above the floor of one comparison, not claimed",
        (None, Some(_)) => "undecided",
        (None, None) => "not known",
    };
    words.to_owned()
}

fn multiple(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| number::NOT_KNOWN.to_owned(), number::three_digits)
}

fn predictions(predictions: &[PredictionStatus]) -> Grid {
    let rows = predictions.iter().map(|prediction| {
        let outcome = match prediction.outcome {
            Some(PredictionOutcome::Held) => "held",
            Some(PredictionOutcome::Failed) => "failed",
            Some(PredictionOutcome::Undecidable) => "undecidable",
            None => "not judged",
        };
        [prediction.name.clone(), outcome.to_owned(), prediction.evidence.clone().unwrap_or_default()]
    });
    answers("prediction", rows)
}

fn thresholds(thresholds: &[ThresholdStatus]) -> Grid {
    let rows = thresholds.iter().map(|threshold| {
        let outcome = match threshold.outcome {
            Some(Outcome::Pass) => "passed",
            Some(Outcome::Fail) => "failed",
            Some(Outcome::Inconclusive) => "undecided",
            Some(Outcome::Invalid) => "no valid number",
            None => "not judged",
        };
        [threshold.name.clone(), outcome.to_owned(), threshold.evidence.clone().unwrap_or_default()]
    });
    answers("threshold", rows)
}

fn answers(what: &str, rows: impl Iterator<Item = [String; 3]>) -> Grid {
    let mut grid = Grid::new([(what, Side::Left), ("result", Side::Left), ("number and limit", Side::Left)]);
    for row in rows {
        grid.row(row);
    }
    grid
}

#[cfg(test)]
mod tests {
    use soak_campaign::verdict::Matched;

    use super::*;

    #[test]
    fn what_was_not_asked_has_no_section() {
        let empty = [comparisons(&[]).grid, levers(&[]).grid, predictions(&[]), thresholds(&[]), withdrawn::grid(&[])];
        assert!(empty.iter().all(|grid| grid.rows().is_empty()));
    }

    fn ratio(value: f64, low: Option<f64>, high: Option<f64>, nil: Option<bool>) -> Ratio {
        Ratio { value: Some(value), low, high, nil, ..Ratio::default() }
    }

    #[test]
    fn each_answer_of_a_comparison_has_its_words() {
        let check = |ratio: Ratio, expected: &str| assert_eq!(result(&ratio), expected);
        check(ratio(1.0, Some(0.9), Some(1.1), Some(true)), "nil: below the noise floor");
        check(ratio(2.0, Some(1.9), Some(2.1), Some(false)), "a difference");
        check(ratio(2.0, None, None, None), "no noise floor: too few valid replicates");
        check(ratio(2.0, Some(0.9), None, None), "undecided");
        check(ratio(1.1, Some(1.01), Some(1.2), None), "above the floor of one comparison, not claimed");
        check(Ratio::default(), "not known");
    }

    #[test]
    fn a_comparison_shows_capacity_and_what_the_matched_rates_tell() {
        let comparison = Comparison {
            name: "switch".to_owned(),
            body: "tiny".to_owned(),
            capacity: ratio(1.5, Some(1.4), Some(1.6), Some(false)),
            cpu: ratio(1.01, Some(0.99), Some(1.03), Some(true)),
            matched: [200.0, 400.0].map(|rate| Matched { rate, ..Matched::default() }).into(),
            penalty: Some("worth less".to_owned()),
            ..Comparison::default()
        };
        let Answers { grid, notes, .. } = comparisons(std::slice::from_ref(&comparison));
        let text = grid.markdown();
        assert!(text.contains("| switch     | tiny | capacity "), "{text}");
        assert!(text.contains("CPU/req at 200–400/s | 1.01 | 0.99 | 1.03 | nil: below the noise floor"), "{text}");
        assert_eq!(notes, ["switch: worth less"]);
        let refused = Comparison { refused: vec!["ramp: a ≠ b".to_owned()], ..comparison };
        let text = comparisons(&[refused]).grid.markdown();
        assert!(text.contains("refused: ramp: a ≠ b") && !text.contains("1.5"), "{text}");
    }

    #[test]
    fn a_comparison_shows_from_which_difference_it_is_claimed_and_among_how_many() {
        let capacity = Ratio { claimed_from: Some(1.0246), ..ratio(1.02, Some(1.01), Some(1.03), None) };
        let comparison = Comparison { name: "x".to_owned(), asked: 3, capacity, ..Comparison::default() };
        let text = comparisons(&[comparison]).grid.markdown();
        assert!(text.contains("above the floor of one comparison, not claimed | 2.5 % (of 3) |"), "{text}");
        assert_eq!(worth_of(&capacity), "1.02 (1.01–1.03), not claimed");
        assert_eq!(claimed_from(&ratio(2.0, None, None, None), 1), "n/a");
    }

    #[test]
    fn a_lever_is_worth_its_ratio_or_nil_or_was_already_on() {
        let worth = LeverWorth {
            arm: "a".to_owned(),
            body: "tiny".to_owned(),
            levers: vec!["x".to_owned(), "y".to_owned()],
            already_on: false,
            asked: 1,
            capacity: ratio(1.5, Some(1.4), Some(1.6), Some(false)),
            cpu: ratio(1.01, Some(0.99), Some(1.03), Some(true)),
            p50: ratio(2.0, Some(1.9), None, Some(false)),
            memory: Ratio::default(),
            remarks: Vec::new(),
        };
        let text = levers(std::slice::from_ref(&worth)).grid.markdown();
        assert!(text.contains("| x + y | 1.50 (1.40–1.60) | nil (1.01) | 2.00 (≥ 1.90) |   n/a |"), "{text}");
        let on = levers(&[LeverWorth { already_on: true, ..worth }]).grid.markdown();
        assert_eq!(on.matches("already on").count(), 4, "{on}");
    }
}
