//! The verdict on each step: the first that holds, in the order of [`Verdict`].

use std::collections::BTreeSet;

use soak_crds::spec::JudgeBounds;

use super::standing::Standing;
use super::{Evidence, Verdict, Worth, limit, void};
use crate::table::{Row, Signals};

/// A step's verdict and what it rests on.
type Finding = (Verdict, Vec<Evidence>);

/// Gives every step its verdict and evidence; the warm-up has none. Without signals the table is from outside.
pub(super) fn judge(rows: &mut [Row], signals: &[Signals], bounds: &JudgeBounds) {
    let bench = Bench { signals, bounds, first: first_steps(rows) };
    let mut findings = bench.apart(rows);
    let lowest = lowest(rows, &findings, limit::service_p50);
    bench.by_shape(rows, &mut findings, lowest);
    bench.by_knee(rows, &mut findings);
    for ((at, row), finding) in rows.iter_mut().enumerate().zip(findings) {
        row.evidence.clear();
        row.verdict = None;
        if let Some((verdict, mut evidence)) = finding {
            if let Some(signals) = signals.get(at).filter(|_| verdict != Verdict::Void) {
                evidence.extend(limit::unknown(row, signals));
            }
            row.verdict = Some(verdict);
            row.evidence = evidence;
        }
    }
}

/// The first steps after a warm-up or at the start of a part, by index.
pub(super) fn first_steps(rows: &[Row]) -> BTreeSet<usize> {
    let mut fresh = true;
    let mut found = BTreeSet::new();
    for (at, row) in rows.iter().enumerate() {
        fresh |= row.warmup || row.part_start;
        if !row.warmup && fresh {
            found.insert(at);
            fresh = false;
        }
    }
    found
}

struct Bench<'a> {
    signals: &'a [Signals],
    bounds: &'a JudgeBounds,
    first: BTreeSet<usize>,
}

impl Bench<'_> {
    /// Verdicts that a step gets by itself: void, contaminated, client- and host-limited.
    fn apart(&self, rows: &[Row]) -> Vec<Option<Finding>> {
        let stuck = void::stuck_cpu(rows, self.signals, self.bounds);
        let unanswered = void::never_answered(rows);
        let one = |(at, row): (usize, &Row)| {
            if row.warmup {
                return None;
            }
            let mut reasons = void::reasons(row, self.signals.get(at));
            if stuck.contains(&at) {
                reasons.push(void::stuck_cpu_words(row));
            }
            if unanswered && row.delivered.is_some() {
                reasons.push(Evidence::fact("endpoint", "nothing was answered in any step"));
            }
            if !reasons.is_empty() {
                return Some((Verdict::Void, reasons));
            }
            self.limited(row, self.signals.get(at)?)
        };
        rows.iter().enumerate().map(one).collect()
    }

    fn limited(&self, row: &Row, signals: &Signals) -> Option<Finding> {
        let found = [
            (Verdict::Contaminated, limit::contaminated(signals, self.bounds)),
            (Verdict::ClientLimited, limit::client_limited(row, signals, self.bounds)),
            (Verdict::HostLimited, limit::host_limited(signals, self.bounds)),
        ];
        found.into_iter().find(|(_, evidence)| !evidence.is_empty())
    }

    fn by_shape(&self, rows: &[Row], findings: &mut [Option<Finding>], lowest: Option<f64>) {
        for ((at, row), finding) in rows.iter().enumerate().zip(findings) {
            if row.warmup || finding.is_some() {
                continue;
            }
            let shape = self.signals.get(at).map(|signals| limit::shape_limited(row, signals, lowest, self.bounds));
            if let Some(evidence) = shape.filter(|evidence| !evidence.is_empty()) {
                *finding = Some((Verdict::ShapeLimited, evidence));
            } else if self.first.contains(&at) {
                *finding =
                    Some((Verdict::FirstStep, vec![Evidence::fact("first step", "after the warm-up: not used")]));
            }
        }
    }

    fn by_knee(&self, rows: &[Row], findings: &mut [Option<Finding>]) {
        let lowest = lowest(rows, findings, |row| row.p50_micros);
        let standings: Vec<_> = rows
            .iter()
            .enumerate()
            .map(|(at, row)| Standing::of(row, lowest, self.signals.get(at).and_then(|signals| signals.growth)))
            .collect();
        let open: Vec<_> = findings.iter().zip(rows).map(|(finding, row)| finding.is_none() && !row.warmup).collect();
        let keeps = |at: usize| open[at] && rows[at].withdrawn.is_none() && standings[at].keeps(self.bounds);
        for at in (0..rows.len()).filter(|at| open[*at]) {
            let later = |other: &usize| keeps(*other) && rows[*other].rate() > rows[at].rate();
            findings[at] = Some(self.by_standing(&standings[at], (at + 1..rows.len()).find(later).map(|at| &rows[at])));
        }
    }

    fn by_standing(&self, standing: &Standing, recovered: Option<&Row>) -> Finding {
        let bounds = self.bounds;
        if !standing.keeps(bounds) {
            let mut evidence = standing.at_knee_bounds(bounds);
            let Some(later) = recovered else {
                return (Verdict::PastKnee, evidence);
            };
            let rate = super::evidence::per_second(later.rate());
            evidence.push(Evidence::fact("later step", format!("{rate} keeps every bound")));
            return (Verdict::Outlier, evidence);
        }
        if standing.is_clean(bounds) {
            return (Verdict::Clean, standing.at_clean_bounds(bounds));
        }
        (Verdict::AtKnee, standing.at_clean_bounds(bounds))
    }
}

/// The lowest of a measure over the steps without a finding yet.
fn lowest(rows: &[Row], findings: &[Option<Finding>], measure: impl Fn(&Row) -> Option<f64>) -> Option<f64> {
    rows.iter()
        .zip(findings)
        .filter(|(row, finding)| !row.warmup && row.withdrawn.is_none() && finding.is_none())
        .filter_map(|(row, _)| measure(row))
        .filter(|value| *value > 0.0)
        .min_by(f64::total_cmp)
}

/// Steps that count for knee, plateau and capacity.
pub(super) fn judged(rows: &[Row]) -> Vec<&Row> {
    worth(rows, Worth::Judged)
}

/// Steps whose number is a floor.
pub(super) fn floors(rows: &[Row]) -> Vec<&Row> {
    worth(rows, Worth::Floor)
}

fn worth(rows: &[Row], worth: Worth) -> Vec<&Row> {
    let first = first_steps(rows);
    let counts = |(at, row): &(usize, &Row)| {
        !first.contains(at) && row.withdrawn.is_none() && row.verdict.is_some_and(|verdict| verdict.worth() == worth)
    };
    rows.iter().enumerate().filter(counts).map(|(_, row)| row).collect()
}
