//! A campaign in one line, and how it ended. In goes the resource; out come words and an exit code. Pure.

use soak_campaign::{status, step::End};
use soak_cli::Exit;
use soak_crds::{
    SoakCampaign, SoakCampaignStatus,
    status::{ArmStatus, Condition, ConditionState, Outcome},
};

/// What stands where nothing is known, as `kubectl` writes it.
pub const NONE: &str = "<none>";

/// A condition of this type.
pub fn condition<'a>(campaign: &'a SoakCampaign, type_: &str) -> Option<&'a Condition> {
    campaign.status.as_ref()?.conditions.iter().find(|condition| condition.type_ == type_)
}

/// Whether a condition has this state.
pub fn is(campaign: &SoakCampaign, type_: &str, state: ConditionState) -> bool {
    condition(campaign, type_).is_some_and(|condition| condition.status == state)
}

/// Whether the campaign is over.
pub fn is_over(campaign: &SoakCampaign) -> bool {
    is(campaign, "Finished", ConditionState::True)
}

/// Whether the user must change it before anything can happen.
pub fn is_refused(campaign: &SoakCampaign) -> bool {
    let current = |condition: &Condition| condition.observed_generation == campaign.metadata.generation;
    is(campaign, "Accepted", ConditionState::False) && condition(campaign, "Accepted").is_some_and(current)
}

/// The outcome in one word.
pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "Pass",
        Outcome::Inconclusive => "Inconclusive",
        Outcome::Fail => "Fail",
        Outcome::Invalid => "Invalid",
    }
}

/// How far it is: reason and words of whatever condition tells that, with step and run at hand.
pub fn progress(campaign: &SoakCampaign) -> String {
    let Some(status) = &campaign.status else { return "no operator has looked at it yet".to_owned() };
    if let Some(refused) = condition(campaign, "Accepted").filter(|_| is_refused(campaign)) {
        return format!("not accepted: {}", refused.message);
    }
    if is_over(campaign) {
        let verdict = status.verdict.map_or("no verdict", outcome);
        return format!("over: {verdict}; {}", status.summary.as_deref().unwrap_or("no words"));
    }
    let told = condition(campaign, "Reconciling");
    let (reason, words) = told.map_or(("", ""), |told| (told.reason.as_str(), told.message.as_str()));
    let step = status.step.as_ref().map(|step| format!("step {step}"));
    let run = status.run.as_ref().map(|run| format!("of {run}"));
    let place: Vec<String> = step.into_iter().chain(run).collect();
    let parts = [reason.to_owned(), place.join(" "), words.to_owned()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

/// What each arm gave, a line each.
pub fn arms(status: &SoakCampaignStatus) -> Vec<String> {
    status.arms.iter().map(arm).collect()
}

fn arm(arm: &ArmStatus) -> String {
    let knee = arm.knee.as_ref().map_or_else(
        || "knee unknown".to_owned(),
        |knee| format!("knee {}/s, first broken {}/s", knee.last, knee.first_broken),
    );
    let capacity = arm.capacity.as_ref().map_or_else(
        || "capacity unknown".to_owned(),
        |capacity| format!("capacity {}{}/s", if capacity.at_least { "at least " } else { "" }, capacity.per_second),
    );
    let verdict = arm.verdict.map_or("not judged", outcome);
    format!("{} ({}, {}): {knee}; {capacity}; {verdict}", arm.name, arm.protocol, arm.body)
}

/// The exit code of a campaign that is over, by its status: that of `soak run`; incomplete where it was cancelled.
pub fn exit(campaign: &SoakCampaign) -> Exit {
    let Some(known) = &campaign.status else { return Exit::Incomplete };
    let complete = !is(campaign, "ResultsComplete", ConditionState::False);
    if campaign.spec.cancel && !complete {
        return Exit::Incomplete;
    }
    match Exit::from(status::ending(known, &[], &End::Completed)) {
        Exit::Completed if !complete => Exit::Incomplete,
        exit => exit,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn campaign(status: &Value, cancel: bool) -> SoakCampaign {
        serde_json::from_value(json!({
            "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign",
            "metadata": {"name": "c", "namespace": "n", "generation": 1},
            "spec": {"arms": [{"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"}], "cancel": cancel},
            "status": status,
        }))
        .unwrap()
    }

    fn told(type_: &str, status: &str, reason: &str, message: &str) -> Value {
        json!({
            "type": type_, "status": status, "reason": reason, "message": message,
            "lastTransitionTime": "", "observedGeneration": 1,
        })
    }

    #[test]
    fn a_campaign_is_told_in_one_line() {
        let check = |status: Value, expected: &str| assert_eq!(progress(&campaign(&status, false)), expected);
        check(json!(null), "no operator has looked at it yet");
        check(
            json!({"conditions": [told("Accepted", "False", "InvalidSpec", "spec.ramp is wrong")]}),
            "not accepted: spec.ramp is wrong",
        );
        check(
            json!({
                "step": "2/7", "run": "a-tiny-r1",
                "conditions": [told("Reconciling", "True", "Running", "run 1 of 1")],
            }),
            "Running: step 2/7 of a-tiny-r1: run 1 of 1",
        );
        check(json!({"conditions": [told("Reconciling", "True", "Queued", "waits for n/b")]}), "Queued: waits for n/b");
        check(
            json!({"verdict": "Pass", "summary": "finished", "conditions": [told("Finished", "True", "Pass", "")]}),
            "over: Pass; finished",
        );
    }

    #[test]
    fn the_exit_code_is_that_of_soak_run_and_a_cancelled_campaign_is_incomplete() {
        let over = |arm: &str, complete: &str, more: Value| {
            let mut status = json!({
                "arms": [{"name": "a", "protocol": "HTTP/1.1", "body": "tiny", "verdict": arm}],
                "conditions": [told("Finished", "True", "Pass", ""), told("ResultsComplete", complete, "x", "")],
            });
            status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            status
        };
        let check = |status: Value, cancel: bool, expected| assert_eq!(exit(&campaign(&status, cancel)), expected);
        check(over("Pass", "True", json!({})), false, Exit::Completed);
        check(over("Inconclusive", "True", json!({})), false, Exit::Completed);
        check(over("Invalid", "True", json!({})), false, Exit::NoValidNumber);
        check(over("Pass", "False", json!({})), false, Exit::Incomplete);
        check(over("Pass", "False", json!({})), true, Exit::Incomplete);
        let prediction = |outcome: &str| json!({"predictions": [{"name": "p", "outcome": outcome}]});
        check(over("Pass", "True", prediction("Failed")), false, Exit::Failed);
        check(over("Pass", "True", prediction("Undecidable")), false, Exit::Undecided);
        check(json!(null), false, Exit::Incomplete);
    }
}
