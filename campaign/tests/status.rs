//! Outcome, ending and the bounds of the status.

#![allow(clippy::unwrap_used, reason = "a test")]

use soak_campaign::{
    plan::{PlannedStep, RunId, StepKind},
    status::{Ending, JudgedRun, MissingRow, ending, fitted},
    step::{AttemptEnd, End, EndReason},
    verdict::RunJudgement,
};
use soak_crds::{
    SoakCampaignStatus,
    status::{
        ArmStatus, LeverStatus, Outcome, PredictionOutcome, PredictionStatus, ReplicateStatus, ThresholdStatus,
        WithdrawnStatus,
    },
};

fn run(settled: bool, missing: bool) -> JudgedRun {
    let step = PlannedStep { index: 1, kind: StepKind::Ramp, rate: 100, duration_nanos: 1 };
    JudgedRun {
        run: RunId("a-tiny-r1".to_owned()),
        arm: "a".to_owned(),
        body: "tiny".to_owned(),
        attempt: Some(1),
        end: settled.then_some(AttemptEnd { reason: EndReason::Completed, words: None }),
        settled,
        rows: Vec::new(),
        signals: Vec::new(),
        judgement: RunJudgement::default(),
        drift: None,
        missing: if missing { vec![MissingRow { step, reason: "x".to_owned() }] } else { Vec::new() },
        withdrawn: Vec::new(),
    }
}

fn asked(arm: Outcome, threshold: Option<Outcome>, prediction: Option<PredictionOutcome>) -> SoakCampaignStatus {
    SoakCampaignStatus {
        arms: vec![ArmStatus { name: "a".to_owned(), verdict: Some(arm), ..ArmStatus::default() }],
        thresholds: threshold
            .map(|outcome| ThresholdStatus { outcome: Some(outcome), ..ThresholdStatus::default() })
            .into_iter()
            .collect(),
        predictions: prediction
            .map(|outcome| PredictionStatus { outcome: Some(outcome), ..PredictionStatus::default() })
            .into_iter()
            .collect(),
        ..SoakCampaignStatus::default()
    }
}

#[test]
fn a_command_ends_by_the_worst_that_was_asked() {
    use Outcome::{Fail, Inconclusive, Invalid, Pass};
    let check = |status: SoakCampaignStatus, run: JudgedRun, end: End, expected: Ending| {
        assert_eq!(ending(&status, &[run], &end), expected, "{status:?}");
    };
    let done = || run(true, false);
    let completed = || End::Completed;
    check(asked(Pass, None, None), done(), completed(), Ending::Completed);
    check(asked(Inconclusive, None, None), done(), completed(), Ending::Completed);
    check(asked(Invalid, None, None), done(), completed(), Ending::NoValidNumber);
    check(asked(Fail, None, None), done(), completed(), Ending::Failed);
    check(asked(Pass, Some(Fail), None), done(), completed(), Ending::Failed);
    check(asked(Pass, Some(Inconclusive), None), done(), completed(), Ending::Undecided);
    check(asked(Pass, None, Some(PredictionOutcome::Held)), done(), completed(), Ending::Completed);
    check(asked(Pass, None, Some(PredictionOutcome::Failed)), done(), completed(), Ending::Failed);
    check(asked(Pass, None, Some(PredictionOutcome::Undecidable)), done(), completed(), Ending::Undecided);
    check(asked(Pass, Some(Inconclusive), Some(PredictionOutcome::Failed)), done(), completed(), Ending::Failed);
    check(asked(Invalid, Some(Fail), None), done(), completed(), Ending::NoValidNumber);
    check(asked(Pass, None, None), run(true, true), completed(), Ending::Incomplete);
    check(asked(Pass, None, None), run(false, false), completed(), Ending::Incomplete);
    check(asked(Pass, Some(Fail), None), run(true, true), completed(), Ending::Failed);
    check(asked(Pass, None, None), done(), End::Interrupted, Ending::Interrupted);
    check(asked(Pass, None, None), done(), End::Cancelled, Ending::Interrupted);
    check(asked(Pass, None, None), done(), End::StorageLost { words: "full".to_owned() }, Ending::Incomplete);
    check(SoakCampaignStatus::default(), done(), completed(), Ending::NoValidNumber);
}

fn large(arms: usize, replicates: usize) -> SoakCampaignStatus {
    let replicate = |number| ReplicateStatus {
        run: format!("arm-with-a-long-name-tiny-r{number}"),
        capacity: None,
        reason: Some("word ".repeat(50)),
    };
    let arm = |number| ArmStatus {
        name: format!("arm-with-a-long-name-{number}"),
        replicates: (0..replicates).map(replicate).collect(),
        ..ArmStatus::default()
    };
    SoakCampaignStatus {
        summary: Some("finished".to_owned()),
        arms: (0..arms).map(arm).collect(),
        ..SoakCampaignStatus::default()
    }
}

#[test]
fn a_status_fits_whatever_the_size_of_the_campaign() {
    const MOST: usize = 16_000;
    for (arms, replicates) in [(1, 1), (10, 5), (32, 20), (512, 20)] {
        let bytes = serde_json::to_vec(&fitted(large(arms, replicates), MOST)).unwrap().len();
        assert!(bytes <= MOST, "{arms} arms of {replicates} replicates take {bytes} bytes");
    }
    assert_eq!(fitted(large(1, 1), MOST), large(1, 1));
    let fifty = fitted(large(10, 5), MOST);
    assert!(fifty.arms.iter().all(|arm| arm.replicates.len() == 5), "fifty runs keep their replicates");
    let mut questions = large(512, 20);
    let words = "x".repeat(250);
    let lever = LeverStatus { arm: "a".repeat(100), lever: words.clone(), ..LeverStatus::default() };
    questions.levers = vec![lever; 256];
    questions.withdrawn =
        vec![WithdrawnStatus { run: words.clone(), reason: words, ..WithdrawnStatus::default() }; 256];
    assert!(serde_json::to_vec(&fitted(questions, MOST)).unwrap().len() <= MOST, "whatever else was asked");
    let most = fitted(large(512, 20), MOST);
    let summary = most.summary.unwrap();
    assert_eq!(summary, format!("finished; results of {} of 512 arms", most.arms.len()));
}
