//! The ledger: records add up, once each; and the names by which orders find their steps.

#![allow(clippy::unwrap_used, reason = "a test")]

use proptest::prelude::*;
use soak_campaign::{
    plan::{PlannedStep, RunId, StepKind},
    step::{
        AttemptEnd, AttemptKey, EndReason, Identity, Ledger, LedgerError, PartCause, ProofTime, Record, StepKey,
        StoredStep,
    },
    table::{Row, Signals},
};

fn attempt(number: u32) -> AttemptKey {
    AttemptKey { run: RunId("rest.half-tiny-r1".to_owned()), attempt: number }
}

fn began(attempt: &AttemptKey, part: u32) -> Record {
    let identity = |kind: &str| Identity(format!("{kind}-{part}"));
    Record::PartBegan {
        part: attempt.part(part),
        at_unix_nanos: 7,
        cause: PartCause::Start,
        arm: identity("arm"),
        driver: identity("driver"),
    }
}

fn planned(index: u32) -> PlannedStep {
    PlannedStep { index, kind: StepKind::Ramp, rate: 100, duration_nanos: 1 }
}

fn stored(key: StepKey) -> Record {
    let step = planned(key.step);
    let stored =
        StoredStep { step, start_unix_nanos: 1, end_unix_nanos: 2, row: Row::default(), signals: Signals::default() };
    Record::StepStored { key, stored: Box::new(stored) }
}

fn ended(attempt: &AttemptKey, reason: EndReason) -> Record {
    Record::AttemptEnded { attempt: attempt.clone(), at_unix_nanos: 9, end: AttemptEnd { reason, words: None } }
}

fn records() -> Vec<Record> {
    let (first, second) = (attempt(1), attempt(2));
    let proven = |when| Record::LeversProven { part: first.part(1), at_unix_nanos: 8, when, proofs: Vec::new() };
    vec![
        began(&first, 1),
        proven(ProofTime::BeforeLoad),
        stored(first.part(1).step(0)),
        stored(first.part(1).step(1)),
        began(&first, 2),
        stored(first.part(2).step(0)),
        Record::StepAdded { attempt: first.clone(), step: planned(3) },
        ended(&first, EndReason::ArmDied),
        began(&second, 1),
        ended(&second, EndReason::Completed),
    ]
}

#[test]
fn records_add_up_to_attempts_parts_and_steps() {
    let ledger = Ledger::replay(records()).unwrap();
    let attempts = &ledger.run(&attempt(1).run).unwrap().attempts;
    let steps: Vec<Vec<u32>> =
        attempts[0].parts.iter().map(|part| part.steps.iter().map(|stored| stored.step.index).collect()).collect();
    assert_eq!(steps, [vec![0, 1], vec![0]]);
    assert_eq!((attempts.len(), attempts[0].added.len()), (2, 1));
    assert!(attempts[0].parts[0].before_load.is_some() && attempts[0].parts[0].after_load.is_none());
    assert_eq!(attempts[0].end.as_ref().unwrap().1.reason, EndReason::ArmDied);
    assert_eq!(ledger.attempt(&attempt(3)), None);
}

#[test]
fn a_record_told_twice_changes_nothing() {
    let once = Ledger::replay(records()).unwrap();
    let twice = Ledger::replay(records().into_iter().flat_map(|record| [record.clone(), record])).unwrap();
    assert_eq!(once, twice);
    let all_over_again = Ledger::replay(records().into_iter().chain(records())).unwrap();
    assert_eq!(once, all_over_again);
}

#[test]
fn a_record_survives_its_own_json() {
    for record in records() {
        let json = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&json).unwrap(), record, "{json}");
    }
}

#[test]
fn a_record_without_what_it_follows_is_an_error() {
    let check = |records: Vec<Record>, expected: LedgerError| assert_eq!(Ledger::replay(records), Err(expected));
    check(vec![began(&attempt(2), 1)], LedgerError::AttemptMissing(attempt(2)));
    check(vec![began(&attempt(0), 1)], LedgerError::AttemptMissing(attempt(0)));
    check(vec![began(&attempt(1), 2)], LedgerError::PartMissing(attempt(1).part(2)));
    check(vec![stored(attempt(1).part(1).step(0))], LedgerError::PartMissing(attempt(1).part(1)));
}

#[test]
fn what_is_no_id_of_an_order_names_no_step() {
    for id in ["", "a", "a.1.2", ".1.2.3.x", "a.1.-2.3", "a.1.2.99999999999"] {
        assert_eq!(StepKey::from_order_id(id), None, "{id:?}");
    }
}

proptest! {
    #[test]
    fn an_orders_id_names_its_step(run in "[a-z0-9][a-z0-9.-]{0,48}", attempt: u32, part: u32, step: u32) {
        let key = AttemptKey { run: RunId(run), attempt }.part(part).step(step);
        let id = key.order_id();
        prop_assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)));
        prop_assert_eq!(StepKey::from_order_id(&id), Some(key));
    }
}
