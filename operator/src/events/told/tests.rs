//! Which Events follow from which change of a status, and from which record.

use serde_json::{Value, json};
use soak_campaign::{
    plan::{Means, RunId, plan},
    status::{Phase, conditions},
    step::{AttemptEnd, AttemptKey, Identity},
};

use super::*;

fn status(fields: Value) -> SoakCampaignStatus {
    serde_json::from_value(fields).unwrap()
}

fn at(phase: &Phase, fields: Value) -> SoakCampaignStatus {
    let status = status(fields);
    SoakCampaignStatus { conditions: conditions(&[], phase, status.verdict, (Some(1), "now")), ..status }
}

fn under_way(reason: &'static str) -> Phase {
    Phase::UnderWay { reason, words: format!("in words: {reason}") }
}

fn reasons(before: &SoakCampaignStatus, after: &SoakCampaignStatus) -> Vec<&'static str> {
    of_status(before, after).iter().map(|told| told.reason).collect()
}

#[test]
fn a_campaign_of_one_run_tells_few_events_however_often_its_status_is_written() {
    let over = Phase::Ended { complete: true, words: "completed".to_owned() };
    let (arm, knee) = (json!({"name": "a", "protocol": "Http1", "body": "tiny"}), json!({"last": 1, "firstBroken": 2}));
    let with_knee = json!({"name": "a", "protocol": "Http1", "body": "tiny", "knee": knee});
    let mut written = vec![
        SoakCampaignStatus::default(),
        at(&under_way("Starting"), json!({"started": "t"})),
        at(&under_way("Running"), json!({"started": "t", "step": "1/3", "arms": [arm]})),
        at(&under_way("Running"), json!({"started": "t", "step": "2/3", "arms": [arm]})),
        at(&under_way("Running"), json!({"started": "t", "step": "3/3", "arms": [with_knee]})),
        at(&over, json!({"started": "t", "verdict": "Pass", "arms": [with_knee]})),
    ];
    written.push(written.last().unwrap().clone());
    let told: Vec<&str> = written.windows(2).flat_map(|pair| reasons(&pair[0], &pair[1])).collect();
    assert_eq!(told, ["Accepted", "Started", "KneeFound", "Finished"]);
}

#[test]
fn what_holds_a_campaign_up_is_told_once_each_time() {
    let check = |from: &'static str, to: &'static str, expected: &[&str]| {
        let (before, after) = (at(&under_way(from), json!({})), at(&under_way(to), json!({})));
        assert_eq!(reasons(&before, &after), expected, "{from} {to}");
    };
    check("Running", "Suspended", &["Suspended"]);
    check("Suspended", "Suspended", &[]);
    check("Suspended", "Running", &["Resumed"]);
    check("Running", "Starting", &[]);
    check("Starting", "Queued", &["Queued"]);
    check("Running", "Unseen", &["Unseen"]);
}

#[test]
fn an_end_that_is_not_pass_is_a_warning_and_a_refusal_tells_why() {
    let over = |verdict: &str| at(&Phase::Ended { complete: true, words: String::new() }, json!({"verdict": verdict}));
    let warns = |after: &SoakCampaignStatus| of_status(&status(json!({})), after).last().unwrap().is_warning;
    assert!(!warns(&over("Pass")) && warns(&over("Fail")) && warns(&over("Invalid")));
    let refused = at(&Phase::Refused { words: "spec.tls is not supported yet".to_owned() }, json!({}));
    let told = of_status(&status(json!({})), &refused);
    assert_eq!((told.len(), told[0].reason, told[0].note.as_str()), (1, "Refused", "spec.tls is not supported yet"));
    assert_eq!(reasons(&refused, &refused), Vec::<&str>::new());
}

#[test]
fn a_number_taken_back_and_results_removed_are_told() {
    let taken = json!({"withdrawn": [{"run": "a-tiny-r1", "step": 200, "at": "t", "reason": "wrong body"}]});
    let told = of_status(&status(json!({})), &status(taken.clone()));
    assert_eq!(told, [normal("Withdrawn", "the step of 200/s of a-tiny-r1: wrong body")]);
    assert_eq!(reasons(&status(taken.clone()), &status(taken)), Vec::<&str>::new());
    let condition = |type_: &str, reason: &str| {
        status(json!({"conditions": [{
            "type": type_, "status": "False", "lastTransitionTime": "t", "reason": reason, "message": "m",
        }]}))
    };
    let none = status(json!({}));
    assert_eq!(reasons(&none, &condition("WithdrawalsRecorded", "NothingToTakeBack")), ["WithdrawalRefused"]);
    assert_eq!(reasons(&none, &condition("WithdrawalsRecorded", "NotYet")), Vec::<&str>::new());
    assert_eq!(reasons(&none, &condition("ResultsComplete", "Removed")), ["ResultsRemoved"]);
}

#[test]
fn an_attempt_tells_that_it_began_and_how_it_ended() {
    let spec = json!({"arms": [{"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"}],
        "bodies": [{"preset": "Tiny"}], "ramp": {"steps": {"rates": [200]}}, "replicates": 2});
    let plan = plan(&serde_json::from_value(spec).unwrap(), "c", &Means::default()).unwrap();
    let attempt = |attempt| AttemptKey { run: RunId("a-tiny-r2".to_owned()), attempt };
    let began = |number, part, cause| Record::PartBegan {
        part: attempt(number).part(part),
        at_unix_nanos: 1,
        cause,
        arm: Identity("a".to_owned()),
        driver: Identity("d".to_owned()),
    };
    let ended = |number, reason| Record::AttemptEnded {
        attempt: attempt(number),
        at_unix_nanos: 1,
        end: AttemptEnd { reason, words: Some("OOMKilled".to_owned()) },
    };
    let check = |record: &Record, expected: Option<(bool, &str, &str)>| {
        let told = of_record(&plan, record);
        assert_eq!(told.as_ref().map(|told| (told.is_warning, told.reason, told.note.as_str())), expected);
    };
    check(&began(1, 1, PartCause::Start), Some((false, "RunBegan", "run 2 of 2: a-tiny-r2.1")));
    check(&began(2, 1, PartCause::Start), Some((false, "RunBegan", "run 2 of 2: a-tiny-r2.2, again from the warm-up")));
    check(&ended(1, EndReason::Completed), Some((false, "RunCompleted", "a-tiny-r2.1")));
    let again = "a-tiny-r2.1: the driver ended: OOMKilled; it is attempted again from the warm-up";
    check(&ended(1, EndReason::DriverDied), Some((true, "AttemptFailed", again)));
    let last = "a-tiny-r2.2: the driver ended: OOMKilled; it is not attempted again";
    check(&ended(2, EndReason::DriverDied), Some((true, "AttemptFailed", last)));
    check(&ended(1, EndReason::Cancelled), None);
    assert_eq!(of_record(&plan, &began(1, 2, PartCause::Gap)).unwrap().reason, "RampSplit");
}
