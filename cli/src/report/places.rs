//! Where a run ran, part by part, as HTML: processes of one machine, or pods. Pure.

use maud::{Markup, html};
use soak_campaign::step::PodFacts;
use soak_local::ledger::{PartPlace, PartProcesses};

use crate::tables::{facts::cpus, number::NOT_KNOWN};

/// Where a run ran.
pub fn places(parts: &[PartPlace]) -> Markup {
    let processes = parts.iter().filter_map(|part| match part {
        PartPlace::Processes(processes) => Some(processes),
        PartPlace::Pods(_) => None,
    });
    let pods = parts.iter().filter_map(|part| match part {
        PartPlace::Pods(pods) => Some(&**pods),
        PartPlace::Processes(_) => None,
    });
    html! {
        (of_processes(&processes.collect::<Vec<_>>()))
        (of_pods(&pods.collect::<Vec<_>>()))
    }
}

fn of_processes(parts: &[&PartProcesses]) -> Markup {
    let heads = [
        "part",
        "arm's command line",
        "process",
        "port",
        "program sha256",
        "arm's CPUs",
        "driver's CPUs",
        "other CPUs",
    ];
    let lines = html! {
        @for part in parts {
            tr {
                th.number scope="row" { (part.part.part) }
                td { code { (part.command.join(" ")) } }
                td.number { (part.pid) }
                td.number { (part.port) }
                td { code.sum { (part.sha256) } }
                td { (cpus(&part.arm_cpus)) }
                td { (cpus(&part.driver_cpus)) }
                td { (cpus(&part.rest_cpus)) }
            }
        }
    };
    table("Processes", &heads, &lines, parts.is_empty())
}

fn of_pods(parts: &[&PodFacts]) -> Markup {
    let heads = ["part", "arm's command line", "arm's pod", "arm's node", "image", "program sha256", "driver's node"];
    let lines = html! {
        @for part in parts {
            tr {
                th.number scope="row" { (part.part.part) }
                td { code { (part.command.join(" ")) } }
                td { (part.arm.name) }
                td { (part.arm.node) }
                td { code.sum { (part.arm.image_id) } }
                td { code.sum { (part.program_sha256.as_deref().unwrap_or(NOT_KNOWN)) } }
                td { (part.driver.node) }
            }
        }
    };
    table("Pods", &heads, &lines, parts.is_empty())
}

fn table(caption: &str, heads: &[&str], lines: &Markup, is_empty: bool) -> Markup {
    if is_empty {
        return html! {};
    }
    html! {
        div.scroll {
            table {
                caption { (caption) }
                thead { tr { @for head in heads { th.word scope="col" { (head) } } } }
                tbody { (lines) }
            }
        }
    }
}
