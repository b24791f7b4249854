//! Two arms compared: by capacity, and by CPU per request and latency at matched rates below both knees. Refused, with the
//! list of differences, where more differs than was declared.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use soak_crds::spec::Compare;

use super::noise::{Asked, Floor, Ratio, Side};
use super::replicate::{RunResult, capacities, is_kept, kept_at, same_rate};
use crate::table::{Row, number};

/// What a difference is worth across ramps.
const ACROSS_RAMPS: f64 = 0.15;
/// … in words.
const ACROSS_RAMPS_WORDS: &str = "different ramp shapes: differences under 15 % mean nothing";
/// The part of a fingerprint that may differ by explicit wish.
const RAMP: &str = "ramp";
/// The part of a fingerprint that a lever may change.
pub(super) const CLIENT: &str = "client";

/// Treatment against control under one body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Comparison {
    /// Its name.
    pub name: String,
    /// The body.
    pub body: String,
    /// The arm compared with.
    pub control: String,
    /// The arm compared.
    pub treatment: String,
    /// Each difference that was not declared; where there is one nothing is compared.
    pub refused: Vec<String>,
    /// Why the numbers are worth less than their intervals say.
    pub penalty: Option<String>,
    /// Comparisons asked of this body: the more there are, the further beyond chance a difference must lie to be claimed.
    pub asked: usize,
    /// Capacity.
    pub capacity: Ratio,
    /// CPU per request over the matched rates.
    pub cpu: Ratio,
    /// p50 over the matched rates.
    pub p50: Ratio,
    /// p99 over the matched rates.
    pub p99: Ratio,
    /// Resident memory over the matched rates.
    pub memory: Ratio,
    /// Rate by rate.
    pub matched: Vec<Matched>,
    /// What cannot be told, and why.
    pub remarks: Vec<String>,
}

/// Treatment against control at one rate that both keep.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Matched {
    /// Calls per second.
    #[serde(serialize_with = "number::plain")]
    pub rate: f64,
    /// CPU per request.
    pub cpu: Ratio,
    /// p50.
    pub p50: Ratio,
    /// p99.
    pub p99: Ratio,
}

/// What is compared, and which differences are part of the question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'a> {
    pub compare: &'a Compare,
    pub body: &'a str,
    /// Parts of the fingerprint that the question itself changes.
    pub declared: &'a [&'a str],
    /// Questions of this kind, this one included.
    pub asked: usize,
}

/// Compares two arms under one body. `runs` are all runs of the campaign: the noise is pooled over them.
pub(super) fn compare(question: &Question<'_>, runs: &[RunResult<'_>]) -> Comparison {
    let Question { compare, body, declared, asked } = *question;
    let field = Field::new(body, runs);
    let (control, treatment) = (field.of(&compare.control), field.of(&compare.treatment));
    let mut found = Comparison {
        name: compare.name.clone(),
        body: body.to_owned(),
        control: compare.control.clone(),
        treatment: compare.treatment.clone(),
        asked,
        ..Comparison::default()
    };
    let differences = differences(control, treatment, declared);
    let across = compare.across_ramps && differences.contains_key(RAMP);
    found.refused =
        differences.iter().filter(|(name, _)| !(across && **name == RAMP)).map(|(_, words)| words.clone()).collect();
    if !found.refused.is_empty() {
        return found;
    }
    found.penalty = across.then(|| ACROSS_RAMPS_WORDS.to_owned());
    let asked = Asked { together: asked, least: if across { ACROSS_RAMPS } else { Asked::alone().least } };
    found.capacity = field.ratio(capacities, control, treatment, asked, &mut found.remarks);
    fill_matched(&mut found, &field, control, treatment, asked);
    let unclaimed = unclaimed(&found);
    found.remarks.extend(unclaimed);
    found
}

/// What stands out alone and not among all that were asked.
fn unclaimed(found: &Comparison) -> Option<String> {
    let measures = [
        ("capacity", found.capacity),
        ("CPU per request", found.cpu),
        ("p50", found.p50),
        ("p99", found.p99),
        ("memory", found.memory),
    ];
    let names: Vec<_> =
        measures.into_iter().filter(|(_, ratio)| ratio.is_unclaimed()).map(|(measure, _)| measure).collect();
    (!names.is_empty()).then(|| format!("{}: {}", names.join(", "), unclaimed_words(found.asked)))
}

/// Why a difference beyond the floor of one comparison is not claimed.
pub fn unclaimed_words(asked: usize) -> String {
    format!("above the floor of one comparison, below that of {asked}; not claimed: ask fewer, or add replicates")
}

fn fill_matched(found: &mut Comparison, field: &Field<'_>, control: &Runs<'_>, treatment: &Runs<'_>, asked: Asked) {
    let rates = matched_rates(control, treatment);
    if rates.is_empty() {
        found.remarks.push("no rate is kept by every run of both arms: cost and latency are not compared".to_owned());
        return;
    }
    let over = |measure: Measure, rates: &[f64], asked: Asked| {
        field.ratio(|runs: &Runs<'_>| at_rates(runs, rates, measure), control, treatment, asked, &mut Vec::new())
    };
    found.cpu = over(|row| row.cpu_nanos_per_request, &rates, asked);
    found.p50 = over(|row| row.p50_micros, &rates, asked);
    found.p99 = over(|row| row.p99_micros, &rates, asked);
    found.memory = over(|row| row.rss_bytes.map(|bytes| bytes as f64), &rates, asked);
    let by_rate = Asked { together: asked.together * rates.len(), ..asked };
    let at = |rate: &f64| Matched {
        rate: *rate,
        cpu: over(|row| row.cpu_nanos_per_request, &[*rate], by_rate),
        p50: over(|row| row.p50_micros, &[*rate], by_rate),
        p99: over(|row| row.p99_micros, &[*rate], by_rate),
    };
    found.matched = rates.iter().map(at).collect();
}

type Runs<'a> = [&'a RunResult<'a>];
type Measure = fn(&Row) -> Option<f64>;

/// The runs of one body that count, by arm.
struct Field<'a> {
    arms: BTreeMap<&'a str, Vec<&'a RunResult<'a>>>,
}

