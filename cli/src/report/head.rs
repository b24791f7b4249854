//! The head of the page: the campaign's name, how it came out in one sentence, and the facts under which it was measured.
//! Pure.

use maud::{Markup, html};
use soak_crds::{SoakCampaignStatus, status::Outcome};

use super::words;
use crate::tables::{Told, facts};

/// The head.
pub fn head(told: &Told<'_>) -> Markup {
    html! {
        header {
            p.kind { "Soak report" }
            h1 { (told.campaign.plan.name) }
            p.outcome { (sentence(told.status)) }
            (words::list(&facts(told)))
        }
    }
}

/// How the campaign came out.
fn sentence(status: &SoakCampaignStatus) -> String {
    let ended = status.summary.as_deref().unwrap_or("not finished");
    match status.verdict {
        Some(Outcome::Pass) => format!("{ended}: Pass. Nothing that was asked failed."),
        Some(Outcome::Fail) => format!("{ended}: Fail."),
        Some(Outcome::Inconclusive) => format!("{ended}: Inconclusive."),
        Some(Outcome::Invalid) => format!("{ended}: Invalid."),
        None => format!("{ended}: not judged."),
    }
}

fn facts(told: &Told<'_>) -> Vec<String> {
    let mut lines = facts::campaign(told.campaign);
    lines.extend(told.status.predictions_hash.as_ref().map(|hash| format!("predictions sha256 {hash}")));
    lines
}
