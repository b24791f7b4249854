//! The ladder: each arm's knee and capacity, its multiple of the first arm's, and what a request costs where all arms
//! are offered the same rate and keep up. Pure.

use soak_campaign::{
    plan::{Plan, PlannedRun},
    status::{JudgedRun, matched_rates, row_at},
    table::Row,
    verdict::median,
};
use soak_crds::status::{ArmStatus, CapacityStatus, KneeStatus, ReplicateStatus, WithdrawnStatus};

use super::{
    Told,
    grid::{Grid, Side},
    number,
};

/// What is said where ramps differ.
const OTHER_RAMP: &str = "† another ramp than the first arm's: differences under 15 % mean nothing";

/// What is said of a body without a run.
pub const NOT_BEGUN: &str = "no run of this body has begun";

/// The ladder of one body.
#[derive(Debug)]
pub struct Rungs<'a> {
    /// The body.
    pub body: &'a str,
    /// An arm a row; absent where no run of the body has begun.
    pub grid: Option<Grid>,
    /// What must be known to read it.
    pub notes: Vec<String>,
}

/// The ladder of every body as text.
pub fn section(told: &Told<'_>) -> String {
    let mut text = "## Ladder\n".to_owned();
    for Rungs { body, grid, notes } in of_bodies(told) {
        let table = grid.map_or_else(|| format!("{NOT_BEGUN}\n"), |grid| grid.markdown());
        text += &["\nbody ", body, "\n\n", &table].concat();
        text.extend(notes.iter().flat_map(|note| ["\n", note, "\n"]));
    }
    text
}

/// The ladder of every body.
pub fn of_bodies<'a>(told: &Told<'a>) -> Vec<Rungs<'a>> {
    let runs: Vec<JudgedRun> = told.results.iter().map(|result| result.judged.clone()).collect();
    let matched = matched_rates(&runs);
    let (plan, withdrawn) = (&told.campaign.plan, &told.status.withdrawn[..]);
    let bodies = plan.bodies.iter().map(|body| {
        let arms: Vec<&ArmStatus> = told.status.arms.iter().filter(|arm| arm.body == body.name).collect();
        let ladder = Ladder { plan, arms: &arms, runs: &runs, matched: matched.get(&body.name).copied(), withdrawn };
        match arms.first() {
            Some(first) => Rungs { body: &body.name, grid: Some(ladder.grid(first)), notes: ladder.notes(first) },
            None => Rungs { body: &body.name, grid: None, notes: Vec::new() },
        }
    });
    bodies.collect()
}

struct Ladder<'a> {
    plan: &'a Plan,
    arms: &'a [&'a ArmStatus],
    runs: &'a [JudgedRun],
    matched: Option<i64>,
    withdrawn: &'a [WithdrawnStatus],
}

impl Ladder<'_> {
    fn grid(&self, first: &ArmStatus) -> Grid {
        let at = self.matched.map_or_else(|| "n/a".to_owned(), |rate| format!("{}/s", number::whole(rate)));
        let mut grid = Grid::new([
            ("arm", Side::Left),
            ("knee", Side::Right),
            ("first broken", Side::Right),
            ("capacity /s", Side::Right),
            ("×", Side::Right),
            (&format!("CPU ms/req at {at}"), Side::Right),
            (&format!("p99 ms at {at}"), Side::Right),
        ]);
        for arm in self.arms {
            grid.row([
                arm.name.clone(),
                arm.knee.as_ref().map_or_else(not_known, |knee| number::whole(knee.last)),
                arm.knee.as_ref().map_or_else(not_known, |knee: &KneeStatus| number::whole(knee.first_broken)),
                self.capacity(arm),
                self.multiple(first, arm),
                self.median(arm, |row| row.cpu_nanos_per_request.map(|nanos| nanos / 1e6)),
                self.median(arm, |row| row.p99_micros.map(|micros| micros / 1e3)),
            ]);
        }
        grid
    }

    /// The arm's capacity over the first arm's. A floor on one side bounds the ratio on one side; on both, nothing.
    fn multiple(&self, first: &ArmStatus, arm: &ArmStatus) -> String {
        let (Some(own), Some(base)) = (&arm.capacity, &first.capacity) else { return not_known() };
        if base.per_second <= 0 {
            return not_known();
        }
        let ratio = number::three_digits(own.per_second as f64 / base.per_second as f64);
        let mark = if self.same_ramp(first, arm) { "" } else { " †" };
        match (own.at_least, base.at_least) {
            _ if arm.name == first.name => "1".to_owned(),
            (false, false) => format!("{ratio}{mark}"),
            (true, false) => format!("≥ {ratio}{mark}"),
            (false, true) => format!("≤ {ratio}{mark}"),
            (true, true) => not_known(),
        }
    }

    fn same_ramp(&self, one: &ArmStatus, other: &ArmStatus) -> bool {
        let ramp = |arm: &ArmStatus| self.planned(arm).map(|run| run.steps.clone());
        ramp(one) == ramp(other)
    }

    fn planned(&self, arm: &ArmStatus) -> Option<&PlannedRun> {
        self.plan.runs.iter().find(|run| run.arm == arm.name && run.body == arm.body)
    }

    /// The median over the arm's runs of a number at the matched rate.
    fn median(&self, arm: &ArmStatus, read: impl Fn(&Row) -> Option<f64>) -> String {
        let own = self.runs.iter().filter(|run| run.arm == arm.name && run.body == arm.body && run.has_number());
        let values = own.filter_map(|run| read(row_at(run, self.matched?)?));
        median(&values.collect::<Vec<_>>()).map_or_else(not_known, number::three_digits)
    }

    /// The capacity, each replicate's behind it where there are several; one that was taken back struck through.
    fn capacity(&self, arm: &ArmStatus) -> String {
        let values: Vec<String> = arm.replicates.iter().map(|run| self.replicate(run)).collect();
        let median = arm.capacity.as_ref().map_or_else(not_known, floor);
        let struck = values.iter().any(|value| value.starts_with("~~"));
        if values.len() > 1 || struck { format!("{median} ({})", values.join(", ")) } else { median }
    }

    fn replicate(&self, run: &ReplicateStatus) -> String {
        let whole = |taken: &&WithdrawnStatus| taken.run == run.run && taken.step.is_none();
        match self.withdrawn.iter().find(whole).map(|taken| &taken.was) {
            Some(Some(was)) => format!("~~{}~~", floor(was)),
            Some(None) => not_known(),
            None => run.capacity.as_ref().map_or_else(not_known, floor),
        }
    }

    fn notes(&self, first: &ArmStatus) -> Vec<String> {
        let mut notes = Vec::new();
        if self.arms.iter().any(|arm| !self.same_ramp(first, arm)) {
            notes.push(OTHER_RAMP.to_owned());
        }
        if self.matched.is_none() {
            notes.push("no matched rate: there is no rate that every arm was offered and kept".to_owned());
        }
        let reasons = self.arms.iter().flat_map(|arm| &arm.replicates);
        notes.extend(
            reasons.filter_map(|run| Some(format!("{} has no valid number: {}", run.run, run.reason.as_ref()?))),
        );
        notes.extend(
            self.arms
                .iter()
                .filter(|arm| arm.extend == Some(true))
                .map(|arm| format!("{}: the ramp ends before the capacity is found; extend the ramp", arm.name)),
        );
        notes
    }
}

fn floor(capacity: &CapacityStatus) -> String {
    let bound = if capacity.at_least { "at least " } else { "" };
    format!("{bound}{}", number::whole(capacity.per_second))
}

fn not_known() -> String {
    number::NOT_KNOWN.to_owned()
}