impl<'a> Field<'a> {
    fn new(body: &str, runs: &'a [RunResult<'a>]) -> Self {
        let mut arms: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for run in runs.iter().filter(|run| run.body == body && run.void.is_none()) {
            arms.entry(run.arm).or_default().push(run);
        }
        Self { arms }
    }

    fn of(&self, arm: &str) -> &Runs<'a> {
        self.arms.get(arm).map_or(&[], Vec::as_slice)
    }

    /// The ratio of one measure, with the noise pooled over all arms.
    fn ratio(
        &self,
        measure: impl Fn(&Runs<'_>) -> Side,
        control: &Runs<'_>,
        treatment: &Runs<'_>,
        asked: Asked,
        remarks: &mut Vec<String>,
    ) -> Ratio {
        let floor = self.floor(&measure);
        let (control, treatment) = (measure(control), measure(treatment));
        for (side, name) in [(&control, "control"), (&treatment, "treatment")] {
            if side.logs.is_empty() {
                remarks.push(format!("the {name} has no run that counts"));
            } else if side.at_least {
                remarks.push(format!("the {name}'s capacity is a floor: the ratio is bounded on one side"));
            }
        }
        if floor.is_none() {
            remarks.push("too few replicates that count for a noise floor: no difference can be claimed".to_owned());
        }
        Ratio::between(&control, &treatment, floor.as_ref(), asked)
    }

    /// Floors tell how far the ramp went, not how an arm varies: they are not pooled.
    fn floor(&self, measure: impl Fn(&Runs<'_>) -> Side) -> Option<Floor> {
        let sides: Vec<Side> = self.arms.values().map(|runs| measure(runs)).filter(|side| !side.at_least).collect();
        Floor::pooled(sides.iter().map(|side| side.logs.as_slice()))
    }
}

/// The noise floor of capacities under one body.
pub(super) fn capacity_floor(body: &str, runs: &[RunResult<'_>]) -> Option<Floor> {
    Field::new(body, runs).floor(capacities)
}

/// For each run the mean logarithm of a measure over rates; runs that lack one are left out.
fn at_rates(runs: &Runs<'_>, rates: &[f64], measure: Measure) -> Side {
    let of_run = |run: &&RunResult<'_>| {
        let values = rates.iter().map(|rate| kept_at(run, *rate).and_then(measure).filter(|value| *value > 0.0));
        let logs = values.map(|value| value.map(f64::ln)).collect::<Option<Vec<_>>>()?;
        (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
    };
    Side { logs: runs.iter().filter_map(of_run).collect(), at_least: false }
}

/// The rates that every run of both arms keeps below its knee, ascending.
fn matched_rates(control: &Runs<'_>, treatment: &Runs<'_>) -> Vec<f64> {
    let kept = |run: &RunResult<'_>| {
        let below = |rate: &f64| run.judgement.knee.is_none_or(|knee| *rate <= knee.last);
        run.rows.iter().filter(|row| is_kept(row)).map(Row::rate).filter(below).collect::<Vec<_>>()
    };
    if control.is_empty() || treatment.is_empty() {
        return Vec::new();
    }
    let mut all = control.iter().chain(treatment).map(|run| kept(run));
    let first = all.next().unwrap_or_default();
    let shared = |shared: Vec<f64>, other: Vec<f64>| {
        shared.into_iter().filter(|rate| other.iter().any(|other| same_rate(*rate, *other))).collect()
    };
    let mut rates = all.fold(first, shared);
    rates.sort_by(f64::total_cmp);
    rates
}

/// The parts of the fingerprints that differ between or within the arms, in words, those of the question left out.
fn differences<'a>(control: &Runs<'a>, treatment: &Runs<'a>, declared: &[&str]) -> BTreeMap<&'a str, String> {
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let all: Vec<_> = control.iter().chain(treatment).collect();
    let names = all.iter().flat_map(|run| run.fingerprint.keys()).map(String::as_str);
    for name in names.filter(|name| !declared.contains(name)) {
        values.entry(name).or_insert_with(|| {
            let mut seen: Vec<_> =
                all.iter().map(|run| run.fingerprint.get(name).map_or("unknown", String::as_str)).collect();
            seen.dedup();
            seen
        });
    }
    let words = |(name, seen): (&'a str, Vec<&str>)| {
        let differs = seen.iter().any(|value| *value != seen[0]);
        differs.then(|| (name, format!("{name}: {}", distinct(&seen).join(" ≠ "))))
    };
    values.into_iter().filter_map(words).collect()
}

fn distinct<'a>(values: &[&'a str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(value) {
            found.push(*value);
        }
    }
    found
}
