//! How often the judge claims a difference that is not there, and how often it finds one that is. Campaigns of four equal
//! arms and three replicates are drawn and judged by the product's own code.
//! Run: `cargo run --release -p soak-campaign --example false_alarms`.

#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

#[path = "false_alarms/simulation.rs"]
mod simulation;

use simulation::{Odds, simulate};

const CAMPAIGNS: u32 = 10_000;

fn main() {
    let equal = simulate(CAMPAIGNS, 1, 0.0);
    println!("{CAMPAIGNS} campaigns of 4 equal arms × 3 replicates, run-to-run spread 0.1 to 4 %");
    println!("  a difference is claimed between two given arms: {:.2} %", equal.one * 100.0);
    println!("  between the first arm and any of the three others: {:.2} %", equal.any * 100.0);
    for times in [1.0, 2.0, 3.0, 4.0] {
        let Odds { one, .. } = simulate(CAMPAIGNS, 2, times);
        println!("  found, where they differ by {times} × the spread: {:.1} %", one * 100.0);
    }
}
