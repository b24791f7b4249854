//! What was asked of the numbers, each with its answer: comparisons, predictions, thresholds. Pure.

use soak_crds::{
    SoakCampaignStatus,
    status::{ComparisonStatus, Outcome, PredictionOutcome, PredictionStatus, ThresholdStatus},
};

use super::{
    grid::{Grid, Side},
    number,
};

/// A section for each kind of question that was asked, as text.
pub fn sections(status: &SoakCampaignStatus) -> String {
    asked(status)
        .iter()
        .flat_map(|(title, grid)| ["\n## ", title, "\n\n", &grid.markdown()].map(str::to_owned))
        .collect()
}

/// Each kind of question that was asked: its title, and a row for each.
pub fn asked(status: &SoakCampaignStatus) -> Vec<(&'static str, Grid)> {
    let kinds = [
        ("Comparisons", comparisons(&status.comparisons)),
        ("Predictions", predictions(&status.predictions)),
        ("Thresholds", thresholds(&status.thresholds)),
    ];
    kinds.into_iter().filter(|(_, grid)| !grid.rows().is_empty()).collect()
}

fn comparisons(comparisons: &[ComparisonStatus]) -> Grid {
    let mut grid = Grid::new([
        ("comparison", Side::Left),
        ("body", Side::Left),
        ("capacity ×", Side::Right),
        ("from", Side::Right),
        ("to", Side::Right),
        ("result", Side::Left),
    ]);
    for comparison in comparisons {
        grid.row([
            comparison.name.clone(),
            comparison.body.clone().unwrap_or_default(),
            ratio(comparison.capacity_ratio_permille),
            ratio(comparison.low),
            ratio(comparison.high),
            result(comparison),
        ]);
    }
    grid
}

fn result(comparison: &ComparisonStatus) -> String {
    match (comparison.refused.is_empty(), comparison.nil) {
        (false, _) => format!("refused: {}", comparison.refused.join("; ")),
        (true, Some(true)) => "nil: below the noise floor".to_owned(),
        (true, Some(false)) => "a difference".to_owned(),
        (true, None) => "no noise floor: too few valid replicates".to_owned(),
    }
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

fn ratio(permille: Option<i64>) -> String {
    permille.map_or_else(|| number::NOT_KNOWN.to_owned(), |permille| number::three_digits(permille as f64 / 1000.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_has_no_section() {
        assert_eq!(sections(&SoakCampaignStatus::default()), "");
    }

    #[test]
    fn each_answer_of_a_comparison_has_its_words() {
        let check = |refused: &[&str], nil: Option<bool>, expected: &str| {
            let refused = refused.iter().map(|&text| text.to_owned()).collect();
            let comparison = ComparisonStatus { refused, nil, ..ComparisonStatus::default() };
            assert_eq!(result(&comparison), expected);
        };
        check(&["ramp differs"], None, "refused: ramp differs");
        check(&[], Some(true), "nil: below the noise floor");
        check(&[], Some(false), "a difference");
        check(&[], None, "no noise floor: too few valid replicates");
    }
}
