//! How often the judge claims a difference that is not there, and how often it finds one that is. Campaigns are drawn and
//! judged by the product's own code; the tables of `docs/method.md` come from here.
//! Run: `cargo run --release -p soak-campaign --example false_alarms [-- --update docs/method.md]`.

#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

#[path = "false_alarms/figures.rs"]
mod figures;
#[path = "false_alarms/simulation.rs"]
mod simulation;

use std::{env, error::Error, fs};

use figures::{Figures, replaced};

const CAMPAIGNS: u32 = 10_000;
const SEED: u64 = 1;

fn main() -> Result<(), Box<dyn Error>> {
    let figures = Figures::of(CAMPAIGNS, SEED).markdown();
    println!("{figures}");
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [flag, path] = &arguments[..] {
        if flag != "--update" {
            return Err(format!("unknown flag {flag}: only --update FILE is known").into());
        }
        let text = fs::read_to_string(path)?;
        let updated = replaced(&text, &figures).ok_or("the file has no marks between which the figures stand")?;
        fs::write(path, updated)?;
    }
    Ok(())
}
