//! The page: one file that loads nothing, runs nothing and can be read, printed and mailed as it is. Results in, HTML
//! out; no clock and no chance, so that it can be made again from an output folder, byte for byte.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{head, overview, run, style};
use crate::tables::Told;

/// The report as HTML.
pub fn document(told: &Told<'_>) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(style::policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (told.campaign.plan.name) " – Soak report" }
                style { (PreEscaped(style::SHEET)) }
            }
            body { (body(told)) }
        }
    };
    page.into_string() + "\n"
}

fn body(told: &Told<'_>) -> Markup {
    html! {
        (head::head(told))
        main {
            (overview::questions(told))
            (overview::ladder(told))
            (overview::runs(told))
            @for result in told.results { (run::section(told.campaign, result)) }
        }
        footer {
            p {
                "Made from the campaign's output folder by soak " (told.campaign.facts.soak_version) "; "
                code { "soak report DIR" } " makes it again, byte for byte. Latency counts from the time a call was due; "
                "what could not be observed is n/a, never 0."
            }
        }
    }
}
