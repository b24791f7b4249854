//! The capacity at the campaign's service level, run by run. Pure.

use soak_crds::spec::Slo;
use soak_local::ledger::RunResult;

use super::{
    grid::{Grid, Side},
    number,
};

/// A row for each run that has a judged step; none where no service level was asked for.
pub fn grid(slo: Option<&Slo>, results: &[RunResult]) -> Grid {
    let head = slo.map(limits).unwrap_or_default();
    let mut grid = Grid::new([("run", Side::Left), (&format!("/s at {head}"), Side::Right)]);
    for result in results.iter().filter(|result| slo.is_some() && result.judged.has_number()) {
        let capacity = match result.judged.judgement.slo_capacity {
            Some(capacity) if capacity.at_least => format!("at least {}", number::rate(capacity.per_second)),
            Some(capacity) => number::rate(capacity.per_second),
            None => "no judged step is known to be within".to_owned(),
        };
        grid.row([result.planned.id.0.clone(), capacity]);
    }
    grid
}

/// The limits of a service level, such as `p99 ≤ 50ms, errors ≤ 1 ‰`.
fn limits(slo: &Slo) -> String {
    let Slo { p50, p99, p999, errors_permille } = slo;
    let latency = [("p50", p50), ("p99", p99), ("p999", p999)];
    let mut limits: Vec<String> =
        latency.iter().filter_map(|(name, limit)| Some(format!("{name} ≤ {}", limit.as_ref()?))).collect();
    limits.extend(errors_permille.map(|share| format!("errors ≤ {share} ‰")));
    limits.join(", ")
}

#[cfg(test)]
mod tests {
    use soak_crds::spec::Slo;

    use super::{grid, limits};

    #[test]
    fn the_limits_are_written_as_they_were_asked() {
        let slo = Slo { p99: Some("50ms".parse().unwrap()), errors_permille: Some(1), ..Slo::default() };
        assert_eq!(limits(&slo), "p99 ≤ 50ms, errors ≤ 1 ‰");
    }

    #[test]
    fn what_was_not_asked_has_no_row() {
        assert!(grid(None, &[]).rows().is_empty());
    }
}
