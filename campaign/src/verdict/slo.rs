//! Capacity at a service level: the question most people bring.

use soak_crds::spec::Slo;

use super::Capacity;
use super::standing::answered;
use super::step::judged;
use crate::table::{AtLeast, Row};

/// The highest judged step within the service level, all higher ones breaking it; a floor where no higher one was
/// judged to break it. Absent where no judged step is known to be within.
pub fn slo_capacity(rows: &[Row], slo: &Slo) -> Option<Capacity> {
    let judged = judged(rows);
    let within = judged.iter().filter(|row| holds(row, slo) == Some(true)).map(|row| row.rate());
    let per_second = within.max_by(f64::total_cmp)?;
    let mut higher = judged.iter().filter(|row| row.rate() > per_second).peekable();
    let at_least = higher.peek().is_none() || higher.any(|row| holds(row, slo).is_none());
    Some(Capacity { per_second, at_least })
}

/// Whether a step is within every limit given; `None` where the table does not tell.
pub(super) fn holds(row: &Row, slo: &Slo) -> Option<bool> {
    let limit = |span: &Option<soak_crds::Span>| span.as_ref().map(|span| span.nanos() as f64 / 1000.0);
    let failed = answered(row).map(|share| (1.0 - share) * 1000.0);
    let errors = slo.errors_permille.map(|most| failed.map(|failed| failed <= f64::from(most) + 1e-6));
    let limits = [
        limit(&slo.p50).map(|most| under(row, row.p50_micros, AtLeast::P50, most)),
        limit(&slo.p99).map(|most| under(row, row.p99_micros, AtLeast::P99, most)),
        limit(&slo.p999).map(|most| under(row, row.p999_micros, AtLeast::P999, most)),
        errors,
    ];
    let asked: Vec<_> = limits.into_iter().flatten().collect();
    if asked.contains(&Some(false)) {
        return Some(false);
    }
    asked.into_iter().collect::<Option<Vec<bool>>>().map(|held| held.into_iter().all(|held| held))
}

/// A percentile that is a lower bound belongs to calls without an answer: it is under no limit.
fn under(row: &Row, value: Option<f64>, mark: AtLeast, most: f64) -> Option<bool> {
    if row.at_least.contains(&mark) {
        return Some(false);
    }
    value.map(|value| value <= most)
}

#[cfg(test)]
mod tests {
    use soak_crds::spec::Slo;

    use super::{holds, slo_capacity};
    use crate::table::{AtLeast, Row};
    use crate::verdict::{Capacity, Verdict};

    fn slo() -> Slo {
        Slo { p99: Some("50ms".parse().unwrap()), errors_permille: Some(1), ..Slo::default() }
    }

    fn row(offered: f64, p99_millis: f64, answered: f64) -> Row {
        Row {
            offered,
            delivered: Some(offered),
            p99_micros: Some(p99_millis * 1000.0),
            answered_permille: Some(answered),
            verdict: Some(Verdict::Clean),
            ..Row::default()
        }
    }

    #[test]
    fn a_step_is_within_when_every_limit_holds() {
        let check = |row: &Row, expected| assert_eq!(holds(row, &slo()), expected, "{row:?}");
        check(&row(1.0, 50.0, 999.0), Some(true));
        check(&row(1.0, 50.1, 1000.0), Some(false));
        check(&row(1.0, 1.0, 998.9), Some(false));
        check(&Row { p99_micros: None, ..row(1.0, 1.0, 1000.0) }, None);
        check(&Row { p99_micros: None, ..row(1.0, 1.0, 900.0) }, Some(false));
        check(&Row { at_least: vec![AtLeast::P99], ..row(1.0, 1.0, 1000.0) }, Some(false));
    }

    #[test]
    fn capacity_is_the_highest_step_within_and_a_floor_where_none_breaks() {
        let check = |rows: &[Row], expected: Option<(f64, bool)>| {
            let found = slo_capacity(rows, &slo()).map(|Capacity { per_second, at_least }| (per_second, at_least));
            assert_eq!(found, expected);
        };
        let first = row(100.0, 1.0, 1000.0);
        check(&[first.clone(), row(200.0, 10.0, 1000.0), row(300.0, 60.0, 1000.0)], Some((200.0, false)));
        check(&[first.clone(), row(200.0, 60.0, 1000.0), row(300.0, 40.0, 1000.0)], Some((300.0, true)));
        check(&[first.clone(), row(200.0, 60.0, 1000.0)], None);
        let unknown = Row { p99_micros: None, ..row(300.0, 1.0, 1000.0) };
        check(&[first, row(200.0, 10.0, 1000.0), unknown], Some((200.0, true)));
    }
}
