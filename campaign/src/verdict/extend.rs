//! Whether a ramp goes on past its last planned step, and at which rate.

use super::RunJudgement;
use crate::plan::{PlannedRun, PlannedStep, StepKind};

/// The step that the run needs next; `None` where its capacity is found, more steps cannot help, or the cap is reached.
/// `steps` are the run's steps so far, extensions included.
pub fn extend(run: &PlannedRun, steps: &[PlannedStep], judgement: &RunJudgement) -> Option<PlannedStep> {
    let ramp: Vec<_> = steps.iter().filter(|step| is_ramp(step.kind)).collect();
    let added = ramp.iter().filter(|step| step.kind == StepKind::Extension).count();
    let cap = usize::try_from(run.extend_max_steps).unwrap_or(usize::MAX);
    if !judgement.extend || added >= cap {
        return None;
    }
    let last = ramp.last()?;
    let by = match ramp.len() {
        1 => last.rate,
        several => last.rate - ramp[several - 2].rate,
    };
    let rate = last.rate.checked_add(by.max(1))?;
    Some(PlannedStep { index: last.index + 1, kind: StepKind::Extension, rate, duration_nanos: last.duration_nanos })
}

fn is_ramp(kind: StepKind) -> bool {
    match kind {
        StepKind::Ramp | StepKind::Extension => true,
        StepKind::Warmup | StepKind::Hold => false,
    }
}

#[cfg(test)]
mod tests {
    use soak_sample::Request;

    use super::extend;
    use crate::plan::{PlannedRun, PlannedStep, RunId, StepKind};
    use crate::verdict::RunJudgement;

    fn run(extend_max_steps: u32) -> PlannedRun {
        let request = Request {
            method: "GET".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            content_type: None,
            body: Vec::new(),
        };
        PlannedRun {
            id: RunId("a-b-r1".to_owned()),
            arm: "a".to_owned(),
            body: "b".to_owned(),
            replicate: 1,
            request,
            body_sha256: String::new(),
            body_leaves: None,
            steps: Vec::new(),
            extend_max_steps,
            fingerprint: String::new(),
            expected_millis: 0,
        }
    }

    fn steps(kinds: &[(StepKind, i64)]) -> Vec<PlannedStep> {
        let step = |(index, (kind, rate)): (usize, &(StepKind, i64))| PlannedStep {
            index: u32::try_from(index).unwrap(),
            kind: *kind,
            rate: *rate,
            duration_nanos: 7,
        };
        kinds.iter().enumerate().map(step).collect()
    }

    #[test]
    fn a_ramp_goes_on_by_its_last_difference_up_to_the_cap() {
        use StepKind::{Extension, Hold, Ramp, Warmup};
        let check = |cap, kinds: &[(StepKind, i64)], wanted: bool, expected: Option<i64>| {
            let judgement = RunJudgement { extend: wanted, ..RunJudgement::default() };
            let next = extend(&run(cap), &steps(kinds), &judgement);
            assert_eq!(next.map(|step| step.rate), expected);
            if let Some(next) = next {
                assert_eq!((next.kind, next.duration_nanos), (Extension, 7));
                assert_eq!(usize::try_from(next.index).unwrap(), kinds.len());
            }
        };
        let ramp = [(Warmup, 50), (Ramp, 100), (Ramp, 300)];
        check(2, &ramp, true, Some(500));
        check(2, &ramp, false, None);
        check(0, &ramp, true, None);
        check(2, &[(Warmup, 50), (Ramp, 100)], true, Some(200));
        check(2, &[(Ramp, 100), (Ramp, 300), (Extension, 500)], true, Some(700));
        check(2, &[(Ramp, 100), (Extension, 300), (Extension, 500)], true, None);
        check(2, &[(Hold, 100)], true, None);
    }
}
